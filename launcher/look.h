/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at programs before they run: where they are, and why they will not start. */
#pragma once

#include <stddef.h>

/* The file argv[0] means: with a slash as it is (from cwd), else by PATH of `env` (or a default).
 * 0, or -ENOENT. */
int look_find_program(const char *name, const char *cwd, char *const *env, char *out, size_t size);

/* One sentence that says why exec of `path` failed with `error`: a folder, no execute permission,
 * another machine's ELF, a missing ELF interpreter, a missing #! interpreter, text without #!. */
void look_explain_exec(const char *path, int error, char *out, size_t size);
