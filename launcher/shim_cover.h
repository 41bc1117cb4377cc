/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processes of a run the shim saw into, and to which it was blind, and why. */
#pragma once

#include "backends/layers.h"
#include "launcher/program_file.h"
#include "shim/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHIM_BLIND_MAX 64 /* told one by one; the others are counted */

/* What keeps the shim out of a program, or out of a part of it. */
enum shim_cause {
	SHIM_CAUSE_NONE,   /* nothing that the file shows */
	SHIM_CAUSE_STATIC,
	SHIM_CAUSE_WORD_SIZE,
	SHIM_CAUSE_MACHINE,
	SHIM_CAUSE_LIBC,   /* an ELF interpreter that is neither glibc's nor musl's */
	SHIM_CAUSE_SECURE, /* file capabilities */
	SHIM_CAUSE_GO,     /* attached, but the program's own system calls pass no libc */
	SHIM_CAUSE_UNREADABLE,
	SHIM_CAUSE_COUNT
};

struct shim_blind {
	int32_t pid; /* in the program's namespace; 0 = not known */
	char exe[RING_TARGET_MAX];
	enum shim_cause cause;
};

struct shim_cover {
	char why[LAYER_MESSAGE_MAX]; /* no process had it, or what it told was damaged; "" = nothing to say */
	struct shim_blind blind[SHIM_BLIND_MAX];
	size_t blind_count;
	uint64_t blind_lost;
	uint32_t processes; /* that had it */
	int32_t pids[RING_PROCESSES]; /* theirs */
};

/* What a run was, beside its ring. */
struct shim_cover_ask {
	int ring;
	const char *program;               /* what the first process executed */
	bool is_static;                    /* it was seen to be static when it was started */
	const char *cwd;                   /* where it began: what relative names are looked for in */
	int32_t inside;                    /* its number in its own namespace */
	const struct program_files *files; /* which files may be looked at for a cause */
	bool is_thorough;                  /* look at covered programs too, for what passes by */
};

/* Reads the ring's table of processes into *cover, which is emptied first but for `why`. */
void shim_cover_take(struct shim_cover *cover, const struct shim_cover_ask *ask);

/* Did this process have the shim? */
bool shim_cover_has(const struct shim_cover *cover, int32_t pid);

/* What the program file behind the descriptor (borrowed) is to the shim; for a script, what its interpreter is,
 * opened through `files`. */
enum shim_cause shim_cover_cause(const struct program_files *files, int fd);

/* The sentence for a cause; never NULL. */
const char *shim_cause_text(enum shim_cause cause);
