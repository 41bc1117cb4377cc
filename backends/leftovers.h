/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run can leave in the session's private places, taken away before the next. */
#pragma once

#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

struct leftovers {
	const struct policy *policy; /* its paths are mount points below, and stay */
	const char *work;            /* so does the session's work folder; NULL = none */
	bool own_root;               /* the present root is root_build()'s, with a private /tmp and /dev/shm */
	bool own_ipc;                /* the ipc namespace is the session's own */
};

#define LEFTOVERS_MARKS 16

/* A folder of the private places as it was when nothing of a run was in it. */
struct leftovers_mark {
	char path[256];
	int64_t changed_ns;
	uint64_t inode;
};

/* What the last clearing saw; all zero at first. Filled only where a change since can be told. */
struct leftovers_seen {
	bool is_whole;
	unsigned count;
	struct leftovers_mark marks[LEFTOVERS_MARKS];
};

/* Empties the private places and removes System V objects. Runs in the warden with nothing of the run
 * alive. *seen spares it the walk where nothing was touched since. 0, or -errno of the first thing that
 * stayed. */
int leftovers_clear(const struct leftovers *where, struct leftovers_seen *seen);
