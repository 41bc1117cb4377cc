/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The launcher's end of the ring: emptied before a run, read after it (and, where every call is
 * recorded, now and then during it). What comes out is bounded and terminated, and no more to be
 * believed than the program.
 */
#pragma once

#include "shim/ring.h"

#include <stdbool.h>
#include <stdint.h>

/* What the header says. Counts are cut to what JSON can hold. */
struct ring_state {
	bool is_damaged; /* it is not the header that was written: its counts are gone */
	uint64_t written, records_lost, denials_lost, processes_lost;
};

/* A hook was told this; texts are terminated, numbers within their enumerations. */
struct ring_told {
	struct ring_denial denial; /* frame_count, axis, action and layer are in range */
	char target[RING_TARGET_MAX + 1];
	bool is_cut; /* the target was longer */
};

/* One call as recorded, its target put together from the records it runs over. */
struct ring_call {
	struct ring_record record;
	char target[4097]; /* PATH_MAX and its end */
	bool is_cut;
};

/* Empties the ring of what any run before wrote and writes a new header. `is_new`: nobody has had it
 * yet. *start_ns: the moment, on the monotonic clock. 0 or -errno. */
int ring_begin(int fd, uint32_t flags, bool is_new, uint64_t *start_ns);

/* Reads the header. 0 or -errno. */
int ring_look(int fd, struct ring_state *state);

/* Calls `take` for every denial that is whole; *lost grows by the count of those that are not. 0 or
 * -errno. Where nothing was written this is one system call. */
int ring_each_denial(int fd, void (*take)(void *ctx, const struct ring_told *told), void *ctx,
		     uint64_t *lost);

/* Calls `take` for every row in use. 0 or -errno. */
int ring_each_process(int fd, void (*take)(void *ctx, const struct ring_process *process), void *ctx);

/* Where the reader of records stands; zeroes at a run's start. */
struct ring_place {
	uint64_t next; /* record to be read */
	uint64_t lost; /* overwritten before they were read, or never whole */
};

/* Calls `take` for the records written since *place, at most RING_RECORDS of them, and tells the
 * shim how far it came. `at_end`: nobody writes any more; what is not whole now never will be. */
int ring_drain(int fd, struct ring_place *place, bool at_end,
	       void (*take)(void *ctx, const struct ring_call *call), void *ctx);
