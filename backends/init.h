/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The init of a session's pid namespace: reaps orphans, and kills everything when told.
 * Started from the warden as process 1; undumpable, without rights, holding two pipe ends.
 */
#pragma once

#include "backends/init_loop.h"

#include <stdbool.h>
#include <sys/types.h>

struct init {
	pid_t pid; /* -1 = none */
	int order, report;
	int children; /* the kernel's list of its children, -1 = not to be had */
};

/* Starts it (the caller's pid_for_children must be a fresh namespace). new_root: mounts /proc there,
 * -1 = not. 0 or -errno. */
int init_start(struct init *init, int new_root);

/* Had it no child since the last order? Asked when the program, whose parent is outside, is reaped: all that
 * it left alive is then below init, as its child or a child's child. Spares waking init. */
bool init_has_nothing(const struct init *init);

/* Kills every other process of the namespace and waits until none is left. 0 or -errno. */
int init_kill_all(struct init *init, struct init_report *report);
