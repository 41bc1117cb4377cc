/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening a file that the caller names and we read whole. Runs in the launcher, before any clock runs: it
 * must never wait, as open() does for the other end of a FIFO.
 */
#include "policy/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static const struct kind_row {
	mode_t type;
	const char *name, *why;
} kind_rows[] = {
	{ S_IFDIR, "a folder", "is a folder, where a file is expected" },
	{ S_IFIFO, "a FIFO", "is a FIFO, where a file is expected" },
	{ S_IFCHR, "a device", "is a device, where a file is expected" },
	{ S_IFBLK, "a device", "is a device, where a file is expected" },
	{ S_IFSOCK, "a socket", "is a socket, where a file is expected" },
	{ .name = NULL },
};

static const struct kind_row *find_kind(mode_t mode)
{
	const struct kind_row *row = kind_rows;

	while (row->name && row->type != (mode & S_IFMT))
		row++;
	return row;
}

const char *input_file_kind(mode_t mode)
{
	return find_kind(mode)->name;
}

/* A pipe without a name: whoever passes it to us holds its other end. */
static bool is_held_pipe(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

static int fail(int fd, int error, const char *text, const char **why)
{
	if (fd >= 0)
		(void)close(fd);
	*why = text;
	return error;
}

int input_file_open(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error = errno;
	const struct kind_row *kind;
	struct stat st;

	/* A socket cannot be opened at all: its kind says more than ENXIO. */
	if ((fd >= 0 ? fstat(fd, &st) : stat(path, &st)) < 0)
		return fail(fd, -(fd < 0 ? error : errno), strerror(fd < 0 ? error : errno), why);
	kind = find_kind(st.st_mode);
	if (fd < 0 && (error != ENXIO || !kind->why))
		return fail(fd, -error, strerror(error), why);
	if (kind->why && !(fd >= 0 && S_ISFIFO(st.st_mode) && is_held_pipe(fd)))
		return fail(fd, -EINVAL, kind->why, why);
	(void)fcntl(fd, F_SETFL, 0);
	return fd;
}
