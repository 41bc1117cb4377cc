/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions that a person asks of the policy. */
#include "launcher/why.h"

#include "policy/compile.h"
#include "policy/document.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* Behind what it needs. */
#include <cmocka.h>

struct law {
	struct policy_block *block;
	struct verdict_text text;
	struct verdict out;
	char folder[64];
};

static int set_up(void **state)
{
	struct law *law = calloc(1, sizeof(*law));
	struct policy *policy = policy_new();
	struct document_error error;

	strcpy(law->folder, "/var/tmp/test-why-XXXXXX");
	if (!mkdtemp(law->folder) ||
	    document_load_profile(policy, "tool", law->folder, &error) < 0 ||
	    policy_compile(policy, &law->block) < 0)
		return -1;
	policy_free(policy);
	*state = law;
	return 0;
}

static int tear_down(void **state)
{
	struct law *law = *state;

	rmdir(law->folder);
	free(law->block);
	free(law);
	return 0;
}

static int ask(struct law *law, const char *question)
{
	return why_ask(law->block, question, law->folder, &law->text, &law->out);
}

static void test_a_path_may_be_relative(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, "write new.txt"), 0);
	assert_int_equal(law->out.action, ACTION_ALLOW);
	assert_int_equal(ask(law, "  open   ../../etc/shadow"), 0);
	assert_int_equal(law->out.action, ACTION_DENY);
}

static void test_a_link_is_followed_even_above_a_name_that_is_not_there(void **state)
{
	struct law *law = *state;
	char link[96];

	snprintf(link, sizeof(link), "%s/out", law->folder);
	assert_int_equal(symlink("/root", link), 0);
	assert_int_equal(ask(law, "create out/new"), 0);
	assert_int_equal(law->out.action, ACTION_DENY);
	assert_string_equal(law->out.fix, "--write /root/new");
	assert_int_equal(unlink(link), 0);
}

static void test_the_network_and_processes_can_be_asked_about(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, "connect 192.0.2.1:80"), 0);
	assert_int_equal(law->out.action, ACTION_DENY);
	assert_string_equal(law->out.fix, "--network host");
	assert_int_equal(ask(law, "fork"), 0);
	assert_int_equal(law->out.action, ACTION_ALLOW);
	assert_int_equal(ask(law, "kill 1"), 0);
	assert_int_equal(law->out.action, ACTION_DENY);
	assert_int_equal(ask(law, "exec /usr/bin/env"), 0);
	assert_int_equal(law->out.action, ACTION_ALLOW);
}

static void test_what_is_no_question_is_refused(void **state)
{
	struct law *law = *state;

	assert_int_equal(ask(law, ""), -EINVAL);
	assert_int_equal(ask(law, "open"), -EINVAL);
	assert_int_equal(ask(law, "fork x"), -EINVAL);
	assert_int_equal(ask(law, "opens /x"), -EINVAL);
}

static void test_a_target_longer_than_any_path_is_refused(void **state)
{
	struct law *law = *state;
	char question[6000];

	memset(question, 'x', sizeof(question) - 1);
	question[sizeof(question) - 1] = 0;
	memcpy(question, "open /", 6);
	assert_int_equal(ask(law, question), -ENAMETOOLONG);
	memcpy(question, "kill x", 6);
	assert_int_equal(ask(law, question), -ENAMETOOLONG);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_a_path_may_be_relative),
		CLAIM(test_a_link_is_followed_even_above_a_name_that_is_not_there),
		CLAIM(test_the_network_and_processes_can_be_asked_about),
		CLAIM(test_what_is_no_question_is_refused),
		CLAIM(test_a_target_longer_than_any_path_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
