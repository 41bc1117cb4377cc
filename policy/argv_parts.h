/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rooms of the preflight: each returns whether it refused, with *check->out filled.
 */
#pragma once

#include "policy/block.h"
#include "policy/repr.h"

#include <limits.h>
#include <stdbool.h>

/* What the world has said already: a command line of fifty thousand words asks it of the same folders. */
struct memo {
	int cwd_found;           /* what follow() said of ask->cwd */
	char cwd_real[PATH_MAX];
	char missing[PATH_MAX];  /* nothing below it exists; "" = not known of any */
};

/* One preflight under way. */
struct check {
	const struct policy_block *block;
	const struct preflight *ask;
	struct verdict_text *text;
	struct verdict *out;
	struct memo *memo;
};

/* Makes *out a refusal of this axis with an empty reason, to be written with the result.
 */
struct sentence check_refuse(const struct check *c, enum axis axis, const char *fix);

/* Copies text, cut when it does not fit. */
void check_set_fix(const struct check *c, const char *flag, const char *value);

/* The real path of `path` (taken from the working directory). What does not exist is
 * resolved as far as it exists and named from there; always absolute and normalised.
 * Returns 0 when it exists, else -errno (-ENAMETOOLONG: out is unusable). */
int check_resolve(const struct check *c, const char *path, char out[PATH_MAX]);

/* Is the absolute path `path` the folder `top`, or below it? */
bool path_is_under(const char *path, const char *top);

/* Denylist, inline code, and the same for every command inside a wrapper. */
bool check_commands(const struct check *c, const char *const *argv);

/* argv[1] and on: nothing may lead out of the project root. */
bool check_path_arguments(const struct check *c, const char *const *argv);
