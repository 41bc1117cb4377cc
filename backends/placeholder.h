/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placeholders: what stands on the host, for as long as a session lives, at a protected path that does
 * not exist, so that something can be mounted over it. A socket of mode 000: nobody else makes
 * one, it is born with that mark, readers fail at once, and git, ripgrep and their kin pass sockets by
 * (an empty file would be "untracked"; removing a folder costs milliseconds on some file systems).
 *
 * Each folder with placeholders also holds a FIFO of the name PLACEHOLDER_LOCK while sessions use it: they
 * hold it with a shared flock, and who gets it exclusively knows that he is alone. It is covered in
 * the sandbox, so that no program can hold it.
 */
#pragma once

#include "policy/policy.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define PLACEHOLDER_LOCK ".stile-guard"

struct placeholder_keeper {
	pid_t pid;  /* the janitor, 0 = none was needed */
	int socket; /* to it; its end of file tells the janitor that the session is over */
};

/* Is this a placeholder of ours? */
bool placeholder_is_mark(const struct stat *st);

/* Starts a janitor where the policy protects something that is missing. It makes the placeholders, and
 * removes them when launcher and warden are gone, however they went. Launcher. 0 or -errno. */
int placeholder_start(struct placeholder_keeper *k, const struct policy *p);

/* Ends the session's claim and waits until what is to be removed is removed. Idempotent. */
void placeholder_stop(struct placeholder_keeper *k);

/* Warden: waits until the placeholders stand. 0 or -errno. */
int placeholder_wait(int socket);

/* Warden: nothing is to be removed before this process, the namespace's init, has ended. 0 or -errno. */
int placeholder_outlive(int socket, pid_t init);
