/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths as the kernel sees them: from a folder's descriptor, through symlinks and "..",
 * with a last component that may be missing. System calls only, no allocation, safe in a
 * signal handler.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum resolve_flag {
	RESOLVE_NOFOLLOW = 1 << 0, /* a symlink as the last component stays itself */
	RESOLVE_EMPTY = 1 << 1	   /* "" is the descriptor itself */
};

/* One path being resolved. */
struct resolved {
	char path[PATH_MAX]; /* absolute, normal */
	bool exists;
};

/*
 * Resolves `path`, taken from the folder `dir` (or AT_FDCWD). 0, or -errno: -EFAULT where
 * the pointer cannot be read, -EBADF, -ENOTDIR, -ELOOP, -ENAMETOOLONG as the kernel has
 * them; -ENODATA when it leads to what has no path (a pipe, a socket, memory, a removed
 * file). Missing components are taken by their names.
 */
int resolve_path(int dir, const char *path, unsigned flags, struct resolved *out);

/* The same without asking the kernel for the whole path: one readlink a component.
 * resolve_path()'s fallback where no descriptor is left or /proc is not there; `path`
 * must be readable. */
int resolve_by_walking(int dir, const char *path, unsigned flags, struct resolved *out);

/* The path of an open descriptor, or AT_FDCWD. 0 or -errno as above. */
int resolve_fd(int fd, struct resolved *out);
