/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run N+1 sees nothing of run N: files in the session's /tmp and /dev/shm, and System V shared memory,
 * semaphores and message queues, outlive the processes that made them.
 *
 * A private place may hold mount points (the session's work folder, a project root in /tmp): the folders
 * above them are walked by name and stay; everything else is first moved into one folder and emptied
 * there, so that no folder that holds a mount is ever renamed. Where nothing was touched since the last
 * look, which the folders' change times tell, nothing is walked.
 *
 * Runs in the warden between runs. Must never be called outside own namespaces: it would empty the
 * host's /tmp.
 */
#include "backends/leftovers.h"

#include "backends/cleanup.h"
#include "backends/empty.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>

#define TRASH ".stile-trash"

struct clearing {
	const struct leftovers *where;
	int trash;
	unsigned long moved;
	int error;
};

/* Time stamps are as coarse as the kernel's tick: a change may bear the same one as a look before it, unless
 * the stamp was older than this by then (git's index has the same race). */
#define RACY_NS 20000000

static int64_t nanoseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* The folder's present state; false when it cannot serve to tell a change. */
static bool take_mark(const char *path, struct leftovers_mark *mark)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	mark->changed_ns = nanoseconds(&st.st_ctim);
	mark->inode = st.st_ino;
	return true;
}

static void remember(struct leftovers_seen *seen, const char *path)
{
	struct leftovers_mark *mark = &seen->marks[seen->count];
	struct timespec now;

	seen->is_whole = seen->is_whole && seen->count < LEFTOVERS_MARKS &&
			 strlen(path) < sizeof(mark->path) && take_mark(path, mark) &&
			 clock_gettime(CLOCK_REALTIME, &now) == 0 &&
			 nanoseconds(&now) - mark->changed_ns > RACY_NS;
	if (!seen->is_whole)
		return;
	snprintf(mark->path, sizeof(mark->path), "%s", path);
	seen->count++;
}

/* Whoever makes, removes or renames something changes the folder's time, which no call can set. */
static bool is_untouched(const struct leftovers_seen *seen)
{
	bool same = seen->is_whole;

	for (unsigned i = 0; same && i < seen->count; i++) {
		const struct leftovers_mark *old = &seen->marks[i];
		struct leftovers_mark now;

		same = take_mark(old->path, &now) && now.changed_ns == old->changed_ns &&
		       now.inode == old->inode;
	}
	return same;
}

static bool is_at_or_above(const char *path, const char *kept)
{
	size_t length = strlen(path);

	return strncmp(kept, path, length) == 0 && (kept[length] == '/' || !kept[length]);
}

/* Does `path` hold a mount point of ours, or is it one (*exact)? */
static bool is_kept(const struct leftovers *where, const char *path, bool *exact)
{
	bool kept = where->work && is_at_or_above(path, where->work);

	*exact = kept && strcmp(path, where->work) == 0;
	for (size_t i = 0; i < where->policy->path_count; i++) {
		const char *rule = where->policy->paths[i].path;

		if (!is_at_or_above(path, rule))
			continue;
		kept = true;
		*exact |= strcmp(path, rule) == 0;
	}
	return kept;
}

static void note(struct clearing *c, int error)
{
	if (error && !c->error)
		c->error = -error;
}

/* A folder changes its parent only where it may be written: mode 000 is repaired. */
static void move_to_trash(struct clearing *c, int folder, const char *name)
{
	char number[32];

	snprintf(number, sizeof(number), "%lu", c->moved++);
	if (renameat(folder, name, c->trash, number) == 0)
		return;
	if (fchmodat(folder, name, 0700, 0) < 0 || renameat(folder, name, c->trash, number) < 0)
		note(c, errno);
}

/* A program cannot remove a folder that holds a mount, but it may have changed its rights: they are given
 * back, so that the next run finds what this one found. */
static DIR *open_folder(const char *path)
{
	bool is_place = !strcmp(path, "/tmp") || !strcmp(path, "/dev/shm");
	mode_t mode = is_place ? 01777 : 0755;
	struct stat st;

	if (stat(path, &st) == 0 && (st.st_mode & 07777) != mode)
		(void)chmod(path, mode);
	return opendir(path);
}

static void clear_folder(struct clearing *c, const char *path)
{
	DIR *entries = open_folder(path);
	struct dirent *entry;

	if (!entries)
		note(c, errno);
	while (entries && (entry = readdir(entries))) {
		char below[PATH_MAX];
		bool exact;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    !strcmp(entry->d_name, TRASH))
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >=
		    (int)sizeof(below))
			note(c, ENAMETOOLONG);
		else if (!is_kept(c->where, below, &exact))
			move_to_trash(c, dirfd(entries), entry->d_name);
		else if (!exact)
			clear_folder(c, below);
	}
	if (entries)
		(void)closedir(entries);
}

/* Is there nothing but the folders above mount points? What was looked at goes into *seen. */
static bool is_clean(const struct leftovers *where, const char *path, struct leftovers_seen *seen)
{
	DIR *entries = open_folder(path);
	struct dirent *entry;
	bool clean = entries != NULL;

	remember(seen, path);
	while (clean && (entry = readdir(entries))) {
		char below[PATH_MAX];
		bool exact;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		clean = snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
				(int)sizeof(below) &&
			is_kept(where, below, &exact) &&
			(exact || is_clean(where, below, seen));
	}
	if (entries)
		(void)closedir(entries);
	return clean;
}

static int empty_place(const struct leftovers *where, const char *path, struct leftovers_seen *seen)
{
	struct clearing c = { .where = where, .trash = -1 };
	struct empty_report report;
	_cleanup_fd_ int place = -1, trash = -1;

	if (is_clean(where, path, seen))
		return 0;
	seen->is_whole = false;
	place = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place < 0)
		return errno == ENOENT ? 0 : -errno;
	/* A program may have put something under our name: that goes first, by itself. */
	if (mkdirat(place, TRASH, 0700) < 0 && unlinkat(place, TRASH, 0) < 0 && errno != EISDIR)
		return -errno;
	(void)mkdirat(place, TRASH, 0700);
	if (fchmodat(place, TRASH, 0700, 0) < 0)
		return -errno;
	trash = openat(place, TRASH, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (trash < 0)
		return -errno;
	c.error = empty_folder(trash, &report);
	c.trash = trash;
	clear_folder(&c, path);
	note(&c, -empty_folder(trash, &report));
	(void)unlinkat(place, TRASH, AT_REMOVEDIR);
	return c.error;
}

/* glibc wants this union from its caller. */
union semaphore_argument {
	int value;
	struct semid_ds *status;
	struct seminfo *info;
};

static void remove_shared_memory(void)
{
	struct shm_info info = { 0 };
	struct shmid_ds status;
	int last = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);

	for (int i = 0; info.used_ids && i <= last; i++) {
		int id = shmctl(i, SHM_STAT, &status);

		if (id >= 0)
			(void)shmctl(id, IPC_RMID, NULL);
	}
}

static void remove_semaphores(void)
{
	struct seminfo info = { 0 };
	struct semid_ds status;
	int last = semctl(0, 0, SEM_INFO, (union semaphore_argument){ .info = &info });

	/* SEM_INFO puts the number of sets into semusz. */
	for (int i = 0; info.semusz && i <= last; i++) {
		int id = semctl(i, 0, SEM_STAT, (union semaphore_argument){ .status = &status });

		if (id >= 0)
			(void)semctl(id, 0, IPC_RMID);
	}
}

static void remove_queues(void)
{
	struct msginfo info = { 0 };
	struct msqid_ds status;
	int last = msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&info);

	/* MSG_INFO puts the number of queues into msgpool. */
	for (int i = 0; info.msgpool && i <= last; i++) {
		int id = msgctl(i, MSG_STAT, &status);

		if (id >= 0)
			(void)msgctl(id, IPC_RMID, NULL);
	}
}

int leftovers_clear(const struct leftovers *where, struct leftovers_seen *seen)
{
	int r = 0, second = 0;

	if (where->own_root && !is_untouched(seen)) {
		*seen = (struct leftovers_seen){ .is_whole = true };
		r = empty_place(where, "/tmp", seen);
		second = empty_place(where, "/dev/shm", seen);
	}
	if (where->own_ipc) {
		remove_shared_memory();
		remove_semaphores();
		remove_queues();
	}
	return r < 0 ? r : second;
}
