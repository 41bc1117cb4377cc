/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of denials: bounded, counting, and one voice where two told of one act. */
#include "launcher/denials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* Behind what it needs. */
#include <cmocka.h>

static int set_up(void **state)
{
	*state = denials_new();
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	denials_free(*state);
	return 0;
}

static struct denial refused_open(const char *target)
{
	return (struct denial){ .layer = LAYER_LANDLOCK,
				.axis = AXIS_PATH,
				.call = "open",
				.target = target,
				.error = 13,
				.pid = 7,
				.reason = "it is outside" };
}

static struct denial seen(const char *target)
{
	struct denial d = refused_open(target);

	d.trusted = true;
	d.call = "openat";
	return d;
}

static bool covers_seven(void *ctx, int32_t pid)
{
	(void)ctx;
	return pid == 7;
}

static void test_the_same_again_only_counts(void **state)
{
	struct denial d = refused_open("/etc/shadow");

	denials_add(*state, &d);
	d.pid = 8;
	d.count = 999999;
	denials_add(*state, &d);
	assert_int_equal(denials_count(*state), 1);
	assert_int_equal(denials_at(*state, 0)->count, 1000000);
	assert_int_equal(denials_at(*state, 0)->pid, 7);
	assert_int_equal(denials_total(*state), 1000000);
	assert_int_equal(denials_lost(*state), 0);
}

static void test_another_line_of_the_script_is_another(void **state)
{
	struct denial_script script = { "prog.py", "f", 3 };
	struct denial d = refused_open("/etc/shadow");

	d.script = &script;
	denials_add(*state, &d);
	script.line = 4;
	denials_add(*state, &d);
	assert_int_equal(denials_count(*state), 2);
	assert_int_equal(denials_at(*state, 0)->script->line, 3);
	assert_int_equal(denials_at(*state, 1)->script->line, 4);
}

static void add_numbered(struct denials *list, int from, int to)
{
	for (int i = from; i < to; i++) {
		char target[32];
		struct denial d = refused_open(target);

		snprintf(target, sizeof(target), "/x/%d", i);
		denials_add(list, &d);
	}
}

static void test_what_has_no_room_is_counted_as_lost(void **state)
{
	add_numbered(*state, 0, DENIALS_MAX + 10);
	assert_int_equal(denials_count(*state), DENIALS_MAX);
	assert_int_equal(denials_lost(*state), 10);
	assert_int_equal(denials_total(*state), DENIALS_MAX + 10);
}

static void test_a_full_list_still_counts_the_known(void **state)
{
	add_numbered(*state, 0, DENIALS_MAX + 1);
	add_numbered(*state, 0, 1);
	assert_int_equal(denials_at(*state, 0)->count, 2);
	assert_int_equal(denials_lost(*state), 1);
}

static void test_counts_never_wrap(void **state)
{
	struct denial d = refused_open("/x");

	d.count = UINT64_MAX;
	denials_add(*state, &d);
	denials_add(*state, &d);
	denials_add_lost(*state, UINT64_MAX);
	assert_int_equal(denials_at(*state, 0)->count, INT64_MAX);
	assert_int_equal(denials_total(*state), INT64_MAX);
}

static void test_clear_forgets_all(void **state)
{
	add_numbered(*state, 0, 5);
	denials_add_lost(*state, 3);
	denials_clear(*state);
	assert_int_equal(denials_count(*state), 0);
	assert_int_equal(denials_total(*state), 0);
	assert_int_equal(denials_lost(*state), 0);
	add_numbered(*state, 0, 1);
	assert_int_equal(denials_at(*state, 0)->count, 1);
}

static void test_what_both_saw_is_one_trusted_with_the_place(void **state)
{
	struct denial_script script = { "prog.py", "f", 3 };
	struct denial told = refused_open("/etc/shadow"), kernel = seen("/etc/shadow");

	told.script = &script;
	denials_add(*state, &told);
	denials_add(*state, &kernel);
	denials_reconcile(*state, covers_seven, NULL);
	assert_int_equal(denials_count(*state), 1);
	assert_true(denials_at(*state, 0)->trusted);
	assert_false(denials_at(*state, 0)->bypassed);
	assert_int_equal(denials_at(*state, 0)->script->line, 3);
	assert_int_equal(denials_total(*state), 1);
}

static void test_what_the_kernel_alone_saw_in_a_covered_process_bypassed_the_shim(void **state)
{
	struct denial covered = seen("/a"), blind = seen("/b");

	blind.pid = 9;
	denials_add(*state, &covered);
	denials_add(*state, &blind);
	denials_reconcile(*state, covers_seven, NULL);
	assert_true(denials_at(*state, 0)->bypassed);
	assert_false(denials_at(*state, 1)->bypassed);
}

static void test_two_seen_acts_join_their_own_words(void **state)
{
	struct denial d = refused_open("/a");

	denials_add(*state, &d);
	d = seen("/b");
	denials_add(*state, &d);
	d = seen("/a");
	denials_add(*state, &d);
	denials_reconcile(*state, covers_seven, NULL);
	assert_int_equal(denials_count(*state), 2);
	assert_string_equal(denials_at(*state, 0)->target, "/b");
	assert_true(denials_at(*state, 0)->bypassed);
	assert_string_equal(denials_at(*state, 1)->target, "/a");
	assert_false(denials_at(*state, 1)->bypassed);
}

static void test_one_call_of_libc_is_several_of_the_kernels(void **state)
{
	struct denial told = refused_open("example.org"), kernel = seen("AF_INET");

	told.axis = kernel.axis = AXIS_NETWORK;
	denials_add(*state, &told);
	denials_add(*state, &kernel);
	denials_reconcile(*state, covers_seven, NULL);
	assert_int_equal(denials_count(*state), 2);
	assert_false(denials_at(*state, 1)->bypassed);
}

static void test_what_no_hook_knows_is_no_bypassing(void **state)
{
	struct denial d = seen("/a");

	d.is_past_shim = true;
	denials_add(*state, &d);
	denials_reconcile(*state, covers_seven, NULL);
	assert_false(denials_at(*state, 0)->bypassed);
}

static void test_no_list_takes_nothing(void **state)
{
	struct denial d = refused_open("/x");

	(void)state;
	denials_add(NULL, &d);
	denials_add_lost(NULL, 1);
	denials_clear(NULL);
	assert_int_equal(denials_total(NULL), 0);
	assert_int_equal(denials_count(NULL), 0);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_the_same_again_only_counts),
		CLAIM(test_another_line_of_the_script_is_another),
		CLAIM(test_what_has_no_room_is_counted_as_lost),
		CLAIM(test_a_full_list_still_counts_the_known),
		CLAIM(test_counts_never_wrap),
		CLAIM(test_clear_forgets_all),
		CLAIM(test_what_both_saw_is_one_trusted_with_the_place),
		CLAIM(test_what_the_kernel_alone_saw_in_a_covered_process_bypassed_the_shim),
		CLAIM(test_two_seen_acts_join_their_own_words),
		CLAIM(test_one_call_of_libc_is_several_of_the_kernels),
		CLAIM(test_what_no_hook_knows_is_no_bypassing),
		CLAIM(test_no_list_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
