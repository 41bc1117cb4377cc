/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What holds for a run: each layer enforced or not, with the kernel's answer. Pure data (no
 * pointers: it crosses a process boundary in shared memory).
 */
#pragma once

#include <stdbool.h>

#define LAYER_MESSAGE_MAX 256

enum { NS_USER, NS_PID, NS_IPC, NS_UTS, NS_MOUNT, NS_NETWORK, NS_COUNT };
extern const char *const namespace_names[NS_COUNT]; /* "user", "pid", "ipc", "uts", "mount", "network" */

/* Whether one mechanism holds for this run, and if not, the kernel's answer. */
struct layer_state {
	bool enforced;
	char why[LAYER_MESSAGE_MAX]; /* "" when enforced */
};

struct layers {
	struct layer_state landlock;
	int landlock_abi;        /* of the running kernel, as used; 0 = none */
	bool landlock_retried;   /* a right the ABI promises was refused; a lower set is in force */
	struct layer_state seccomp;
	struct layer_state notify; /* the kernel tells of refused calls; both empty: not tried yet */
	struct layer_state namespaces[NS_COUNT];
	struct layer_state cgroup;
	struct layer_state rlimit;
	struct layer_state shim; /* in force: given to every program; it explains and holds nothing */
	char not_enforced[512];  /* one sentence a missing wall leaves open; "" = nothing */
};
