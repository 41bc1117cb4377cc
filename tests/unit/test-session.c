/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of backends, and sessions that cannot be walled in: open, but every run is told why. */
#include "launcher/session.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_mode(const char *text, enum sandbox_mode wanted)
{
	enum sandbox_mode mode = SANDBOX_MICROVM;
	char why[256] = "";

	assert_int_equal(sandbox_mode_parse(text, &mode, why, sizeof(why)), 0);
	assert_int_equal(mode, wanted);
}

static void modes_are_read_trimmed_and_in_any_case(void **state)
{
	(void)state;
	assert_mode("auto", SANDBOX_AUTO);
	assert_mode(" Native\n", SANDBOX_NATIVE);
	assert_mode("CONTAINER", SANDBOX_CONTAINER);
	assert_mode("\taudit-only ", SANDBOX_AUDIT_ONLY);
}

static void an_unknown_mode_is_refused_with_the_known(void **state)
{
	enum sandbox_mode mode = SANDBOX_NATIVE;
	char why[256] = "";

	(void)state;
	assert_int_equal(sandbox_mode_parse("nativ", &mode, why, sizeof(why)), -EINVAL);
	assert_string_equal(
		why,
		"unknown sandbox mode 'nativ' (expected one of auto, native, container, microvm, audit-only)");
	assert_int_equal(sandbox_mode_parse("", &mode, why, sizeof(why)), -EINVAL);
	assert_int_equal(mode, SANDBOX_NATIVE);
}

static void auto_is_native(void **state)
{
	(void)state;
	assert_string_equal(sandbox_mode_name(SANDBOX_AUTO), "native");
	assert_string_equal(sandbox_mode_name(SANDBOX_AUDIT_ONLY), "audit-only");
}

static void assert_unavailable(enum sandbox_mode mode, const char *why)
{
	const struct session_wish wish = { .mode = mode };
	struct session s;

	assert_int_equal(session_open(&s, policy_new(), &wish), 0);
	assert_non_null(strstr(s.unavailable, why));
	assert_false(s.has_folder);
	session_close(&s);
	session_close(&s);
}

static void an_absent_backend_makes_no_folder(void **state)
{
	(void)state;
	assert_unavailable(SANDBOX_CONTAINER, "container");
	assert_unavailable(SANDBOX_MICROVM, "microvm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_are_read_trimmed_and_in_any_case),
		cmocka_unit_test(an_unknown_mode_is_refused_with_the_known),
		cmocka_unit_test(auto_is_native),
		cmocka_unit_test(an_absent_backend_makes_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
