/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The made-up world, and the policy of profile tool in it, that the preflight's tests share. */
#include "tests/unit/preflight_world.h"

#include "policy/compile.h"
#include "policy/repr.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The world as ask->follow tells it; what is not here does not exist. */
static const struct {
	const char *path, *real;
} world[] = {
	{"/", "/"},
	{"/proj", "/proj"},
	{"/proj/f", "/proj/f"},
	{"/proj/src", "/proj/src"},
	{"/proj/run", "/proj/run"},
	{"/proj/secret", "/tmp/secret"},
	{"/proj/out", "/etc"},
	{"/proj/out/passwd", "/etc/passwd"},
	{"/proj/notes", "/usr/bin/rm"},
	{"/proj/py", "/usr/bin/python3.11"},
	{"/etc", "/etc"},
	{"/etc/passwd", "/etc/passwd"},
	{"/usr", "/usr"},
	{"/usr/include", "/usr/include"},
	{"/usr/bin/ls", "/usr/bin/ls"},
	{"/bin/ls", "/usr/bin/ls"},
	{"/tmp", "/tmp"},
	{"/tmp/x", "/tmp/x"},
	{"/srv/tool", "/srv/tool"},
	{"/srv/data", "/srv/data"},
	{"/home", "/home"},
	{"/dev/stdin", "/dev/pts/3"},
	{"/proc/self/root/etc/passwd", "/etc/passwd"},
};

static unsigned questions;

unsigned world_questions(void)
{
	return questions;
}

static int follow(void *ctx, const char *path, char *out, size_t size)
{
	char plain[PATH_MAX];

	(void)ctx;
	questions++;
	assert_true(policy_path_normalise("/", path, plain, sizeof(plain)) >= 0);
	for (size_t i = 0; i < sizeof(world) / sizeof(world[0]); i++) {
		if (strcmp(world[i].path, plain) != 0)
			continue;
		assert_true(strlen(world[i].real) < size);
		memcpy(out, world[i].real, strlen(world[i].real) + 1);
		return 0;
	}
	return -ENOENT;
}

#define RULE(where, what, who)                                               \
	{                                                                    \
		.path = S(where), .written = S(where), .rights = (what), \
		.origin = S(who)                                           \
	}

/* Profile tool with its root, as the loader would have made it. */
static struct policy_block *make_block(struct policy change)
{
	struct path_rule rules[] = {
		RULE("/proj", PATH_READ | PATH_WRITE | PATH_EXEC, "profile tool"),
		RULE("/usr", PATH_READ | PATH_EXEC, "profile tool"),
		RULE("/tmp", PATH_READ | PATH_WRITE, "profile tool"),
		RULE("/etc/passwd", PATH_READ, "profile tool"),
		RULE("/srv/data", PATH_READ, "--read"),
	};
	char *denied[] = {S("frobnicate"), S("aaa")};
	struct policy_block *block = NULL;

	change.paths = rules;
	change.path_count = sizeof(rules) / sizeof(rules[0]);
	change.deny_argv0 = (struct string_list){.item = denied, .count = 2};
	change.limits = limits_default();
	assert_int_equal(policy_compile(&change, &block), 0);
	return block;
}

struct policy tool(void)
{
	return (struct policy){
		.profile = S("tool"), .root = S("/proj"), .processes = true};
}

struct policy tool_with_shell(void)
{
	struct policy p = tool();

	p.shell = true;
	return p;
}

static struct verdict_text said;

struct verdict judge_in(struct policy p, const char *cwd, char **argv)
{
	struct policy_block *block = make_block(p);
	struct preflight ask = {
		.argv = argv, .cwd = cwd, .home = "/home/u", .follow = follow};
	struct verdict v;

	questions = 0;
	policy_preflight(block, &ask, &said, &v);
	free(block);
	return v;
}

void assert_refused(char **argv, enum axis axis, const char *reason)
{
	struct verdict v = judge_in(tool(), "/proj", argv);

	assert_int_equal(v.action, ACTION_DENY);
	assert_int_equal(v.layer, LAYER_PREFLIGHT);
	assert_string_equal(v.reason, reason);
	assert_int_equal(v.axis, axis);
	assert_true(*v.fix);
}

void assert_allowed(char **argv)
{
	struct verdict v = judge_in(tool(), "/proj", argv);

	assert_string_equal(v.reason, "");
	assert_int_equal(v.action, ACTION_ALLOW);
}

void assert_inline(const char *name, const char *flag, char **argv)
{
	char reason[512];
	struct sentence s = sentence_begin(reason, sizeof(reason));

	sentence_add(&s, "interpreter '");
	sentence_add(&s, name);
	sentence_add(&s, "' invoked with refused flag '");
	sentence_add(&s, flag);
	sentence_add(&s, "'; use a script file instead of -c/-e");
	assert_refused(argv, AXIS_ARGV, reason);
}

void assert_denied_name(const char *name, char **argv)
{
	char reason[512];
	struct sentence s = sentence_begin(reason, sizeof(reason));

	sentence_add(&s, "executable '");
	sentence_add(&s, name);
	sentence_add(&s, "' is on the denylist");
	assert_refused(argv, AXIS_EXECUTABLE, reason);
}

void assert_outside(const char *argument, const char *real, char **argv)
{
	char reason[512];
	struct sentence s = sentence_begin(reason, sizeof(reason));

	sentence_add(&s, "path argument '");
	sentence_add(&s, argument);
	sentence_add(&s, "' resolves outside project root ('");
	sentence_add(&s, real);
	sentence_add(&s, "' not under '/proj')");
	assert_refused(argv, AXIS_PATH, reason);
}
