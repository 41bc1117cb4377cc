/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quoted text is what Python would print, and is cut before it overruns. */
#include "policy/repr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void hostile_bytes_are_quoted_as_python_does(void **state)
{
	char out[128];

	(void)state;
	python_repr("it's", out, sizeof(out));
	assert_string_equal(out, "\"it's\"");
	python_repr("'\"", out, sizeof(out));
	assert_string_equal(out, "'\\'\"'");
	python_repr("a\\b\n\t\x1b\x7f", out, sizeof(out));
	assert_string_equal(out, "'a\\\\b\\n\\t\\x1b\\x7f'");
	python_repr("h\xc3\xa9 \xf0\x9f\x90\x84", out, sizeof(out));
	assert_string_equal(out, "'h\xc3\xa9 \xf0\x9f\x90\x84'");
	python_repr("\xff\xc3(\xed\xa0\x80", out, sizeof(out));
	assert_string_equal(out, "'\\xff\\xc3(\\xed\\xa0\\x80'");
	python_repr("\xe2\x80\xa8\xc2\xa0\xe2\x80\x8b", out, sizeof(out));
	assert_string_equal(out, "'\\u2028\\xa0\\u200b'");
}

static void sentence_is_cut_not_overrun(void **state)
{
	char out[6];

	(void)state;
	assert_int_equal(python_repr("a\xc3\xa9\n\n\n\n", out, sizeof(out)), 5);
	assert_int_equal(strlen(out), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_bytes_are_quoted_as_python_does),
		cmocka_unit_test(sentence_is_cut_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
