/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The root the program sees: a new mount tree in which only the policy's paths exist.
 */
#pragma once

#include "backends/room.h"
#include "backends/rule_tree.h"
#include "policy/policy.h"

#include <stdbool.h>

struct root_plan {
	const struct policy *policy;
	const char *mount_point; /* a folder nobody else uses */
	const char *work;        /* bound read-write */
	/* Called once all stands but before the pivot: a new /proc can only be mounted while an old
	 * one is visible, by a process of the new pid namespace. NULL = /proc stays empty. */
	int (*mount_proc)(void *ctx, int new_root);
	/* Called when all else stands; what it cannot do it tells by itself. NULL = no room for the shim. */
	void (*make_room)(void *ctx, int new_root);
	void *ctx;
	/* A room that is a folder of the host: bound too, writable only in its ring. NULL = none. */
	const struct room_plan *room;
};

/* Builds it under mount_point and pivots into it; needs an own mount namespace. *step names the
 * part that failed. 0 or -errno; -ELOOP: a path of the policy has become a link. */
int root_build(const struct root_plan *plan, const char **step);

/* Does the policy grant the host's own "/"? Then nothing new can stand in it. */
bool root_is_hosts(const struct policy *policy);

/* Mounts the calling process's /proc in the root behind this descriptor. 0 or -errno. */
int root_mount_proc(int new_root);

/* The same question by its older name. */
static inline bool root_is_private_place(const struct path_rule *rule)
{
	return rule_is_private_place(rule);
}
