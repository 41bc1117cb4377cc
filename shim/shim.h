/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shim's own state and the few functions its files share. Everything here is hidden: the library
 * exports exactly the names of hooks.def.
 *
 * Runs inside the program, at any time: in signal handlers, after vfork, in threads. No malloc, no
 * stdio, no locks, no environment after the constructor; errno is the program's.
 */
#pragma once

#include "policy/block.h"
#include "shim/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shim {
	const struct policy_block *block; /* NULL = not attached: everything is let through */
	struct ring_header *ring;
	uint32_t flags; /* enum ring_flag as of the constructor */
};
extern struct shim shim; /* the one global; filled by the constructor and constant from then on */

/* What happened to one call. */
struct shim_event {
	uint16_t hook;
	const char *call;     /* the name called, or an interpreter's event */
	const char *target;   /* a path, an address as text …; "" = none */
	unsigned access;      /* PATH_… asked for */
	int error;            /* errno the program gets, 0 = allowed */
	const struct verdict *verdict;
	const char *text;     /* the sentence the program was given; NULL = the verdict's */
	const void *caller;   /* the hook's return address; NULL = no frames */
	const void *frame;    /* the hook's frame, to unwind from; NULL = caller only */
	const struct ring_script *script; /* NULL = none */
};

/* Writes one record or one denial into the ring. Never blocks (with RING_LOSSLESS a few ms at most). */
void shim_tell(const struct shim_event *event);

static inline bool shim_is_attached(void)
{
	return shim.block != NULL;
}

/* Called at the end of the constructor, once attached: an interpreter's own hooks. Each does nothing in a
 * program that is not its interpreter. */
void cpython_attach(void);

/* Fills frames[max] from the caller upwards; returns how many. Async-signal-safe, allocates nothing. */
unsigned unwind_frames(const void *caller, const void *frame, struct ring_frame *frames, unsigned max);
