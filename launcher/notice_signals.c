/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judging signals: they stay among the run's own processes. Who gets one stands in a register, so no
 * program can change it after it was judged.
 *
 * Runs in the launcher's loop.
 */
#include "launcher/notice_parts.h"

#include "backends/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GENERATIONS_MAX 128

/* One number out of a file of /proc, behind `key`; 0 = not there. */
static pid_t read_number(const char *path, const char *key)
{
	char text[2048];
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (n <= 0)
		return 0;
	text[n] = 0;
	at = strstr(text, key);
	return at ? (pid_t)strtol(at + strlen(key), NULL, 10) : 0;
}

/* A process or thread of the launcher's numbers, below the warden? */
static bool is_below(pid_t pid, pid_t warden)
{
	char path[64];

	for (int i = 0; i < GENERATIONS_MAX && pid > 1; i++) {
		snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
		pid = read_number(path, "\nPPid:");
		if (pid == warden)
			return true;
	}
	return false;
}

/* Numbers mean the same inside and outside. All of the user's but the warden's own (kill -1) are everybody. */
static bool is_own_among_all(const struct notices *n, pid_t pid)
{
	char path[64];

	if (pid == 0)
		return true;
	if (pid == -1)
		return n->ground.scopes_signals;
	pid = pid < 0 ? -pid : pid;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	/* Nobody has this number: the kernel says so. Of a group without its leader it knows more. */
	return access(path, F_OK) < 0 || is_below(pid, n->ground.warden);
}

/* In a namespace of its own the program can name only one that is not the run's: init. */
static bool is_own(const struct notices *n, pid_t pid)
{
	if (!n->ground.has_own_pids)
		return is_own_among_all(n, pid);
	return n->call->kind == NOTIFY_PIDFD || pid != 1;
}

/* The program's /proc knows its namespace; without one there is one process only. */
static bool is_inside(const struct notices *n, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root/proc/%d", (int)n->now.tid, (int)pid);
	if (access(path, F_OK) == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/root/proc/1", (int)n->now.tid);
	return access(path, F_OK) < 0 && pid == notice_find_pid(n);
}

/* Not a thread of the kernel: those have no program and are nobody's aim. */
static bool is_outside(pid_t pid)
{
	char path[64], ignored;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, &ignored, 1) >= 0 || errno == EACCES;
}

/* A number that only the host has: the kernel will find nobody, and the program meant somebody. */
static bool is_aimed_outside(const struct notices *n, pid_t pid)
{
	return n->ground.has_own_pids && n->call->kind == NOTIFY_SIGNAL && pid > 1 &&
	       !is_inside(n, pid) && is_outside(pid);
}

static pid_t read_target(const struct notices *n)
{
	int value = (int)n->now.data.args[n->call->argument];
	char path[64];

	if (n->call->kind == NOTIFY_SIGNAL)
		return value;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)n->now.tid, value);
	return read_number(path, "\nPid:");
}

int notice_judge_signal(struct notices *n)
{
	pid_t pid = read_target(n);
	bool is_aimed = is_aimed_outside(n, pid);
	struct verdict verdict;

	snprintf(n->target, sizeof(n->target), "pid %d", (int)pid);
	policy_decide_signal(n->ground.block, !is_aimed && is_own(n, pid), n->target, &n->text,
			     &verdict);
	if (verdict.action == ACTION_ALLOW)
		return 0;
	notice_tell(n, is_aimed ? LAYER_NAMESPACE : LAYER_SECCOMP, &verdict,
		    is_aimed ? ESRCH : EPERM);
	return is_aimed ? 0 : EPERM;
}
