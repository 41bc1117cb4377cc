/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Path rules in mount order: each finds the nearest above it, and knows what mounts must hold. */
#include "backends/rule_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#define RULE(p, r, o) { .path = (char *)(p), .written = (char *)(p), .rights = (r), .origin = (char *)(o) }

static struct rule_tree tree_of(struct path_rule *rules, size_t count)
{
	struct policy p = { .paths = rules, .path_count = count };
	struct rule_tree t;

	assert_int_equal(rule_tree_make(&t, &p), 0);
	return t;
}

static bool needs(struct path_rule *rules, size_t count)
{
	struct policy p = { .paths = rules, .path_count = count };

	return rule_tree_needs_mounts(&p);
}

static void test_parents_come_first_and_siblings_are_no_parents(void **state)
{
	struct path_rule rules[] = { RULE("/a/b", PATH_READ, "x"), RULE("/a-b", PATH_READ, "x"),
				     RULE("/a", PATH_WRITE, "x") };
	struct rule_tree t = tree_of(rules, 3);

	(void)state;
	assert_string_equal(t.nodes[0].rule->path, "/a");
	assert_string_equal(t.nodes[1].rule->path, "/a/b");
	assert_int_equal(t.nodes[1].above, 0);
	assert_true(t.nodes[2].above == RULE_NONE);
	rule_tree_free(&t);
}

static void test_the_root_is_above_all(void **state)
{
	struct path_rule rules[] = { RULE("/x", PATH_WRITE, "x"), RULE("/", PATH_READ, "x") };
	struct rule_tree t = tree_of(rules, 2);

	(void)state;
	assert_int_equal(t.nodes[1].above, 0);
	assert_false(t.nodes[1].redundant);
	rule_tree_free(&t);
}

static void test_equal_rights_need_no_second_mount(void **state)
{
	struct path_rule rules[] = { RULE("/a", PATH_READ, "x"), RULE("/a/b", PATH_READ, "x"),
				     RULE("/a/b/c", PATH_DENY, "x") };
	struct rule_tree t = tree_of(rules, 3);

	(void)state;
	assert_true(t.nodes[1].redundant);
	assert_string_equal(rule_tree_mount_above(&t, 2)->path, "/a");
	rule_tree_free(&t);
}

static void test_what_is_allowed_below_a_denied_folder_reopens_it(void **state)
{
	struct path_rule rules[] = { RULE("/a", PATH_READ, "x"), RULE("/a/b", PATH_DENY, "x"),
				     RULE("/a/b/c", PATH_READ, "x") };
	struct rule_tree t = tree_of(rules, 3);

	(void)state;
	assert_true(t.nodes[1].reopened);
	assert_false(t.nodes[2].redundant);
	rule_tree_free(&t);
}

static void test_read_below_write_needs_mounts(void **state)
{
	struct path_rule rules[] = { RULE("/a", PATH_READ | PATH_WRITE, "x"),
				     RULE("/a/b", PATH_READ, "x") };

	(void)state;
	assert_true(needs(rules, 2));
}

static void test_write_below_read_does_not(void **state)
{
	struct path_rule rules[] = { RULE("/a", PATH_READ, "x"),
				     RULE("/a/b", PATH_READ | PATH_WRITE, "x") };

	(void)state;
	assert_false(needs(rules, 2));
}

static void test_hooks_of_a_profile_do_not_but_the_callers_protection_does(void **state)
{
	struct path_rule hooks[] = { RULE("/a", PATH_READ | PATH_WRITE, "x"),
				     RULE("/a/b", PATH_PROTECT, "profile tool") };
	struct path_rule own[] = { RULE("/a", PATH_READ | PATH_WRITE, "x"),
				   RULE("/a/b", PATH_PROTECT, "p.json:3") };

	(void)state;
	assert_false(needs(hooks, 2));
	assert_true(needs(own, 2));
}

static void test_a_denied_path_nobody_was_given_needs_none(void **state)
{
	struct path_rule rules[] = { RULE("/a", PATH_DENY, "x"), RULE("/b", PATH_READ, "x") };

	(void)state;
	assert_false(needs(rules, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parents_come_first_and_siblings_are_no_parents),
		cmocka_unit_test(test_the_root_is_above_all),
		cmocka_unit_test(test_equal_rights_need_no_second_mount),
		cmocka_unit_test(test_what_is_allowed_below_a_denied_folder_reopens_it),
		cmocka_unit_test(test_read_below_write_needs_mounts),
		cmocka_unit_test(test_write_below_read_does_not),
		cmocka_unit_test(test_hooks_of_a_profile_do_not_but_the_callers_protection_does),
		cmocka_unit_test(test_a_denied_path_nobody_was_given_needs_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rule_tree", tests, NULL, NULL);
}
