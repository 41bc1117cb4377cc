/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Captured output: the cap, the counting, and what leaves it as text. */
#include "launcher/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FFFD "\xef\xbf\xbd"

/* The text of `size` bytes under `cap`; asserts what had_invalid says. */
static char *text_of(const char *bytes, size_t size, size_t cap, bool is_invalid)
{
	struct output o;
	bool had_invalid;
	size_t length;
	char *text;

	output_init(&o, cap);
	assert_int_equal(output_take(&o, bytes, size), 0);
	text = output_text(&o, &length, &had_invalid);
	assert_non_null(text);
	assert_int_equal(had_invalid, is_invalid);
	assert_int_equal(text[length], '\0');
	output_free(&o);
	return text;
}

#define assert_text(bytes, cap, invalid, expected)                                      \
	do {                                                                            \
		char *text_ = text_of((bytes), sizeof(bytes) - 1, (cap), (invalid));    \
		assert_string_equal(text_, (expected));                                 \
		free(text_);                                                            \
	} while (0)

static void assert_base64(const char *bytes, const char *expected)
{
	struct output o;
	char *text;

	output_init(&o, 100);
	assert_int_equal(output_take(&o, bytes, strlen(bytes)), 0);
	text = output_base64(&o);
	assert_string_equal(text, expected);
	free(text);
	output_free(&o);
}

static void assert_visible(const char *bytes, size_t size, const char *expected)
{
	char *text = output_visible(bytes, size);

	assert_string_equal(text, expected);
	free(text);
}

static void nothing_written_is_an_empty_text(void **state)
{
	(void)state;
	assert_text("", 10, false, "");
}

static void one_byte_short_of_the_cap_is_whole(void **state)
{
	(void)state;
	assert_text("abc", 4, false, "abc");
}

static void exactly_at_the_cap_is_not_truncated(void **state)
{
	(void)state;
	assert_text("abcd", 4, false, "abcd");
}

static void one_byte_over_the_cap_is_truncated(void **state)
{
	(void)state;
	assert_text("abcde", 4, false, "abcd" OUTPUT_MARKER);
}

static void a_cap_of_nothing_keeps_nothing(void **state)
{
	(void)state;
	assert_text("a", 0, false, OUTPUT_MARKER);
}

static void a_character_cut_by_the_cap_is_dropped(void **state)
{
	(void)state;
	assert_text("ab\xe2\x82\xac", 4, false, "ab" OUTPUT_MARKER);
	assert_text("\xf0\x9f\x98\x80", 3, false, OUTPUT_MARKER);
}

static void a_character_cut_by_the_end_is_replaced(void **state)
{
	(void)state;
	assert_text("ab\xe2\x82", 10, true, "ab" FFFD);
}

static void valid_characters_of_all_lengths_stay(void **state)
{
	(void)state;
	assert_text("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf", 99, false,
		    "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

static void each_maximal_bad_part_is_one_replacement(void **state)
{
	(void)state;
	/* The example of the Unicode standard, table 3-11 (and of CPython's errors="replace"). */
	assert_text("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", 99, true, FFFD FFFD FFFD FFFD "A");
}

static void every_byte_of_a_non_shortest_form_is_replaced(void **state)
{
	(void)state;
	assert_text("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", 99, true,
		    FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
}

static void surrogates_and_too_large_points_are_replaced(void **state)
{
	(void)state;
	assert_text("\xed\xa0\x80\x41", 99, true, FFFD FFFD FFFD "A");
	assert_text("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", 99, true,
		    FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B");
}

static void a_nul_byte_is_kept(void **state)
{
	struct output o;
	bool had_invalid;
	size_t size;

	(void)state;
	output_init(&o, 10);
	assert_int_equal(output_take(&o, "a\0b", 3), 0);
	char *text = output_text(&o, &size, &had_invalid);
	assert_int_equal(size, 3);
	assert_memory_equal(text, "a\0b", 4);
	assert_false(had_invalid);
	free(text);
	output_free(&o);
}

static void memory_grows_to_the_cap_and_not_past_it(void **state)
{
	static char block[100000];
	struct output o;

	(void)state;
	output_init(&o, 65536);
	assert_int_equal(output_take(&o, block, 10), 0);
	assert_int_equal(o.allocated, 4096);
	assert_int_equal(output_take(&o, block, sizeof(block)), 0);
	assert_int_equal(output_take(&o, block, sizeof(block)), 0);
	assert_int_equal(o.allocated, 65536);
	assert_int_equal(o.used, 65536);
	assert_int_equal(o.total, 200010);
	assert_true(output_is_truncated(&o));
	output_free(&o);
}

static void an_unlimited_cap_works(void **state)
{
	static char block[100000];
	struct output o;

	(void)state;
	output_init(&o, SIZE_MAX);
	assert_int_equal(output_take(&o, block, sizeof(block)), 0);
	assert_int_equal(o.used, sizeof(block));
	assert_true(o.allocated < 4 * sizeof(block));
	output_free(&o);
}

static void a_reset_keeps_the_memory_and_nothing_else(void **state)
{
	struct output o;

	(void)state;
	output_init(&o, 4);
	assert_int_equal(output_take(&o, "abcdef", 6), 0);
	output_reset(&o);
	assert_non_null(o.data);
	assert_false(output_is_truncated(&o));
	assert_int_equal(output_take(&o, "xy", 2), 0);
	assert_int_equal(o.used, 2);
	assert_memory_equal(o.data, "xy", 2);
	output_free(&o);
}

static void base64_is_that_of_rfc_4648(void **state)
{
	(void)state;
	assert_base64("", "");
	assert_base64("f", "Zg==");
	assert_base64("fo", "Zm8=");
	assert_base64("foo", "Zm9v");
	assert_base64("foob", "Zm9vYg==");
	assert_base64("foobar", "Zm9vYmFy");
	assert_base64("\xff\xfe\xfd", "//79");
}

static void a_terminal_gets_nothing_to_obey(void **state)
{
	(void)state;
	assert_visible("a\tb\n", 4, "a\tb\n");
	assert_visible("\x1b[31m\r\x7f\0", 8, "\\x1b[31m\\x0d\\x7f\\x00");
	assert_visible("\xe2\x80\xa8\xe2\x80\xa9\xc2\x9b", 8,
		       "\\xe2\\x80\\xa8\\xe2\\x80\\xa9\\xc2\\x9b");
	assert_visible("\x9b" "1", 2, "\\x9b" "1");
	assert_visible("\xc3\xa9\xe2\x82\xac", 5, "\xc3\xa9\xe2\x82\xac");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_written_is_an_empty_text),
		cmocka_unit_test(one_byte_short_of_the_cap_is_whole),
		cmocka_unit_test(exactly_at_the_cap_is_not_truncated),
		cmocka_unit_test(one_byte_over_the_cap_is_truncated),
		cmocka_unit_test(a_cap_of_nothing_keeps_nothing),
		cmocka_unit_test(a_character_cut_by_the_cap_is_dropped),
		cmocka_unit_test(a_character_cut_by_the_end_is_replaced),
		cmocka_unit_test(valid_characters_of_all_lengths_stay),
		cmocka_unit_test(each_maximal_bad_part_is_one_replacement),
		cmocka_unit_test(every_byte_of_a_non_shortest_form_is_replaced),
		cmocka_unit_test(surrogates_and_too_large_points_are_replaced),
		cmocka_unit_test(a_nul_byte_is_kept),
		cmocka_unit_test(memory_grows_to_the_cap_and_not_past_it),
		cmocka_unit_test(an_unlimited_cap_works),
		cmocka_unit_test(a_reset_keeps_the_memory_and_nothing_else),
		cmocka_unit_test(base64_is_that_of_rfc_4648),
		cmocka_unit_test(a_terminal_gets_nothing_to_obey),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
