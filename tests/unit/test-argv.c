/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The preflight as a whole: the order of its checks, their texts, and what lifts them. */
#include "tests/unit/preflight_world.h"

#include <string.h>

#include <cmocka.h>

static void empty_argv_is_refused(void **state)
{
	(void)state;
	assert_refused((char *[]){NULL}, AXIS_ARGV, "empty argv");
}

static void name_without_basename_is_refused(void **state)
{
	(void)state;
	assert_refused(A(S("")), AXIS_EXECUTABLE, "executable '' has no basename");
	assert_refused(A(S("bin/")), AXIS_EXECUTABLE,
		       "executable 'bin/' has no basename");
}

static void denylist_comes_before_metachars(void **state)
{
	(void)state;
	assert_denied_name("rm", A(S("rm"), S("a;b")));
}

static void metachar_text_names_character_and_argument(void **state)
{
	struct verdict v;

	(void)state;
	assert_refused(
		A(S("echo"), S("a;b")), AXIS_SHELL,
		"argv contains shell metachar ';' in 'a;b'; set shell=True to opt in");
	v = judge_in(tool(), "/proj", A(S("echo"), S("a;b")));
	assert_string_equal(v.fix, "--shell");
}

static void first_metachar_of_the_order_is_named(void **state)
{
	(void)state;
	assert_refused(A(S("echo"), S("$(x)>y|z")), AXIS_SHELL,
		       "argv contains shell metachar '|' in '$(x)>y|z'; set shell=True "
		       "to opt in");
	assert_refused(
		A(S("echo"), S("$(x)")), AXIS_SHELL,
		"argv contains shell metachar '$(' in '$(x)'; set shell=True to opt in");
}

static void cwd_outside_the_root_is_refused(void **state)
{
	struct verdict v = judge_in(tool(), "/tmp", A(S("ls"), S("x")));

	(void)state;
	assert_int_equal(v.action, ACTION_DENY);
	assert_string_equal(v.reason, "cwd '/tmp' not under project root");
}

static void profile_without_root_skips_paths_cwd_and_metachars(void **state)
{
	struct policy p = {.profile = S("code"), .metachars = METACHARS_OFF};
	struct verdict v = judge_in(p, "/tmp", A(S("ls"), S("/etc/passwd"), S("a;b")));

	(void)state;
	assert_int_equal(v.action, ACTION_ALLOW);
}

static void executable_outside_every_root_is_refused(void **state)
{
	struct verdict v;

	(void)state;
	assert_refused(A(S("/tmp/x")), AXIS_EXECUTABLE,
		       "executable '/tmp/x' is outside every executable root");
	v = judge_in(tool(), "/proj", A(S("/tmp/x")));
	assert_string_equal(v.fix, "--exec /tmp");
	assert_allowed(A(S("./run")));
	assert_allowed(A(S("/bin/ls")));
}

static void git_message_with_semicolon_needs_shell_or_metachars_off(void **state)
{
	struct policy off = tool();
	char **argv = A(S("git"), S("commit"), S("-m"), S("a; b"));

	(void)state;
	assert_refused(
		argv, AXIS_SHELL,
		"argv contains shell metachar ';' in 'a; b'; set shell=True to opt in");
	off.metachars = METACHARS_OFF;
	assert_int_equal(judge_in(tool_with_shell(), "/proj", argv).action, ACTION_ALLOW);
	assert_int_equal(judge_in(off, "/proj", argv).action, ACTION_ALLOW);
}

static void echo_with_parentheses_passes_with_shell(void **state)
{
	char **argv = A(S("echo"), S("costs 5 (five)"));

	(void)state;
	assert_refused(argv, AXIS_SHELL,
		       "argv contains shell metachar ')' in 'costs 5 (five)'; set "
		       "shell=True to opt in");
	assert_int_equal(judge_in(tool_with_shell(), "/proj", argv).action, ACTION_ALLOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_argv_is_refused),
		cmocka_unit_test(name_without_basename_is_refused),
		cmocka_unit_test(denylist_comes_before_metachars),
		cmocka_unit_test(metachar_text_names_character_and_argument),
		cmocka_unit_test(first_metachar_of_the_order_is_named),
		cmocka_unit_test(cwd_outside_the_root_is_refused),
		cmocka_unit_test(profile_without_root_skips_paths_cwd_and_metachars),
		cmocka_unit_test(executable_outside_every_root_is_refused),
		cmocka_unit_test(git_message_with_semicolon_needs_shell_or_metachars_off),
		cmocka_unit_test(echo_with_parentheses_passes_with_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
