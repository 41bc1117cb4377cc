/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The room: what the shim finds in front of it. The frozen policy (read-only), the ring (a file of bounded
 * size that the program's processes and the launcher share), and the library itself.
 */
#pragma once

#include "backends/landlock.h"
#include "policy/block.h"

#include <stddef.h>

struct room_plan {
	const char *shim;                 /* the library's file on the host, absolute */
	const struct policy_block *block; /* what the policy file holds */
	const char *folder;               /* the room as a folder of the session; NULL = in the new root */
};

/* A room that stands. Zeroes are no room: use ROOM_NONE. */
struct room {
	int folder; /* O_PATH */
	int ring;   /* O_RDWR */
	int shim;   /* O_PATH of the library; -1 = it is within the folder */
};
#define ROOM_NONE ((struct room){ -1, -1, -1 })

/*
 * In a root that is being built: a small file system at RING_ROOM, read-only but for the ring. Runs in the
 * warden, before the pivot. 0 or -errno, *step naming the part that failed; then *room holds
 * nothing, and what was mounted stays, of no use to anybody.
 */
int room_build(int new_root, const struct room_plan *plan, struct room *room, const char **step);

/* Where there is no root of our own: plain files in plan->folder, which is made. Runs in the launcher.
 * Returns the ring's descriptor or -errno. */
int room_make(const struct room_plan *plan);

/* Opens what room_make() made, where the walls leave it. 0 or -errno. */
int room_open(const struct room_plan *plan, struct room *room);

/* Lets a Landlock domain read the room, and write the ring in its place. 0 or -errno. */
int room_grant(int ruleset, const struct landlock_set *set, const struct room *room);

/* Closes; idempotent. */
void room_close(struct room *room);
