/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Emptying a folder that a hostile program filled. Runs in the launcher, when nothing of the run is
 * alive.
 *
 * Depth is defeated by hoisting: a folder that is not empty is never descended into further than one
 * level; its own subfolders are renamed up into the root under numbered names and emptied from there,
 * one after the other. So two descriptors and a few kilobytes do for a tree of any depth and width,
 * and no path is ever longer than one component. Where a folder cannot be moved (immutable, a full
 * disk), it is emptied in place, to a fixed depth.
 *
 * It must never follow a symlink, cross a mount, open anything but a folder, or loop without progress.
 */
#include "backends/empty.h"

#include "backends/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_PLACE_MAX = 12, ENTRIES_SIZE = 8192, HOIST_NAME_MAX = 32 };

struct emptying {
	int root;                 /* what is emptied, and where deep folders are hoisted to */
	unsigned depth;           /* of folders emptied in place around this one */
	uint64_t mount;           /* statx's mount id of root; 0 = the kernel does not say */
	uint32_t major, minor;    /* the device of root */
	unsigned long hoisted;    /* hoist names given out */
	unsigned long drained;    /* of them, looked at again */
	bool progress;            /* something was removed or moved in this cycle */
	struct empty_report *report;
};

typedef void (*entry_handler)(struct emptying *e, int parent, const char *name, bool is_folder);

static int empty_tree(struct emptying *e);

static void note_removed(struct emptying *e)
{
	e->report->removed++;
	e->progress = true;
}

static void note_left(struct emptying *e, const char *name, int error)
{
	struct empty_report *report = e->report;

	if (report->left++ > 0)
		return;
	report->first_error = error;
	(void)snprintf(report->first_left, sizeof(report->first_left), "%s", name);
}

static bool is_same_mount(const struct emptying *e, const struct statx *st)
{
	if (st->stx_dev_major != e->major || st->stx_dev_minor != e->minor)
		return false;
	return !e->mount || !(st->stx_mask & STATX_MNT_ID) || st->stx_mnt_id == e->mount;
}

static int look_at_folder(int fd, struct statx *st)
{
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MODE | STATX_MNT_ID, st) < 0)
		return -errno;
	/* Without x on it nothing below can be named, without w nothing removed. */
	if ((st->stx_mode & 0700) != 0700)
		(void)fchmod(fd, (st->stx_mode & 0777) | 0700);
	return 0;
}

/* By name, for a folder that cannot be opened. The second form is for hosts without /proc; it would
 * follow a symlink, hence the look; nothing is alive that could swap it in between. */
static int repair_mode(int parent, const char *name)
{
	struct stat st;

	if (fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return fchmodat(parent, name, 0700, 0) < 0 ? -errno : 0;
}

/* The folder `name` opened for emptying, or -errno; -EXDEV when it is another mount's. */
static int open_below(const struct emptying *e, int parent, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_fd_ int fd = openat(parent, name, flags);
	struct statx st;
	int r;

	if (fd < 0 && errno == EACCES && repair_mode(parent, name) == 0)
		fd = openat(parent, name, flags);
	if (fd < 0)
		return -errno;
	r = look_at_folder(fd, &st);
	if (r < 0)
		return r;
	if (!is_same_mount(e, &st))
		return -EXDEV;
	return take_fd(&fd);
}

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int walk_entries(struct emptying *e, int fd, entry_handler handle)
{
	char buffer[ENTRIES_SIZE] __attribute__((aligned(__alignof__(struct dirent64))));
	ssize_t size;

	while ((size = getdents64(fd, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (const void *)(buffer + at);

			at += entry->d_reclen;
			if (!is_dot(entry->d_name))
				handle(e, fd, entry->d_name, entry->d_type == DT_DIR);
		}
	}
	return size < 0 ? -errno : 0;
}

/* One attempt without opening anything: 0, or -errno; *is_folder is put right. */
static int remove_plain(int parent, const char *name, bool *is_folder)
{
	if (!*is_folder) {
		if (unlinkat(parent, name, 0) == 0)
			return 0;
		if (errno != EISDIR)
			return -errno;
		*is_folder = true;
	}
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
		return 0;
	if (errno != ENOTDIR)
		return -errno;
	*is_folder = false;
	return unlinkat(parent, name, 0) < 0 ? -errno : 0;
}

/* True when that settled it: removed, gone, or not to be removed. */
static bool try_plain(struct emptying *e, int parent, const char *name, bool is_folder)
{
	int r = remove_plain(parent, name, &is_folder);

	if (r == 0) {
		note_removed(e);
		return true;
	}
	if (r == -ENOENT)
		return true;
	if (is_folder && r != -EBUSY)
		return false;
	note_left(e, name, r);
	return true;
}

/* `left` is what had resisted before the folder was emptied: what is inside is not counted twice. */
static void remove_emptied(struct emptying *e, int parent, const char *name, unsigned long left)
{
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
		note_removed(e);
	else if (errno != ENOENT && e->report->left == left)
		note_left(e, name, -errno);
}

static void merge_report(struct emptying *e, const struct empty_report *inner)
{
	e->report->removed += inner->removed;
	e->progress |= inner->removed > 0;
	if (!inner->left)
		return;
	note_left(e, inner->first_left, inner->first_error);
	e->report->left += inner->left - 1;
}

/* For a folder that cannot be hoisted: emptied where it is, as a root of its own. */
static void empty_in_place(struct emptying *e, int parent, const char *name, int why)
{
	struct empty_report report = { 0 };
	struct emptying inner = { .depth = e->depth + 1, .report = &report };
	unsigned long left = e->report->left;
	_cleanup_fd_ int fd = -1;

	if (inner.depth > IN_PLACE_MAX) {
		note_left(e, name, why);
		return;
	}
	fd = open_below(e, parent, name);
	if (fd < 0) {
		note_left(e, name, fd);
		return;
	}
	inner.root = fd;
	(void)empty_tree(&inner);
	merge_report(e, &report);
	remove_emptied(e, parent, name, left);
}

static void name_hoisted(unsigned long number, char out[HOIST_NAME_MAX])
{
	(void)snprintf(out, HOIST_NAME_MAX, ".e-%lx", number);
}

/* A number is skipped when the program has used the name; the entry is then looked at once more
 * when the numbers are drained, which does no harm. */
static int hoist(struct emptying *e, int parent, const char *name)
{
	char to[HOIST_NAME_MAX];
	bool repaired = false;

	for (;;) {
		name_hoisted(e->hoisted, to);
		if (renameat(parent, name, e->root, to) == 0)
			break;
		if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR) {
			e->hoisted++;
		} else if (errno == EACCES && !repaired) {
			/* Moving a folder writes its "..", so it must be writable itself. */
			repaired = true;
			(void)repair_mode(parent, name);
		} else {
			return -errno;
		}
	}
	e->hoisted++;
	e->progress = true;
	return 0;
}

static void handle_inner(struct emptying *e, int parent, const char *name, bool is_folder)
{
	int r;

	if (try_plain(e, parent, name, is_folder))
		return;
	r = hoist(e, parent, name);
	if (r < 0 && r != -ENOENT)
		empty_in_place(e, parent, name, r);
}

static void handle_top(struct emptying *e, int parent, const char *name, bool is_folder)
{
	unsigned long left = e->report->left;
	_cleanup_fd_ int fd = -1;
	int r;

	if (try_plain(e, parent, name, is_folder))
		return;
	fd = open_below(e, parent, name);
	if (fd < 0) {
		note_left(e, name, fd);
		return;
	}
	r = walk_entries(e, fd, handle_inner);
	if (r < 0)
		note_left(e, name, r);
	remove_emptied(e, parent, name, left);
}

static void drain_hoisted(struct emptying *e)
{
	char name[HOIST_NAME_MAX];

	while (e->drained < e->hoisted) {
		name_hoisted(e->drained++, name);
		handle_top(e, e->root, name, true);
	}
}

/* What resists is counted anew each time, so that the last cycle, which changed nothing, tells the
 * truth. Cycles also make up for file systems whose listing skips entries while others go. */
static void run_cycle(struct emptying *e)
{
	int r;

	e->progress = false;
	e->report->left = 0;
	e->report->first_error = 0;
	e->report->first_left[0] = '\0';
	(void)lseek(e->root, 0, SEEK_SET);
	r = walk_entries(e, e->root, handle_top);
	if (r < 0)
		note_left(e, ".", r);
	drain_hoisted(e);
}

static int empty_tree(struct emptying *e)
{
	struct statx st;
	int r = look_at_folder(e->root, &st);

	if (r < 0) {
		note_left(e, ".", r);
		return r;
	}
	e->major = st.stx_dev_major;
	e->minor = st.stx_dev_minor;
	e->mount = st.stx_mask & STATX_MNT_ID ? st.stx_mnt_id : 0;
	do {
		run_cycle(e);
	} while (e->progress);
	return e->report->left ? e->report->first_error : 0;
}

int empty_folder(int dir_fd, struct empty_report *report)
{
	struct emptying e = { .root = dir_fd, .report = report };

	memset(report, 0, sizeof(*report));
	return empty_tree(&e);
}
