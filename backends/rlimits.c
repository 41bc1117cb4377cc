/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * setrlimit(2) for a run. Runs in the program's child; a limit that cannot be set is an error, but for
 * one that is already lower: the caller's own limits are never raised past what he has.
 */
#include "backends/rlimits.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

/* Init and warden share the program's user id in the session's user namespace. */
#define HOUSE_PROCESSES 2

static int set_one(int which, uint64_t soft, uint64_t hard)
{
	struct rlimit now, want = { .rlim_cur = soft, .rlim_max = hard };

	if (getrlimit((__rlimit_resource_t)which, &now) < 0)
		return -errno;
	if (want.rlim_max > now.rlim_max)
		want.rlim_max = now.rlim_max;
	if (want.rlim_cur > want.rlim_max)
		want.rlim_cur = want.rlim_max;
	if (want.rlim_cur == now.rlim_cur && want.rlim_max == now.rlim_max)
		return 0;
	return setrlimit((__rlimit_resource_t)which, &want) < 0 ? -errno : 0;
}

uint64_t rlimits_cpu_seconds(const struct limits *limits)
{
	if (limits->cpu_ms != LIMIT_NONE)
		return (limits->cpu_ms + 999) / 1000;
	if (limits->wall_ms == LIMIT_NONE)
		return LIMIT_NONE;
	return (2 * limits->wall_ms + 999) / 1000 + 1;
}

static int set_cpu(const struct limits *limits)
{
	uint64_t seconds = rlimits_cpu_seconds(limits);

	if (seconds == LIMIT_NONE)
		return 0;
	if (seconds == 0)
		seconds = 1; /* 0 would mean "kill at the next tick": the clock does that better */
	return set_one(RLIMIT_CPU, seconds, seconds + 1);
}

int rlimits_set(const struct limits *limits, int memory, bool processes)
{
	const struct {
		int which;
		uint64_t value;
	} rows[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_RTPRIO, 0 },
		{ RLIMIT_MSGQUEUE, 0 },
		{ RLIMIT_NOFILE, limits->open_files },
		{ RLIMIT_FSIZE, limits->file_bytes },
		{ RLIMIT_STACK, limits->stack_bytes },
		{ memory, memory < 0 ? LIMIT_NONE : limits->memory_bytes },
		{ RLIMIT_NPROC, processes && limits->processes != LIMIT_NONE ?
					limits->processes + HOUSE_PROCESSES :
					LIMIT_NONE },
	};
	int r = set_cpu(limits);

	for (size_t i = 0; r == 0 && i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].value != LIMIT_NONE)
			r = set_one(rows[i].which, rows[i].value, rows[i].value);
	return r;
}
