/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measuring a tree of processes: this test is the warden of its own children. */
#include "launcher/tree.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A child that sleeps after it has used memory and time. */
static pid_t start_child(size_t megabytes, clock_t ticks)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		char *memory = malloc((megabytes << 20) + 1);

		memset(memory, 1, (megabytes << 20) + 1);
		while (clock() < ticks)
			;
		(void)!write(ready[1], memory, 1);
		pause();
		_exit(0);
	}
	(void)close(ready[1]);
	(void)!read(ready[0], &byte, 1);
	(void)close(ready[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void no_children_use_nothing(void **state)
{
	struct tree_use use;

	(void)state;
	assert_int_equal(tree_house(getpid()), 0);
	tree_measure(getpid(), 0, &use);
	assert_int_equal(use.threads, 0);
	assert_int_equal(use.resident_kb, 0);
}

static void memory_time_and_number_are_summed(void **state)
{
	pid_t one = start_child(8, 0), two = start_child(8, CLOCKS_PER_SEC / 5);
	struct tree_use use;

	(void)state;
	tree_measure(getpid(), 0, &use);
	end_child(one);
	end_child(two);
	assert_int_equal(use.threads, 2);
	assert_true(use.resident_kb >= 16 * 1024);
	assert_true(use.cpu_ms >= 150);
}

static void the_house_is_not_counted(void **state)
{
	pid_t house = start_child(8, 0);
	struct tree_use use;

	(void)state;
	assert_int_equal(tree_house(getpid()), house);
	tree_measure(getpid(), house, &use);
	end_child(house);
	assert_int_equal(use.threads, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_children_use_nothing),
		cmocka_unit_test(memory_time_and_number_are_summed),
		cmocka_unit_test(the_house_is_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
