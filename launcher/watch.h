/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loop that watches a run. */
#pragma once

#include "backends/cgroup.h"
#include "backends/warden.h"
#include "launcher/notices.h"
#include "launcher/output.h"
#include "policy/limits.h"

#include <stdbool.h>

enum watch_cause {
	WATCH_EXITED,
	WATCH_WALL,
	WATCH_CPU,
	WATCH_MEMORY,
	WATCH_PROCESSES,
	WATCH_DISK,
	WATCH_SIGNAL,
	WATCH_BROKEN
};

/* Who holds what for this run; chosen before it starts. */
struct limiters {
	bool watch_memory, watch_processes, watch_cpu, watch_disk; /* looked at, on a timer */
	const struct cgroup *cgroup; /* NULL = none serves this run */
	pid_t house;                 /* of the warden's children, the one that is not the run's */
	int work;                    /* the folder whose use is watched; borrowed */
};

struct watch {
	struct warden *warden;
	int out, err;            /* read ends, non-blocking; closed at their end and then -1 */
	int signals;             /* signals_open()'s */
	int in;                  /* write end for stdin_text, -1 = none */
	const char *in_text;
	size_t in_size;
	bool raw;                /* a terminal of ours gets control characters as they are */
	struct output *keep_out, *keep_err; /* NULL = stream to 1 and 2 */
	uint64_t stdout_bytes, stderr_bytes;
	struct limits limits;
	struct limiters limiters;
	/* Called every few milliseconds while the program runs, to take what it records; NULL = nothing to take. */
	void (*drain)(void *ctx);
	void *drain_ctx;
	struct notices_ground ground; /* what a listener's notices are judged by, where one comes */
	int output_error;        /* -errno: streamed output was lost, other than by its reader's end */
	enum watch_cause cause;
	pid_t program;
	uint64_t duration_us;
};

/* Runs until the program and all it started are dead and the pipes are drained. 0 or -errno. */
int watch_run(struct watch *w);
