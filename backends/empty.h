/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Emptying a folder that a hostile program filled. Runs in the launcher, when nothing of the run is
 * alive. Follows no symlink, crosses no mount, needs neither PATH_MAX nor recursion on the C stack nor
 * a descriptor per level; repairs mode 000 on its way down.
 */
#pragma once

#include <stddef.h>

struct empty_report {
	unsigned long removed;
	unsigned long left;    /* could not be removed (immutable, mount, …) */
	char first_left[256];  /* name of the first of them */
	int first_error;       /* its -errno */
};

/* Removes everything below dir_fd, not the folder itself. Returns 0 when empty, else -errno of the first
 * obstacle, after having removed all that can be. */
int empty_folder(int dir_fd, struct empty_report *report);
