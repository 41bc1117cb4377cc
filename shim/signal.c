/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose process is it? Where there is no pid namespace, the run's own processes are told
 * from others by descent: a process is the run's when one of its ancestors has the shim,
 * or is in our session.
 *
 * Runs inside the program: raw system calls only. It can be wrong about an orphan; the
 * scope of the walls, where there are walls, is not.
 */
#include "shim/question.h"

#include "shim/raw.h"

#include <string.h>

#define ANCESTORS_MAX 64

static bool is_in_ring(int pid)
{
	const struct ring_process *rows =
		(const void *)((const char *)shim.ring + RING_AT_PROCESSES);

	for (unsigned i = 0; i < RING_PROCESSES; i++) {
		uint32_t owner = rows[((unsigned)pid + i) % RING_PROCESSES].pid;

		if (!owner || owner == (uint32_t)pid)
			return owner;
	}
	return false;
}

static bool is_in_session(int pid)
{
	return raw_call4(SYS_getsid, pid, 0, 0, 0) == raw_call4(SYS_getsid, 0, 0, 0, 0);
}

static void name_stat(int pid, char out[32])
{
	char digits[12];
	size_t count = 0, at = 6;

	memcpy(out, "/proc/", 6);
	do
		digits[count++] = (char)('0' + pid % 10);
	while ((pid /= 10) > 0);
	while (count)
		out[at++] = digits[--count];
	memcpy(out + at, "/stat", 6);
}

/* The field behind the last ")" and the state; 0 = not known. */
static int read_parent(const char *stat, size_t length)
{
	const char *at = memrchr(stat, ')', length), *end = stat + length;
	int parent = 0;

	if (!at || end - at < 5)
		return 0;
	for (at += 4; at < end && *at >= '0' && *at <= '9'; at++)
		parent = parent * 10 + (*at - '0');
	return parent;
}

static int parent_of(int pid)
{
	char name[32], stat[256];
	long length;
	int fd;

	name_stat(pid, name);
	fd = raw_open(AT_FDCWD, name, O_RDONLY);
	if (fd < 0)
		return 0;
	length = raw_call4(SYS_read, fd, (long)stat, sizeof(stat), 0);
	raw_close(fd);
	return length > 0 ? read_parent(stat, (size_t)length) : 0;
}

/* -1 means everybody; 0 and a group mean those of our session. */
bool signal_is_own(int pid)
{
	if (pid == -1)
		return false;
	if (pid <= 0)
		return !pid || is_in_session(-pid) || signal_is_own(-pid);
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++, pid = parent_of(pid))
		if (is_in_session(pid) || is_in_ring(pid))
			return true;
	return false;
}
