/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repairs: failed runs are counted for each task by itself. */
#include "launcher/repairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void an_unknown_task_has_used_none(void **state)
{
	(void)state;
	assert_int_equal(repairs_used(NULL, "a"), 0);
}

static void each_task_is_counted_by_itself(void **state)
{
	struct repairs *repairs = NULL;

	(void)state;
	assert_int_equal(repairs_count(&repairs, "a"), 0);
	assert_int_equal(repairs_count(&repairs, "b"), 0);
	assert_int_equal(repairs_count(&repairs, "a"), 0);
	assert_int_equal(repairs_used(repairs, "a"), 2);
	assert_int_equal(repairs_used(repairs, "b"), 1);
	repairs_free(&repairs);
	assert_null(repairs);
}

static bool spends(enum run_status status)
{
	struct result r = { .status = status };

	return repairs_are_spent_by(&r);
}

static void failures_of_the_program_spend_one(void **state)
{
	(void)state;
	assert_true(spends(STATUS_FAILED));
	assert_true(spends(STATUS_SIGNALED));
	assert_true(spends(STATUS_DENIED));
	assert_true(spends(STATUS_TIMED_OUT));
	assert_true(spends(STATUS_MEMORY));
}

static void success_and_faults_of_the_sandbox_spend_none(void **state)
{
	(void)state;
	assert_false(spends(STATUS_OK));
	assert_false(spends(STATUS_UNAVAILABLE));
	assert_false(spends(STATUS_ERROR));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_task_has_used_none),
		cmocka_unit_test(each_task_is_counted_by_itself),
		cmocka_unit_test(failures_of_the_program_spend_one),
		cmocka_unit_test(success_and_faults_of_the_sandbox_spend_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
