/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limits of a run as rlimits: set in a child, which tells what it then has. */
#include "backends/rlimits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What a child has of `which` after it set the limits; where `before` is given, it first had that. */
static struct rlimit limit_after(const struct limits *limits, int memory, int which,
				 const struct rlimit *before)
{
	struct rlimit seen = { 0 };
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		if (before && setrlimit((__rlimit_resource_t)which, before) < 0)
			_exit(2);
		if (rlimits_set(limits, memory, true) < 0 ||
		    getrlimit((__rlimit_resource_t)which, &seen) < 0)
			_exit(1);
		_exit(write(ends[1], &seen, sizeof(seen)) != sizeof(seen));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &seen, sizeof(seen)), sizeof(seen));
	assert_int_equal(close(ends[0]) | close(ends[1]), 0);
	return seen;
}

static void assert_limit(struct rlimit seen, uint64_t soft, uint64_t hard)
{
	assert_int_equal(seen.rlim_cur, soft);
	assert_int_equal(seen.rlim_max, hard);
}

static void the_clock_gives_the_cpu_limit_where_none_is_asked(void **state)
{
	struct limits limits = limits_default();

	(void)state;
	limits.wall_ms = 30000;
	assert_int_equal(rlimits_cpu_seconds(&limits), 61);
	limits.wall_ms = 300;
	assert_int_equal(rlimits_cpu_seconds(&limits), 2);
	limits.wall_ms = LIMIT_NONE;
	assert_int_equal(rlimits_cpu_seconds(&limits), LIMIT_NONE);
}

static void a_part_of_a_second_is_a_second(void **state)
{
	struct limits limits = limits_default();

	(void)state;
	limits.cpu_ms = 1001;
	assert_int_equal(rlimits_cpu_seconds(&limits), 2);
	limits.cpu_ms = 1;
	assert_int_equal(rlimits_cpu_seconds(&limits), 1);
}

static void the_hard_cpu_limit_is_a_second_later(void **state)
{
	struct limits limits = limits_default();

	(void)state;
	limits.cpu_ms = 7000;
	assert_limit(limit_after(&limits, -1, RLIMIT_CPU, NULL), 7, 8);
	limits.cpu_ms = 0;
	assert_limit(limit_after(&limits, -1, RLIMIT_CPU, NULL), 1, 2);
}

static void soft_and_hard_are_the_same(void **state)
{
	struct limits limits = limits_default();

	(void)state;
	limits.open_files = 40;
	limits.file_bytes = 123456;
	assert_limit(limit_after(&limits, -1, RLIMIT_NOFILE, NULL), 40, 40);
	assert_limit(limit_after(&limits, -1, RLIMIT_FSIZE, NULL), 123456, 123456);
}

static void memory_is_the_kind_the_caller_names(void **state)
{
	struct limits limits = limits_default();

	(void)state;
	limits.memory_bytes = 512u << 20;
	assert_limit(limit_after(&limits, RLIMIT_AS, RLIMIT_AS, NULL), 512u << 20, 512u << 20);
	assert_limit(limit_after(&limits, RLIMIT_DATA, RLIMIT_DATA, NULL), 512u << 20, 512u << 20);
	assert_int_equal(limit_after(&limits, -1, RLIMIT_AS, NULL).rlim_cur, RLIM_INFINITY);
}

static void warden_and_init_have_room_beside_the_program(void **state)
{
	struct limits limits = limits_default();
	struct rlimit seen;

	(void)state;
	limits.processes = 5;
	seen = limit_after(&limits, -1, RLIMIT_NPROC, NULL);
	assert_true(seen.rlim_cur > 5);
	assert_true(seen.rlim_cur <= 8);
}

static void no_core_and_no_real_time_ever(void **state)
{
	struct limits limits = limits_default();

	(void)state;
	assert_limit(limit_after(&limits, -1, RLIMIT_CORE, NULL), 0, 0);
	assert_limit(limit_after(&limits, -1, RLIMIT_RTPRIO, NULL), 0, 0);
}

static void what_the_caller_has_is_never_raised(void **state)
{
	const struct rlimit few = { 20, 30 };
	struct limits limits = limits_default();

	(void)state;
	limits.open_files = 1000;
	assert_limit(limit_after(&limits, -1, RLIMIT_NOFILE, &few), 30, 30);
}

static void what_is_not_limited_stays_as_it_is(void **state)
{
	const struct rlimit files = { 50, 60 };
	struct limits limits = limits_default();

	(void)state;
	assert_limit(limit_after(&limits, -1, RLIMIT_NOFILE, &files), 50, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_gives_the_cpu_limit_where_none_is_asked),
		cmocka_unit_test(a_part_of_a_second_is_a_second),
		cmocka_unit_test(the_hard_cpu_limit_is_a_second_later),
		cmocka_unit_test(soft_and_hard_are_the_same),
		cmocka_unit_test(memory_is_the_kind_the_caller_names),
		cmocka_unit_test(warden_and_init_have_room_beside_the_program),
		cmocka_unit_test(no_core_and_no_real_time_ever),
		cmocka_unit_test(what_the_caller_has_is_never_raised),
		cmocka_unit_test(what_is_not_limited_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
