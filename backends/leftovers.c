/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run N+1 sees nothing of run N: files in the session's /tmp and /dev/shm, and System V shared memory,
 * semaphores and message queues, outlive the processes that made them.
 *
 * A private place may hold mount points (the session's work folder, a project root in /tmp): the folders
 * above them are walked by name and stay; everything else is first moved into one folder and emptied
 * there, so that no folder that holds a mount is ever renamed.
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

#define TRASH ".stile-trash"

struct clearing {
	const struct leftovers *where;
	int trash;
	unsigned long moved;
	int error;
};

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

static void clear_folder(struct clearing *c, const char *path)
{
	DIR *entries = opendir(path);
	struct dirent *entry;

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

static bool is_empty_folder(const char *path)
{
	DIR *entries = opendir(path);
	struct dirent *entry;
	bool empty = true;

	while (entries && empty && (entry = readdir(entries)))
		empty = entry->d_name[0] == '.' &&
			(!entry->d_name[1] || (entry->d_name[1] == '.' && !entry->d_name[2]));
	if (entries)
		(void)closedir(entries);
	return empty;
}

static int empty_place(const struct leftovers *where, const char *path)
{
	_cleanup_fd_ int place = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct clearing c = { .where = where, .trash = -1 };
	struct empty_report report;
	_cleanup_fd_ int trash = -1;

	if (place < 0 || is_empty_folder(path))
		return 0;
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
	struct shm_info info;
	struct shmid_ds status;
	int last = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);

	for (int i = 0; i <= last; i++) {
		int id = shmctl(i, SHM_STAT, &status);

		if (id >= 0)
			(void)shmctl(id, IPC_RMID, NULL);
	}
}

static void remove_semaphores(void)
{
	struct seminfo info;
	struct semid_ds status;
	int last = semctl(0, 0, SEM_INFO, (union semaphore_argument){ .info = &info });

	for (int i = 0; i <= last; i++) {
		int id = semctl(i, 0, SEM_STAT, (union semaphore_argument){ .status = &status });

		if (id >= 0)
			(void)semctl(id, 0, IPC_RMID);
	}
}

static void remove_queues(void)
{
	struct msginfo info;
	struct msqid_ds status;
	int last = msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&info);

	for (int i = 0; i <= last; i++) {
		int id = msgctl(i, MSG_STAT, &status);

		if (id >= 0)
			(void)msgctl(id, IPC_RMID, NULL);
	}
}

int leftovers_clear(const struct leftovers *where)
{
	int r = 0, second = 0;

	if (where->own_root) {
		r = empty_place(where, "/tmp");
		second = empty_place(where, "/dev/shm");
	}
	if (where->own_ipc) {
		remove_shared_memory();
		remove_semaphores();
		remove_queues();
	}
	return r < 0 ? r : second;
}
