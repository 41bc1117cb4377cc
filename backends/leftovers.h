/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run can leave in the session's private places, taken away before the next. */
#pragma once

#include "policy/policy.h"

#include <stdbool.h>

struct leftovers {
	const struct policy *policy; /* its paths are mount points below, and stay */
	const char *work;            /* so does the session's work folder; NULL = none */
	bool own_root;               /* the present root is root_build()'s, with a private /tmp and /dev/shm */
	bool own_ipc;                /* the ipc namespace is the session's own */
};

/* Empties the private places and removes System V objects. Runs in the warden with nothing of the run
 * alive. 0, or -errno of the first thing that stayed. */
int leftovers_clear(const struct leftovers *where);
