/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Making the room of the shim. In a root of our own it is a file system of bounded size at RING_ROOM,
 * read-only but for the ring, so that no run can leave anything there for the next but what it
 * scribbled into the ring, which the launcher empties. Without one it is a folder of the session,
 * and Landlock alone keeps the policy and the library from being written.
 *
 * Runs in the warden before the pivot (room_build), or in the launcher (room_make). It is on the way
 * of every session's start: each system call here is paid by every `stile run`. Must never let
 * the program write anything but the ring, nor make the ring larger.
 */
#include "backends/room.h"

#include "backends/cleanup.h"
#include "backends/sys.h"
#include "policy/policy.h"
#include "shim/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* The root of the file system, the policy, the ring and the library's place; the kernel wants some. */
#define ROOM_INODES 8
#define ROOM_SPARE (8 * 4096)

static int write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int put_policy(int folder, const struct policy_block *block)
{
	_cleanup_fd_ int fd = openat(folder, RING_POLICY_NAME,
				     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);

	return fd < 0 ? -errno : write_all(fd, block, block->size);
}

/* Opened for the launcher too. Descriptor or -errno. */
static int open_ring(int folder, int how)
{
	_cleanup_fd_ int fd = openat(folder, RING_FILE_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC | how,
				     0600);

	if (fd < 0 || ftruncate(fd, (off_t)RING_BYTES) < 0)
		return -errno;
	return take_fd(&fd);
}

/* --- in a root of our own ---------------------------------------------------------------------- */

static int mount_room(int new_root, const struct room_plan *plan)
{
	char target[64], options[96];
	int fd;

	if (mkdirat(new_root, &RING_ROOM[1], 0755) < 0)
		return -errno;
	snprintf(target, sizeof(target), "/proc/self/fd/%d" RING_ROOM, new_root);
	snprintf(options, sizeof(options), "mode=0755,nr_inodes=%d,size=%zu", ROOM_INODES,
		 RING_BYTES + (size_t)plan->block->size + ROOM_SPARE);
	if (mount("stile", target, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
		return -errno;
	fd = openat(new_root, &RING_ROOM[1], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Mounted over itself, it stays writable when the room around it no longer is; opened only then, for an open
 * writer would keep the room from becoming read-only. */
static int place_ring(int folder)
{
	_cleanup_fd_ int tree = -1;

	if (mknodat(folder, RING_FILE_NAME, S_IFREG | 0600, 0) < 0)
		return -errno;
	tree = sys_open_tree(folder, RING_FILE_NAME, SYS_OPEN_TREE_CLONE | SYS_OPEN_TREE_CLOEXEC);
	if (tree < 0 || sys_move_mount(tree, folder, RING_FILE_NAME) < 0)
		return -errno;
	return open_ring(folder, 0);
}

/* The host's own file, so that its pages are shared with every other run. */
static int place_shim(int folder, const char *shim)
{
	struct sys_mount_attr attr = { .attr_set = SYS_MOUNT_ATTR_RDONLY | SYS_MOUNT_ATTR_NOSUID |
						   SYS_MOUNT_ATTR_NODEV };
	_cleanup_fd_ int tree = sys_open_tree(AT_FDCWD, shim,
					      SYS_OPEN_TREE_CLONE | SYS_OPEN_TREE_CLOEXEC);

	if (tree < 0 || sys_mount_setattr(tree, 0, &attr) < 0)
		return -errno;
	if (mknodat(folder, RING_SHIM_NAME, S_IFREG | 0444, 0) < 0 ||
	    sys_move_mount(tree, folder, RING_SHIM_NAME) < 0)
		return -errno;
	return 0;
}

static int seal(int folder)
{
	struct sys_mount_attr attr = { .attr_set = SYS_MOUNT_ATTR_RDONLY };

	return sys_mount_setattr(folder, 0, &attr) < 0 ? -errno : 0;
}

int room_build(int new_root, const struct room_plan *plan, struct room *room, const char **step)
{
	int r;

	*room = ROOM_NONE;
	*step = "the shim's room";
	r = room->folder = mount_room(new_root, plan);
	if (r >= 0)
		r = put_policy(room->folder, plan->block);
	if (r == 0) {
		*step = "the shim's library";
		r = place_shim(room->folder, plan->shim);
	}
	if (r == 0) {
		*step = "the shim's ring";
		r = room->ring = place_ring(room->folder);
	}
	if (r >= 0)
		r = seal(room->folder);
	if (r < 0)
		room_close(room);
	return r < 0 ? r : 0;
}

/* --- as a folder ------------------------------------------------------------------------------- */

int room_make(const struct room_plan *plan)
{
	_cleanup_fd_ int folder = -1;
	int r;

	if (mkdir(plan->folder, 0700) < 0)
		return -errno;
	folder = open(plan->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	if (symlinkat(plan->shim, folder, RING_SHIM_NAME) < 0)
		return -errno;
	r = put_policy(folder, plan->block);
	return r < 0 ? r : open_ring(folder, O_CREAT | O_EXCL);
}

int room_open(const struct room_plan *plan, struct room *room)
{
	int r;

	*room = ROOM_NONE;
	room->folder = open(plan->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	room->ring = openat(room->folder, RING_FILE_NAME, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	room->shim = open(plan->shim, O_PATH | O_CLOEXEC);
	if (room->folder >= 0 && room->ring >= 0 && room->shim >= 0)
		return 0;
	r = -errno;
	room_close(room);
	return r;
}

/* --- both -------------------------------------------------------------------------------------- */

int room_grant(int ruleset, const struct landlock_set *set, const struct room *room)
{
	int r = landlock_grant(ruleset, set, room->folder, PATH_READ);

	if (r == 0)
		r = landlock_grant_in_place(ruleset, set, room->ring);
	if (r == 0 && room->shim >= 0)
		r = landlock_grant(ruleset, set, room->shim, PATH_READ);
	return r;
}

void room_close(struct room *room)
{
	cleanup_fd(&room->folder);
	cleanup_fd(&room->ring);
	cleanup_fd(&room->shim);
	*room = ROOM_NONE;
}
