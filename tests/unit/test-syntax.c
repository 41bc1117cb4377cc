/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a JSON text is said in our words. */
#include "policy/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_words(const char *json, const char *words)
{
	json_error_t error;

	assert_null(json_loadb(json, strlen(json), JSON_REJECT_DUPLICATES, &error));
	assert_string_equal(syntax_words(&error), words);
}

static void what_is_missing_is_named(void **state)
{
	(void)state;
	assert_words("word", "an object is expected");
	assert_words("{a}", "a key in double quotes or } is expected");
	assert_words("{\"a\" 1}", "a colon is expected behind the key");
	assert_words("{\"a\":1 2}", "a comma or } is expected");
	assert_words("[1 2]", "a comma or ] is expected");
	assert_words("{\"a\":}", "a value is expected");
}

static void a_text_that_ends_is_told_from_one_that_goes_on(void **state)
{
	(void)state;
	assert_words("{\"a\":1", "the text ends too early");
	assert_words("{} {}", "something stands behind the end");
}

static void words_and_strings_are_told_apart(void **state)
{
	(void)state;
	assert_words("{\"a\":nul}",
		     "neither a string in double quotes nor a number, true, false or null");
	assert_words("{\"a\":\"\\x\"}", "JSON knows no such escape");
	assert_words("{\"a\":\"\\ud800\"}", "the \\u escape is no character");
	assert_words("{\"a\":\"\t\"}", "a control character has to be written as an escape");
	assert_words("{\"a\":\"\n\"}", "the string does not end on its line");
	assert_words("{\"a\":\"\xff\"}", "the text is not UTF-8");
}

static void what_has_a_code_is_told_by_it(void **state)
{
	(void)state;
	assert_words("{\"a\":1,\"a\":1}", "the key is given twice");
	assert_words("{\"a\":1e999}", "the number is too large");
	assert_words("{\"a\":\"\\u0000\"}", "a string may not contain a NUL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(a_text_that_ends_is_told_from_one_that_goes_on),
		cmocka_unit_test(words_and_strings_are_told_apart),
		cmocka_unit_test(what_has_a_code_is_told_by_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
