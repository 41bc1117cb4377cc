/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is suggested for a misspelt word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/document.h"

static const char *const keys[] = { "read", "write", "exec", "deny", "protect", NULL };

static void swapped_letters_are_one_slip(void **state)
{
	(void)state;
	assert_string_equal(suggest_nearest("raed", keys), "read");
}

static void a_missing_letter_is_found(void **state)
{
	(void)state;
	assert_string_equal(suggest_nearest("protet", keys), "protect");
}

static void case_is_free(void **state)
{
	(void)state;
	assert_string_equal(suggest_nearest("WRITE", keys), "write");
}

static void a_stranger_suggests_nothing(void **state)
{
	(void)state;
	assert_null(suggest_nearest("bananas", keys));
}

static void an_empty_word_suggests_nothing(void **state)
{
	(void)state;
	assert_null(suggest_nearest("", keys));
}

static void a_very_long_word_suggests_nothing(void **state)
{
	(void)state;
	assert_null(suggest_nearest("readreadreadreadreadreadreadreadreadreadreadreadreadreadreadread",
				    keys));
}

static void a_unit_behind_a_known_word_is_left_out(void **state)
{
	(void)state;
	assert_string_equal(suggest_nearest("protect_megabytes", keys), "protect");
	assert_null(suggest_nearest("_megabytes", keys));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(swapped_letters_are_one_slip),
		cmocka_unit_test(a_missing_letter_is_found),
		cmocka_unit_test(case_is_free),
		cmocka_unit_test(a_stranger_suggests_nothing),
		cmocka_unit_test(an_empty_word_suggests_nothing),
		cmocka_unit_test(a_very_long_word_suggests_nothing),
		cmocka_unit_test(a_unit_behind_a_known_word_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
