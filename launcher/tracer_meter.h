/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hardware's share of a tracer's count: one counter a thread, their sum, and when to look again. */
#pragma once

#include "launcher/perf.h"
#include "launcher/tracer_threads.h"

struct meter {
	struct perf_source *source; /* NULL = none */
	uint64_t gone;   /* of threads that are dead */
	int error;       /* errno of a counter that failed, 0 = none */
};

/* Counts this thread from now on; again is nothing. */
void meter_take(struct meter *m, struct thread *t);

/* Its last count, before it is forgotten. */
void meter_leave(struct meter *m, struct thread *t);

/* What all have executed. */
uint64_t meter_read(struct meter *m, const struct thread_table *threads);

/* Lets all run on until together they may have come near `budget` (UINT64_MAX = none). False: they have, or
 * a counter failed. *count: what all have executed. */
bool meter_run_on(struct meter *m, const struct thread_table *threads, uint64_t budget, uint64_t *count);
