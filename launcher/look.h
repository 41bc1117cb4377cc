/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at programs before they run: where they are, and why they will not start. */
#pragma once

#include "policy/block.h"

#include "policy/interpreters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a program file is. */
struct look_facts {
	char file[4096];   /* what the kernel will run in its place: #! lines followed, links too */
	bool is_script;    /* by a #! line: `file` is its interpreter */
	bool is_elf;       /* `file` is one, and then: */
	bool is_static;    /* it names no ELF interpreter */
	bool is_foreign;   /* of another machine than ours */
	unsigned machine;  /* its e_machine */
	unsigned bits;     /* 32 or 64 */
	uint64_t entry;    /* its entry point, and where its lowest executable segment */
	uint64_t text;     /* begins, both before it is moved anywhere */
	const struct interpreter *interpreter; /* what reads its script, past env; NULL = it is none */
};

struct look_for {
	const char *name;                 /* argv[0] */
	const char *cwd;                  /* for a name with a slash; NULL = ours */
	char *const *env;                 /* its PATH, or a default */
	const struct policy_block *block; /* NULL = any place will do */
};

/* The file argv[0] means: with a slash as it is, else by PATH. Where the policy lets programs be executed
 * from some places only, the others do not exist for the run and are passed over, as they will be
 * inside; if nothing else is there, the first of them is named. 0, -ENOENT; -EACCES: `out` is what was
 * found, outside every executable root; -ENOEXEC: it is no executable file (look_explain_exec). */
int look_find_program(const struct look_for *what, char *out, size_t size);

/* Is this rule of the block a profile's for a place of the session's own (/tmp, /dev/shm, /proc), where the
 * host's files of that name are not the run's? */
bool look_is_private(const struct policy_block *block, uint32_t rule);

/* What the file at `path` is: always fills *facts, with what could be seen. 0 or -errno. */
int look_at(const char *path, struct look_facts *facts);

/* One sentence that says why exec of `path` failed with `error`: a folder, no execute permission,
 * another machine's ELF, a missing ELF interpreter, a missing #! interpreter, text without #!. */
void look_explain_exec(const char *path, int error, char *out, size_t size);
