/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of CPython's events: every row is found, and nothing else. */
#include "shim/cpython_events.h"

#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void each_row_is_found_by_its_name(void **state)
{
	unsigned count;
	const struct cpython_event *rows = cpython_event_rows(&count);

	(void)state;
	assert_true(count > 40);
	for (unsigned i = 0; i < count; i++)
		assert_ptr_equal(cpython_event_find(rows[i].name), &rows[i]);
}

static void rows_are_sorted(void **state)
{
	unsigned count;
	const struct cpython_event *rows = cpython_event_rows(&count);

	(void)state;
	for (unsigned i = 1; i < count; i++)
		assert_true(strcmp(rows[i - 1].name, rows[i].name) < 0);
}

/* No other event may be taken for one: its neighbours in spelling are not found. */
static void a_name_longer_or_shorter_than_a_row_is_another(void **state)
{
	unsigned count;
	const struct cpython_event *rows = cpython_event_rows(&count);
	char name[64];

	(void)state;
	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s/handle", rows[i].name);
		assert_true(cpython_event_find(name) != &rows[i] || rows[i].kind == EVENT_LOAD);
		snprintf(name, sizeof(name), "%.*s", (int)strlen(rows[i].name) - 1, rows[i].name);
		assert_ptr_not_equal(cpython_event_find(name), &rows[i]);
	}
}

static void all_that_ctypes_does_is_one_row(void **state)
{
	const struct cpython_event *row = cpython_event_find("ctypes.dlopen");

	(void)state;
	assert_non_null(row);
	assert_int_equal(row->kind, EVENT_LOAD);
	assert_ptr_equal(cpython_event_find("ctypes.cdata/buffer"), row);
	assert_null(cpython_event_find("ctypes"));
	assert_null(cpython_event_find("ctypesx"));
}

static void what_harms_nobody_has_no_row(void **state)
{
	(void)state;
	assert_null(cpython_event_find(""));
	assert_null(cpython_event_find("compile"));
	assert_null(cpython_event_find("exec"));
	assert_null(cpython_event_find("object.__getattr__"));
	assert_null(cpython_event_find("zzz"));
}

static void paths_of_a_row_say_what_they_need(void **state)
{
	const struct cpython_event *row = cpython_event_find("os.rename");

	(void)state;
	assert_non_null(row);
	assert_int_equal(row->path[0].access, PATH_WRITE);
	assert_int_equal(row->path[0].dir_fd, 2);
	assert_int_equal(row->path[1].at, 1);
	assert_int_equal(row->path[1].dir_fd, 3);
	assert_true(row->path[1].is_entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_found_by_its_name),
		cmocka_unit_test(rows_are_sorted),
		cmocka_unit_test(a_name_longer_or_shorter_than_a_row_is_another),
		cmocka_unit_test(all_that_ctypes_does_is_one_row),
		cmocka_unit_test(what_harms_nobody_has_no_row),
		cmocka_unit_test(paths_of_a_row_say_what_they_need),
	};

	return cmocka_run_group_tests_name("cpython-events", tests, NULL, NULL);
}
