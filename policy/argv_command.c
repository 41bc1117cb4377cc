/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which programs would a command line start, and is one of them refused?
 *
 * The command itself, and every command inside it: wrappers are opened until a program is
 * reached that starts no other. Each program meets the denylist and the interpreter rule,
 * by the name it is called by and by the name of the file that name leads to.
 *
 * A denylist of names is advice, never a wall: a copy of rm has another name. It is here
 * for the early and clear sentence. No allocation, no system call, safe in a signal
 * handler.
 */
#include "policy/argv_parts.h"

#include "policy/interpreters.h"
#include "policy/wrappers.h"

#include <string.h>

/* Command lines inside command lines; nobody honest needs more. */
#define NESTING_MAX 4

static const char no_preflight[] = "run it without the preflight: --no-preflight";
static const char use_file[] =
	"use a script file, or run it without the preflight: --no-preflight";

static const char denylist[] =
	"rm sudo mkfs mkfs.ext4 mkfs.fat curl wget chmod dd kill pkill "
	"shutdown reboot halt poweroff eval exec base64 nc ncat telnet "
	"su iptables ufw";

/* Whole families: mkfs.xfs, mkfs.btrfs; nc.openbsd, nc.traditional. */
static const char *const denied_families[] = {"mkfs.", "nc.", NULL};

struct walk {
	const struct check *check;
	int nesting;
	bool is_in_find;
};

static bool judge_command(struct walk *walk, const char *const *argv);

/* The block's own entries are sorted, so that ten thousand cost what ten do. */
static bool is_denied_by_block(const struct policy_block *b, const char *name)
{
	const uint32_t *entries = (const uint32_t *)(const void *)block_text(b, b->deny);
	uint32_t low = 0, high = b->deny_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(name, block_text(b, entries[middle]));

		if (!order)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

static bool is_denied_exactly(const struct policy_block *b, const char *name)
{
	if (words_contain(denylist, name, strlen(name)) || is_denied_by_block(b, name))
		return true;
	for (const char *const *family = denied_families; *family; family++)
		if (!strncmp(name, *family, strlen(*family)))
			return true;
	return false;
}

/* RM is rm where the file system folds case; nobody else has an RM to miss. */
static bool is_denied(const struct policy_block *b, const char *name)
{
	char folded[NAME_MAX + 1];
	size_t length = strlen(name);

	if (length >= sizeof(folded))
		return false;
	for (size_t i = 0; i <= length; i++)
		folded[i] =
			name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
	return is_denied_exactly(b, name) || is_denied_exactly(b, folded);
}

static bool refuse_denied(const struct check *c, const char *name)
{
	struct sentence s = check_refuse(c, AXIS_EXECUTABLE, no_preflight);

	sentence_add(&s, "executable ");
	sentence_add_repr(&s, name, strlen(name));
	sentence_add(&s, " is on the denylist");
	return true;
}

static bool refuse_inline(const struct check *c, const char *name, const char *flag,
			  size_t length)
{
	struct sentence s = check_refuse(c, AXIS_ARGV, use_file);

	sentence_add(&s, "interpreter ");
	sentence_add_repr(&s, name, strlen(name));
	sentence_add(&s, " invoked with refused flag ");
	sentence_add_repr(&s, flag, length);
	sentence_add(&s, "; use a script file instead of -c/-e");
	return true;
}

/* One program name with its arguments, by itself. */
static bool judge_name(const struct check *c, const char *name, const char *const *argv)
{
	const struct interpreter *interpreter;
	struct interpreter_inline found;

	if (is_denied(c->block, name))
		return refuse_denied(c, name);
	interpreter = interpreter_find(name);
	if (interpreter && interpreter_has_inline(&interpreter->options, argv, &found))
		return refuse_inline(c, name, found.text, found.length);
	return false;
}

/* ./notes -> /bin/rm is rm. A name without slash was looked up in PATH by the caller. */
static bool judge_target(const struct check *c, const char *const *argv)
{
	char real[PATH_MAX];

	if (!strchr(argv[0], '/') || check_resolve(c, argv[0], real) < 0)
		return false;
	return judge_name(c, path_basename(real), argv);
}

/* Every command of a line that a shell (or env -S) would take apart. */
static bool judge_split(struct walk *walk, struct split *s, const char *wrapper,
			const char *flag)
{
	split_end_command(s);
	if (s->is_full || s->is_dynamic)
		return refuse_inline(walk->check, wrapper, flag, strlen(flag));
	for (size_t i = 0; i < s->count; i++)
		if ((!i || !s->words[i - 1]) && s->words[i] &&
		    judge_command(walk, s->words + i))
			return true;
	return false;
}

/* env -S LINE WORD…: the words of LINE stand where -S stood, options and assignments too.
 */
static void split_env(struct split *s, const struct wrapped *inside)
{
	split_begin(s, false);
	split_word(s, "env");
	split_text(s, inside->line);
	for (const char *const *rest = inside->argv; rest && *rest; rest++)
		split_word(s, *rest);
}

/* watch A B: sh -c "A B". parallel ::: A B: each its own command line. */
static void split_joined(struct split *s, const char *const *argv)
{
	const bool is_list = !strncmp(argv[0], ":::", 3);

	split_begin(s, true);
	for (const char *const *arg = argv + is_list; *arg; arg++) {
		split_text(s, *arg);
		if (is_list)
			split_end_command(s);
	}
}

static bool judge_line(struct walk *walk, const struct wrapper *w,
		       const char *const *argv, const struct wrapped *inside)
{
	const char *name = path_basename(argv[0]);
	const char *flag = inside->flag ? inside->flag : "-c";
	struct walk deeper = *walk;
	struct split s;

	if (++deeper.nesting > NESTING_MAX)
		return refuse_inline(walk->check, name, flag, strlen(flag));
	if (inside->line && w->style == WRAPPER_ENV) {
		split_env(&s, inside);
	} else if (inside->line) {
		split_begin(&s, true);
		split_text(&s, inside->line);
	} else {
		split_joined(&s, inside->argv);
	}
	return judge_split(&deeper, &s, name, flag);
}

/* A find inside find's -exec is covered already: every -exec behind it is ours as well.
 */
static bool judge_find(struct walk *walk, const char *const *argv)
{
	static const char flags[] = "-exec -execdir -ok -okdir";
	struct walk inner = *walk;

	if (walk->is_in_find)
		return false;
	inner.is_in_find = true;
	for (const char *const *arg = argv + 1; *arg; arg++)
		if (words_contain(flags, *arg, strlen(*arg)) && arg[1] &&
		    judge_command(&inner, arg + 1))
			return true;
	return false;
}

static bool judge_command(struct walk *walk, const char *const *argv)
{
	while (argv && *argv) {
		const struct check *c = walk->check;
		const char *name = path_basename(*argv);
		const struct wrapper *w = wrapper_find(name);
		struct wrapped inside;

		if (judge_name(c, name, argv) || judge_target(c, argv))
			return true;
		if (!w)
			return false;
		if (w->style == WRAPPER_FIND)
			return judge_find(walk, argv);
		wrapper_open(w, argv, &inside);
		if (inside.is_code)
			return refuse_inline(c, name, inside.flag, strlen(inside.flag));
		if (inside.line || (inside.argv && w->style == WRAPPER_SHELL))
			return judge_line(walk, w, argv, &inside);
		argv = inside.argv;
	}
	return false;
}

bool check_commands(const struct check *c, const char *const *argv)
{
	struct walk walk = {.check = c};

	return judge_command(&walk, argv);
}
