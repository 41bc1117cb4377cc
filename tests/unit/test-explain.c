/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denials in words: complete, and without a byte that a terminal would obey. */
#include "launcher/explain.h"

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

static char *explain_text(const char *json)
{
	FILE *in = fmemopen((void *)(size_t)json, strlen(json), "r");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r = explain_stream(out, in, "test");

	fclose(in);
	fclose(out);
	if (r < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void test_a_denial_is_told_in_full(void **state)
{
	char *text = explain_text(
		"{\"event\":\"DENIAL\",\"run\":\"r1\",\"argv\":[\"python3\",\"p.py\"],"
		"\"at_ms\":3,\"pid\":2,\"layer\":\"landlock\",\"trusted\":true,\"shim_bypassed\":true,"
		"\"axis\":\"path\",\"call\":\"openat\",\"target\":\"/x\",\"errno\":\"EACCES\",\"rule\":4,"
		"\"reason\":\"it is outside\",\"fix\":\"--read /x\",\"count\":3,"
		"\"where\":[{\"module\":\"/bin/a\",\"symbol\":\"f\",\"offset\":16},"
		"{\"module\":\"/bin/a\",\"symbol\":null,\"offset\":255}],"
		"\"script\":{\"file\":\"p.py\",\"line\":7,\"function\":\"g\"}}");

	(void)state;
	assert_string_equal(text, "run r1: python3 p.py\n"
				  "refused: openat /x (EACCES), 3 times\n"
				  "  why     it is outside\n"
				  "  by      landlock (seen by the kernel), rule 4\n"
				  "          the program went past the shim\n"
				  "  script  p.py:7 in g\n"
				  "  where   f+0x10 (/bin/a)\n"
				  "          /bin/a!+0xff\n"
				  "  allow   --read /x\n");
	free(text);
}

static void test_no_control_character_passes(void **state)
{
	char *text = explain_text("{\"denials\":[{\"call\":\"a\\u001b[31m\",\"target\":\"b\\u0007\\nc\\u009b\","
				  "\"reason\":\"\\u007f\",\"count\":1}],\"denials_total\":1}");

	(void)state;
	assert_non_null(text);
	assert_null(strpbrk(text, "\x1b\x07\x7f"));
	assert_non_null(strstr(text, "refused: a\\x1b[31m b\\x07\\x0ac\\x9b\n"));
	free(text);
}

static void test_a_result_without_denials_says_so(void **state)
{
	char *text = explain_text("{\"id\":\"r\",\"argv\":[],\"denials\":[],\"denials_total\":0,\"denials_lost\":0}");

	(void)state;
	assert_string_equal(text, "run r:\nnothing was refused\n");
	free(text);
}

static void test_the_lost_and_the_blind_are_told(void **state)
{
	char *text = explain_text("{\"denials\":[],\"denials_total\":9,\"denials_lost\":9,\"layers\":{\"shim\":"
				  "{\"why\":null,\"blind\":[{\"pid\":3,\"exe\":\"/s\",\"why\":\"static\"}],\"blind_lost\":2}}}");

	(void)state;
	assert_non_null(strstr(text, "9 of 9 refusals are not known one by one\n"));
	assert_non_null(strstr(text, "the shim did not see into process 3, /s: static\n"));
	assert_non_null(strstr(text, "nor into 2 others\n"));
	free(text);
}

static void test_other_events_are_passed_over(void **state)
{
	char *text = explain_text("{\"event\":\"SANDBOX_SESSION\"}\n{\"event\":\"SANDBOX_RUN\",\"run\":\"x\"}\n");

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void test_what_is_no_json_is_an_error(void **state)
{
	(void)state;
	assert_null(explain_text("{\"denials\":["));
	assert_null(explain_text("hello"));
	assert_null(explain_text("[1]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_denial_is_told_in_full),
		cmocka_unit_test(test_no_control_character_passes),
		cmocka_unit_test(test_a_result_without_denials_says_so),
		cmocka_unit_test(test_the_lost_and_the_blind_are_told),
		cmocka_unit_test(test_other_events_are_passed_over),
		cmocka_unit_test(test_what_is_no_json_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
