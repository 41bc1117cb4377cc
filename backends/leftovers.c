/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run N+1 sees nothing of run N: files in the session's /tmp and /dev/shm, and System V shared memory,
 * semaphores and message queues, outlive the processes that made them.
 *
 * Runs in the warden between runs. Must never be called outside own namespaces: it would empty the
 * host's /tmp. Mounts below (the session's work folder, a root in /tmp) are not crossed.
 */
#include "backends/leftovers.h"

#include "backends/cleanup.h"
#include "backends/empty.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static void empty_place(const char *path)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct empty_report report;

	if (fd >= 0)
		(void)empty_folder(fd, &report);
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

void leftovers_clear(bool own_root, bool own_ipc)
{
	if (own_root) {
		empty_place("/tmp");
		empty_place("/dev/shm");
	}
	if (own_ipc) {
		remove_shared_memory();
		remove_semaphores();
		remove_queues();
	}
}
