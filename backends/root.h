/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The root the program sees: a new mount tree in which only the policy's paths exist.
 */
#pragma once

#include "policy/policy.h"

#include <stdbool.h>

struct root_plan {
	const struct policy *policy;
	const char *mount_point; /* a folder nobody else uses */
	const char *work;        /* bound read-write */
	/* Called once all stands but before the pivot: a new /proc can only be mounted while an old
	 * one is visible, by a process of the new pid namespace. NULL = /proc stays empty. */
	int (*mount_proc)(void *ctx, int new_root);
	void *ctx;
};

/* Builds it under mount_point and pivots into it; needs an own mount namespace. *step names the
 * part that failed. 0 or -errno; -EOPNOTSUPP: a denied path that does not exist yet. */
int root_build(const struct root_plan *plan, const char **step);

/* Mounts the calling process's /proc in the root behind this descriptor. 0 or -errno. */
int root_mount_proc(int new_root);

/* Does this rule of a profile stand for a place of the session's own (/tmp, /dev/shm, /proc)? */
bool root_is_private_place(const struct path_rule *rule);
