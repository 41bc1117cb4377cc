/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that the shim told of, asked of the policy again. */
#include "launcher/told_judge.h"

#include "policy/compile.h"
#include "policy/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* Behind what it needs. */
#include <cmocka.h>

struct law {
	struct policy_block *block;
	struct verdict_text text;
	struct verdict out;
};

static int set_up_profile(void **state, const char *profile)
{
	struct law *law = calloc(1, sizeof(*law));
	struct policy *policy = policy_new();
	struct document_error error;

	if (document_load_profile(policy, profile, "/var/tmp", &error) < 0 ||
	    policy_compile(policy, &law->block) < 0)
		return -1;
	policy_free(policy);
	*state = law;
	return 0;
}

static int set_up(void **state)
{
	return set_up_profile(state, "tool");
}

static int set_up_code(void **state)
{
	return set_up_profile(state, "code");
}

static int tear_down(void **state)
{
	struct law *law = *state;

	free(law->block);
	free(law);
	return 0;
}

static enum action ask(struct law *law, struct told_call call)
{
	told_judge(law->block, &call, &law->text, &law->out);
	return law->out.action;
}

static void test_a_path_is_judged_by_its_access(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, (struct told_call){ AXIS_PATH, PATH_READ, "open", "/usr/lib/x" }),
			 ACTION_ALLOW);
	assert_int_equal(ask(law, (struct told_call){ AXIS_PATH, PATH_WRITE, "open", "/usr/lib/x" }),
			 ACTION_DENY);
	assert_string_equal(law->out.fix, "--write /usr/lib/x");
}

static void test_no_access_is_to_read(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, (struct told_call){ AXIS_PATH, 0, "open", "/root/x" }), ACTION_DENY);
	assert_string_equal(law->out.fix, "--read /root/x");
}

static void test_a_call_without_an_axis_is_known_by_its_name(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, (struct told_call){ AXIS_NONE, 0, "connect", "192.0.2.1:80" }),
			 ACTION_DENY);
	assert_int_equal(law->out.axis, AXIS_NETWORK);
	assert_int_equal(ask(law, (struct told_call){ AXIS_NONE, PATH_READ, "open64", "/root/x" }),
			 ACTION_DENY);
	assert_int_equal(law->out.axis, AXIS_PATH);
	assert_int_equal(ask(law, (struct told_call){ AXIS_NONE, 0, "execve", "/root/x" }),
			 ACTION_DENY);
	assert_int_equal(law->out.axis, AXIS_EXECUTABLE);
	assert_int_equal(ask(law, (struct told_call){ AXIS_NONE, 0, "fork", "" }), ACTION_ALLOW);
}

static void test_what_cannot_be_asked_is_no_refusal(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, (struct told_call){ AXIS_PATH, PATH_READ, "open", "relative" }),
			 ACTION_ALLOW);
	assert_int_equal(ask(law, (struct told_call){ AXIS_NONE, 0, "prctl", "" }), ACTION_ALLOW);
	assert_int_equal(ask(law, (struct told_call){ AXIS_RESOURCE, 0, "x", "" }), ACTION_ALLOW);
}

static void test_profile_code_has_words_of_its_own(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, (struct told_call){ AXIS_PATH, PATH_READ, "open", "/root/x" }),
			 ACTION_DENY);
	assert_string_equal(law->out.reason,
			    "File access outside the run directory is denied inside ExecutionSandbox (open: /root/x)");
	assert_int_equal(ask(law, (struct told_call){ AXIS_NETWORK, 0, "socket.connect", "[::1]:80" }),
			 ACTION_DENY);
	assert_string_equal(law->out.reason,
			    "Network access is strictly disabled inside ExecutionSandbox (socket.connect)");
}

static void test_without_room_for_words_there_is_a_verdict(void **state)
{
	struct law *law = *state;
	const struct told_call call = { AXIS_PATH, PATH_READ, "open", "/root/x" };

	told_judge(law->block, &call, NULL, &law->out);
	assert_int_equal(law->out.action, ACTION_DENY);
}

#define CLAIM(test, begin) cmocka_unit_test_setup_teardown(test, begin, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_a_path_is_judged_by_its_access, set_up),
		CLAIM(test_no_access_is_to_read, set_up),
		CLAIM(test_a_call_without_an_axis_is_known_by_its_name, set_up),
		CLAIM(test_what_cannot_be_asked_is_no_refusal, set_up),
		CLAIM(test_profile_code_has_words_of_its_own, set_up_code),
		CLAIM(test_without_room_for_words_there_is_a_verdict, set_up_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
