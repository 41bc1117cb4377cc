/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of the session protocol: what is taken, and how each mistake is named. */
#include "launcher/request_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct read {
	struct request_line line;
	char why[REQUEST_LINE_WHY_MAX];
	int r;
};

static void read_line(struct read *out, const char *text)
{
	out->why[0] = 0;
	out->r = request_line_read(&out->line, text, strlen(text), out->why, sizeof(out->why));
}

static void assert_refused(const char *text, const char *why)
{
	struct read got;

	read_line(&got, text);
	assert_true(got.r < 0);
	assert_string_equal(got.why, why);
	request_line_free(&got.line);
}

static void assert_limits_refused(const char *text, const char *why)
{
	struct limits limits = limits_default();
	struct read got;

	read_line(&got, text);
	assert_int_equal(got.r, 0);
	assert_true(request_line_take_limits(&got.line, &limits, got.why, sizeof(got.why)) < 0);
	assert_string_equal(got.why, why);
	request_line_free(&got.line);
}

static void a_run_has_its_words_and_its_input(void **state)
{
	struct read got;

	(void)state;
	read_line(&got, "{\"op\":\"run\",\"argv\":[\"a\",\"\"],\"stdin\":\"in\",\"task\":\"t\"}");
	assert_int_equal(got.r, 0);
	assert_string_equal(got.line.op, "run");
	assert_string_equal(got.line.argv[0], "a");
	assert_string_equal(got.line.argv[1], "");
	assert_null(got.line.argv[2]);
	assert_int_equal(got.line.input_size, 2);
	assert_string_equal(got.line.task, "t");
	request_line_free(&got.line);
}

static void what_is_null_is_not_there(void **state)
{
	struct read got;

	(void)state;
	read_line(&got, "{\"op\":\"ping\",\"stdin\":null,\"env\":null,\"argv\":null,\"id\":null}");
	assert_int_equal(got.r, 0);
	assert_null(got.line.input);
	assert_null(got.line.env);
	assert_null(got.line.argv);
	request_line_free(&got.line);
}

static void the_environment_is_name_and_value(void **state)
{
	struct read got;

	(void)state;
	read_line(&got, "{\"op\":\"run\",\"env\":{\"A\":\"1=2\",\"B\":\"\"}}");
	assert_int_equal(got.r, 0);
	assert_string_equal(got.line.env[0], "A=1=2");
	assert_string_equal(got.line.env[1], "B=");
	assert_null(got.line.env[2]);
	request_line_free(&got.line);
}

static void a_bad_environment_is_named(void **state)
{
	(void)state;
	assert_refused("{\"op\":\"run\",\"env\":[]}",
		       "env: an object of names and texts is expected");
	assert_refused("{\"op\":\"run\",\"env\":{\"A\":1}}", "env.A: a text is expected");
	assert_refused("{\"op\":\"run\",\"env\":{\"A=B\":\"\"}}",
		       "env: 'A=B' is not a variable's name");
	assert_refused("{\"op\":\"run\",\"env\":{\"\":\"\"}}",
		       "env: '' is not a variable's name");
}

static void single_limits_beat_the_tier(void **state)
{
	struct limits limits = limits_default();
	struct read got;

	(void)state;
	read_line(&got, "{\"op\":\"run\",\"tier\":\"heavy_compute\",\"limits\":{\"wall_s\":2.5}}");
	assert_int_equal(request_line_take_limits(&got.line, &limits, got.why, sizeof(got.why)), 0);
	assert_int_equal(limits.wall_ms, 2500);
	assert_int_equal(limits.steps, 100000000);
	request_line_free(&got.line);
}

static void bad_limits_are_named(void **state)
{
	(void)state;
	assert_refused("{\"op\":\"run\",\"limits\":3}", "limits: an object is expected");
	assert_limits_refused("{\"op\":\"run\",\"limits\":{\"x\":3}}", "limits.x: unknown key");
	assert_limits_refused("{\"op\":\"run\",\"limits\":{\"wall_s\":[]}}",
			      "limits.wall_s: a number or a text is expected");
	assert_limits_refused("{\"op\":\"run\",\"limits\":{\"wall_s\":-1}}",
			      "limits.wall_s: bad value");
	assert_limits_refused("{\"op\":\"run\",\"limits\":{\"wall_s\":1e300}}",
			      "limits.wall_s: bad value");
	assert_limits_refused("{\"op\":\"run\",\"tier\":\"huge\"}", "tier: unknown tier 'huge'");
}

static void a_limit_as_results_name_it_is_answered_with_its_key(void **state)
{
	(void)state;
	assert_limits_refused("{\"op\":\"run\",\"limits\":{\"memory_bytes\":3}}",
			      "limits.memory_bytes: unknown key; did you mean \"memory\"?");
	assert_limits_refused("{\"op\":\"run\",\"limits\":{\"file_bytes\":3}}",
			      "limits.file_bytes: unknown key; did you mean \"file_size\"?");
}

static void mistakes_are_named(void **state)
{
	(void)state;
	assert_refused("", "column 0: the text ends too early");
	assert_refused("{\"op\":}", "column 7: a value is expected");
	assert_refused("[1]", "a request is an object");
	assert_refused("{}", "op: a text is expected (run, run_code, capabilities, ping, close)");
	assert_refused("{\"op\":\"run\",\"agrv\":[]}",
		       "agrv: unknown key; did you mean \"argv\"?");
	assert_refused("{\"op\":\"run\",\"argv\":[\"a\",2]}", "argv[1]: a text is expected");
	assert_refused("{\"op\":\"run\",\"argv\":\"ls\"}", "argv: a list of texts is expected");
	assert_refused("{\"op\":\"run\",\"stdin\":7}", "stdin: a text is expected");
	assert_refused("{\"op\":\"run\",\"task\":\"\"}",
		       "task: a text of 1 to 256 bytes is expected");
	assert_refused("{\"op\":\"run\",\"op\":\"run\"}", "column 16: the key is given twice");
}

static void the_id_is_there_after_a_mistake(void **state)
{
	struct read got;

	(void)state;
	read_line(&got, "{\"op\":\"run\",\"argv\":7,\"id\":8}");
	assert_true(got.r < 0);
	assert_int_equal(json_integer_value(json_object_get(got.line.object, "id")), 8);
	request_line_free(&got.line);
}

static void a_sentence_that_was_cut_is_text(void **state)
{
	char text[4096] = "{\"op\":\"run\",\"";
	size_t used = strlen(text);
	struct read got;
	json_t *why;

	(void)state;
	memset(text + used, 'x', 1);
	while (used < 3000)
		used += (size_t)snprintf(text + used, 3, "\xc3\xa9");
	snprintf(text + used, 8, "\":1}");
	read_line(&got, text);
	why = json_string(got.why);
	assert_non_null(why);
	json_decref(why);
	request_line_free(&got.line);
}

static void a_cut_ends_with_a_whole_character(void **state)
{
	(void)state;
	assert_int_equal(request_line_fitting("ab\xc3\xa9", 3), 2);
	assert_int_equal(request_line_fitting("ab\xc3\xa9", 4), 4);
	assert_int_equal(request_line_fitting("ab", 64), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_has_its_words_and_its_input),
		cmocka_unit_test(what_is_null_is_not_there),
		cmocka_unit_test(the_environment_is_name_and_value),
		cmocka_unit_test(a_bad_environment_is_named),
		cmocka_unit_test(single_limits_beat_the_tier),
		cmocka_unit_test(bad_limits_are_named),
		cmocka_unit_test(a_limit_as_results_name_it_is_answered_with_its_key),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(the_id_is_there_after_a_mistake),
		cmocka_unit_test(a_sentence_that_was_cut_is_text),
		cmocka_unit_test(a_cut_ends_with_a_whole_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
