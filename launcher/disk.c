/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watching the bytes and inodes of a run folder. The walk is cut into ticks: each looks at so many
 * entries and the next goes on where it stopped, so that a program with a million files costs the
 * launcher no more than one with ten. It follows no symlink and crosses no mount.
 *
 * Runs in the launcher. A folder too deep to follow counts as over the limit: a depth nobody needs
 * must not be a place to hide in.
 */
#include "launcher/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 512u /* what st_blocks counts in, whatever the file system's own is */

void disk_watch_begin(struct disk_watch *d, int root)
{
	*d = (struct disk_watch){ .root = root };
}

void disk_watch_end(struct disk_watch *d)
{
	while (d->depth)
		(void)closedir(d->open[--d->depth]);
}

static void enter(struct disk_watch *d, int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir)
		d->open[d->depth++] = dir;
	else if (fd >= 0)
		(void)close(fd);
}

static void count(struct disk_watch *d, int parent, const char *name)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	d->inodes++;
	d->bytes += (uint64_t)st.st_blocks * BLOCK;
	if (!S_ISDIR(st.st_mode))
		return;
	if (d->depth == DISK_DEPTH)
		d->too_deep = true;
	else
		enter(d, parent, name);
}

static void begin_walk(struct disk_watch *d)
{
	d->bytes = d->inodes = 0;
	d->too_deep = false;
	enter(d, d->root, ".");
}

/* The house's own files (the run folder, its tmp and the script) count with the rest: they are few. */
bool disk_watch_look(struct disk_watch *d, unsigned entries, uint64_t bytes, uint64_t inodes)
{
	if (!d->depth)
		begin_walk(d);
	while (d->depth && entries) {
		DIR *dir = d->open[d->depth - 1];
		struct dirent *entry = readdir(dir);

		if (!entry) {
			(void)closedir(dir);
			d->depth--;
			continue;
		}
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		entries--;
		count(d, dirfd(dir), entry->d_name);
		if (d->bytes > bytes || d->inodes > inodes || d->too_deep)
			return true;
	}
	return false;
}
