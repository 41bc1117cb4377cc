/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The preflight: what is refused before anything starts.
 *
 * One list of checks in a fixed order; the first that refuses gives the reason. It knows
 * the world only through ask->follow and the policy only through the block: no
 * allocation, no system call, safe in a signal handler. It can refuse too much or too
 * little and no harm is done: the walls behind it hold by themselves. What it adds is a
 * clear sentence, early.
 */
#include "policy/argv_parts.h"

#include "policy/interpreters.h"
#include "policy/policy.h"

#include <errno.h>
#include <string.h>

/* In this order: the first one an argument has is the one that is named. */
static const char *const metachars[] = {";", "|",  "&",	 ">", "<",
					"`", "$(", "${", ")", NULL};

struct sentence check_refuse(const struct check *c, enum axis axis, const char *fix)
{
	*c->out = (struct verdict){
		.action = ACTION_DENY,
		.axis = axis,
		.layer = LAYER_PREFLIGHT,
		.rule = c->out->rule,
		.reason = c->text->reason,
		.fix = c->text->fix,
	};
	check_set_fix(c, fix, "");
	return sentence_begin(c->text->reason, sizeof(c->text->reason));
}

void check_set_fix(const struct check *c, const char *flag, const char *value)
{
	struct sentence s = sentence_begin(c->text->fix, sizeof(c->text->fix));

	sentence_add(&s, flag);
	sentence_add(&s, value);
}

bool path_is_under(const char *path, const char *top)
{
	size_t length = strlen(top);

	while (length && top[length - 1] == '/')
		length--;
	return !strncmp(path, top, length) && (path[length] == '/' || !path[length]);
}

static int join_cwd(const struct check *c, const char *path, char out[PATH_MAX])
{
	struct sentence s = sentence_begin(out, PATH_MAX);

	if (path[0] != '/') {
		sentence_add(&s, c->ask->cwd);
		sentence_add(&s, "/");
	}
	if (s.used + strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	sentence_add(&s, path);
	return 0;
}

/* Cuts the last component off raw; `tail` is where it stood. False when nothing is left.
 */
static bool cut_component(char *raw, size_t *tail)
{
	size_t end = strlen(raw);

	while (end && raw[end - 1] == '/')
		end--;
	while (end && raw[end - 1] != '/')
		end--;
	while (end && raw[end - 1] == '/')
		end--;
	*tail = end;
	raw[end] = '\0';
	return end > 0;
}

static int follow(const struct check *c, const char *path, char real[PATH_MAX])
{
	struct memo *memo = c->memo;

	if (memo->missing[0] && path_is_under(path, memo->missing))
		return -ENOENT;
	if (strcmp(path, c->ask->cwd) != 0)
		return c->ask->follow(c->ask->ctx, path, real, PATH_MAX);
	memcpy(real, memo->cwd_real, strlen(memo->cwd_real) + 1);
	return memo->cwd_found;
}

/* A folder that is missing answers for all below it. */
static void remember_missing(const struct check *c, const char *folder, size_t size)
{
	memcpy(c->memo->missing, folder, size);
	c->memo->missing[size] = '\0';
}

/*
 * The longest beginning that exists, as the kernel sees it (a link in the middle counts,
 * and `link/..` is the parent of what the link names), then the rest by its text.
 */
int check_resolve(const struct check *c, const char *path, char out[PATH_MAX])
{
	char raw[PATH_MAX], whole[PATH_MAX], real[PATH_MAX];
	size_t tail = 0, missing = 0;
	int found, first, r = join_cwd(c, path, whole);

	if (r < 0)
		return r;
	memcpy(raw, whole, strlen(whole) + 1);
	first = found = follow(c, raw, real);
	if (!first)
		return policy_path_normalise("/", real, out, PATH_MAX) < 0 ? -ENAMETOOLONG
									   : 0;
	while (found && cut_component(raw, &tail)) {
		found = follow(c, raw, real);
		missing = found == -ENOENT ? tail : missing;
	}
	if (missing)
		remember_missing(c, whole, missing);
	if (found)
		real[0] = '/', real[1] = '\0', tail = 0;
	while (whole[tail] == '/')
		tail++;
	r = policy_path_normalise(real, whole + tail, out, PATH_MAX);
	return r < 0 ? -ENAMETOOLONG : first;
}

static bool is_tool(const struct check *c)
{
	return c->block->root != 0;
}

static bool check_empty(const struct check *c, const char *const *argv)
{
	struct sentence s;

	if (!argv || !argv[0]) {
		s = check_refuse(c, AXIS_ARGV, "name a program");
		sentence_add(&s, "empty argv");
		return true;
	}
	if (*path_basename(argv[0]))
		return false;
	s = check_refuse(c, AXIS_EXECUTABLE, "name a program");
	sentence_add(&s, "executable ");
	sentence_add_repr(&s, argv[0], strlen(argv[0]));
	sentence_add(&s, " has no basename");
	return true;
}

static bool refuse_metachar(const struct check *c, const char *meta, const char *argument)
{
	struct sentence s = check_refuse(c, AXIS_SHELL, "--shell");

	sentence_add(&s, "argv contains shell metachar ");
	sentence_add_repr(&s, meta, strlen(meta));
	sentence_add(&s, " in ");
	sentence_add_repr(&s, argument, strlen(argument));
	sentence_add(&s, "; set shell=True to opt in");
	return true;
}

/* Nobody expands these here; they are refused because they show what somebody hoped for.
 */
static bool check_metachars(const struct check *c, const char *const *argv)
{
	if (c->block->shell || c->block->metachars == METACHARS_OFF || !is_tool(c))
		return false;
	for (; *argv; argv++)
		for (const char *const *meta = metachars; *meta; meta++)
			if (strstr(*argv, *meta))
				return refuse_metachar(c, *meta, *argv);
	return false;
}

/* A name without a slash was found in PATH by the caller, and a missing file is reported
 * by whoever fails to start it. */
static bool check_executable(const struct check *c, const char *const *argv)
{
	char real[PATH_MAX];
	struct sentence s;
	uint32_t rule = 0;

	if (!strchr(argv[0], '/') || check_resolve(c, argv[0], real) < 0)
		return false;
	if (policy_path_rights(c->block, real, &rule) & PATH_EXEC)
		return false;
	c->out->rule = rule;
	s = check_refuse(c, AXIS_EXECUTABLE, "");
	sentence_add(&s, "executable ");
	sentence_add_repr(&s, argv[0], strlen(argv[0]));
	sentence_add(&s, " is outside every executable root");
	real[path_basename(real) - real - 1] = '\0';
	check_set_fix(c, "--exec ", real[0] ? real : "/");
	return true;
}

static bool check_paths(const struct check *c, const char *const *argv)
{
	return is_tool(c) && check_path_arguments(c, argv);
}

static bool check_cwd(const struct check *c, const char *const *argv)
{
	char real[PATH_MAX];
	struct sentence s;

	(void)argv;
	if (!is_tool(c))
		return false;
	if (check_resolve(c, c->ask->cwd, real) != -ENAMETOOLONG &&
	    path_is_under(real, block_text(c->block, c->block->root)))
		return false;
	s = check_refuse(c, AXIS_PATH, "start it in the project root");
	sentence_add(&s, "cwd ");
	sentence_add_repr(&s, c->ask->cwd, strlen(c->ask->cwd));
	sentence_add(&s, " not under project root");
	return true;
}

typedef bool check_fn(const struct check *c, const char *const *argv);

static check_fn *const checks[] = {
	check_empty,	  check_commands, check_metachars,
	check_executable, check_paths,	  check_cwd,
};

void policy_preflight(const struct policy_block *b, const struct preflight *ask,
		      struct verdict_text *text, struct verdict *out)
{
	struct memo memo = {.cwd_found = -ENOENT};
	const struct check c = {
		.block = b, .ask = ask, .text = text, .out = out, .memo = &memo};
	const char *const *argv = (const char *const *)ask->argv;

	memo.cwd_found = ask->follow(ask->ctx, ask->cwd, memo.cwd_real, sizeof(memo.cwd_real));

	*out = (struct verdict){.action = ACTION_ALLOW, .reason = "", .fix = ""};
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i](&c, argv))
			return;
	*out = (struct verdict){.action = ACTION_ALLOW, .reason = "", .fix = ""};
}
