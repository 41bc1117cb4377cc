/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which verbs an option is for, what words it takes, whether it may be repeated: one table beside those of
 * the options (request.c) and limits (policy/limits.c). The parser refuses by it, help and completions
 * print it; so none can claim what another denies. Pure look-ups.
 */
#include "launcher/option_use.h"

#include "launcher/request.h"
#include "policy/interpreters.h"

#include <string.h>

#define LAYERS "landlock seccomp namespace user pid ipc uts mount network cgroup rlimit shim"
#define MODES "auto native container microvm audit-only"
#define TIERS "MINIMAL STANDARD HEAVY_COMPUTE"
#define UNITS "auto bytecode instructions"
#define COUNTERS "perf-hw qemu-tcg ptrace-singlestep task-clock none"

static const struct option_use {
	const char *flag;
	const char *verbs; /* NULL = every verb that reads a policy */
	const char *words;
	bool repeats;
} uses[] = {
	{ .flag = "--policy", .repeats = true },
	{ .flag = "--read", .repeats = true },
	{ .flag = "--write", .repeats = true },
	{ .flag = "--exec", .repeats = true },
	{ .flag = "--deny-path", .repeats = true },
	{ .flag = "--env", .repeats = true },
	{ .flag = "--set-env", .repeats = true },
	{ .flag = "--require", .words = LAYERS, .repeats = true },
	{ .flag = "--sandbox", .words = MODES },
	{ .flag = "--tier", .words = TIERS },
	{ .flag = "--steps-unit", .verbs = "run code session", .words = UNITS },
	{ .flag = "--steps-counter", .verbs = "run code session", .words = COUNTERS },
	{ .flag = "--result", .verbs = "run code learn" },
	{ .flag = "--meta", .verbs = "run code" },
	{ .flag = "--stdin", .verbs = "run learn" },
	{ .flag = "--binary", .verbs = "run code" },
	{ .flag = "--raw-output", .verbs = "run learn" },
	{ .flag = "--explain", .verbs = "run code" },
	{ .flag = "--why", .verbs = "check explain" },
	{ .flag = "--observe", .verbs = "run" },
	{ .flag = "-o", .verbs = "learn" },
	{ .flag = "--allow-sensitive", .verbs = "learn" },
	{ .flag = "--no-shim", .verbs = "run code session" },
	{ .flag = "--log", .verbs = "run code session learn" },
	{ .flag = "--show", .verbs = "check" },
	{ .flag = "--json", .verbs = "check demo doctor capabilities explain" },
	{ .flag = "--sweep", .verbs = "session" },
};

static const char *const unit_names[] = {
	[UNIT_COUNT] = "NUMBER",
	[UNIT_BYTES] = "SIZE",
	[UNIT_SECONDS] = "SECONDS",
};

static const struct option_use *find_use(const char *flag)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (strcmp(uses[i].flag, flag) == 0)
			return &uses[i];
	return NULL;
}

static bool limit_at(size_t index, struct option_view *view)
{
	for (const struct limit_row *row = limit_rows; row->key; row++) {
		if (!row->flag || index--)
			continue;
		*view = (struct option_view){ row->flag, unit_names[row->unit], row->help };
		return true;
	}
	return false;
}

bool option_at(size_t index, struct option_view *view)
{
	for (const struct option_row *row = option_rows; row->flag; row++) {
		if (index--)
			continue;
		*view = (struct option_view){ row->flag, row->value, row->help };
		return true;
	}
	return limit_at(index, view);
}

bool option_fits(const char *flag, const char *verb)
{
	const struct option_use *use = find_use(flag);

	return !use || !use->verbs || words_contain(use->verbs, verb, strlen(verb));
}

bool option_is_narrow(const char *flag)
{
	const struct option_use *use = find_use(flag);

	return use && use->verbs;
}

const char *option_words(const char *flag)
{
	const struct option_use *use = find_use(flag);

	return use ? use->words : NULL;
}

bool option_repeats(const char *flag)
{
	const struct option_use *use = find_use(flag);

	return use && use->repeats;
}
