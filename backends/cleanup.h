/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cleanup attributes: a resource is released where its scope ends. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_file(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define _cleanup_fd_ __attribute__((cleanup(cleanup_fd)))
#define _cleanup_free_ __attribute__((cleanup(cleanup_free)))
#define _cleanup_file_ __attribute__((cleanup(cleanup_file)))
