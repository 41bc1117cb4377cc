/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits: defaults, tiers, the table, and the parser that takes nothing on trust. */
#include "policy/limits.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t value_of(const char *text, enum limit_unit unit)
{
	uint64_t value = 77;

	assert_int_equal(limits_parse(text, unit, 0, &value), 0);
	return value;
}

static int error_of(const char *text, enum limit_unit unit)
{
	uint64_t value = 77;
	int r = limits_parse(text, unit, 0, &value);

	assert_int_equal(value, 77);
	return r;
}

static void default_limits_are_the_clock_and_the_output(void **state)
{
	struct limits l = limits_default();

	(void)state;
	assert_int_equal(l.wall_ms, 30000);
	assert_int_equal(l.output_bytes, 65536);
	assert_true(l.steps == LIMIT_NONE && l.memory_bytes == LIMIT_NONE);
	assert_true(l.cpu_ms == LIMIT_NONE && l.processes == LIMIT_NONE);
	assert_true(l.inodes == LIMIT_NONE && l.repairs == LIMIT_NONE);
}

static void tier_heavy_compute_has_its_numbers_in_any_case(void **state)
{
	struct limits l = limits_default();

	(void)state;
	assert_int_equal(limits_apply_tier(&l, "heavy_Compute"), 0);
	assert_int_equal(l.steps, 100000000);
	assert_int_equal(l.wall_ms, 120000);
	assert_int_equal(l.memory_bytes, 512ull << 20);
	assert_int_equal(l.repairs, 2);
	assert_int_equal(l.output_bytes, 65536);
}

static void tiers_minimal_and_standard_differ_in_steps_only(void **state)
{
	struct limits a = limits_default(), b = limits_default();

	(void)state;
	assert_int_equal(limits_apply_tier(&a, "MINIMAL"), 0);
	assert_int_equal(limits_apply_tier(&b, "STANDARD"), 0);
	assert_int_equal(a.steps, 100000);
	assert_int_equal(b.steps, 10000000);
	a.steps = b.steps;
	assert_memory_equal(&a, &b, sizeof(a));
}

static void unknown_tier_changes_nothing(void **state)
{
	struct limits l = limits_default(), before = l;

	(void)state;
	assert_int_equal(limits_apply_tier(&l, "HEAVY"), -ENOENT);
	assert_memory_equal(&l, &before, sizeof(l));
}

static void counts_are_plain_decimal(void **state)
{
	(void)state;
	assert_int_equal(value_of("0", UNIT_COUNT), 0);
	assert_int_equal(value_of("100000", UNIT_COUNT), 100000);
	assert_int_equal(value_of("9223372036854775807", UNIT_COUNT), INT64_MAX);
	assert_int_equal(error_of("9223372036854775808", UNIT_COUNT), -ERANGE);
	assert_int_equal(error_of("99999999999999999999999999", UNIT_COUNT), -ERANGE);
	assert_int_equal(error_of("10K", UNIT_COUNT), -EINVAL);
}

static void sizes_take_binary_suffixes(void **state)
{
	(void)state;
	assert_int_equal(value_of("4095", UNIT_BYTES), 4095);
	assert_int_equal(value_of("1K", UNIT_BYTES), 1024);
	assert_int_equal(value_of("256M", UNIT_BYTES), 256ull << 20);
	assert_int_equal(value_of("256MiB", UNIT_BYTES), 256ull << 20);
	assert_int_equal(value_of("2gB", UNIT_BYTES), 2ull << 30);
	assert_int_equal(value_of("3T", UNIT_BYTES), 3ull << 40);
	assert_int_equal(value_of("12B", UNIT_BYTES), 12);
}

static void sizes_reject_what_only_looks_like_one(void **state)
{
	(void)state;
	assert_int_equal(error_of("12x", UNIT_BYTES), -EINVAL);
	assert_int_equal(error_of("12iB", UNIT_BYTES), -EINVAL);
	assert_int_equal(error_of("1.5G", UNIT_BYTES), -EINVAL);
	assert_int_equal(error_of("M", UNIT_BYTES), -EINVAL);
	assert_int_equal(error_of("9223372036854775808", UNIT_BYTES), -ERANGE);
	assert_int_equal(error_of("9999999999T", UNIT_BYTES), -ERANGE);
}

static void seconds_take_decimals_and_become_milliseconds(void **state)
{
	(void)state;
	assert_int_equal(value_of("30", UNIT_SECONDS), 30000);
	assert_int_equal(value_of("2.5", UNIT_SECONDS), 2500);
	assert_int_equal(value_of("0.0019", UNIT_SECONDS), 1);
	assert_int_equal(value_of("1.23456789", UNIT_SECONDS), 1234);
}

static void seconds_that_mean_nothing_are_out_of_range(void **state)
{
	(void)state;
	assert_int_equal(error_of("0", UNIT_SECONDS), -ERANGE);
	assert_int_equal(error_of("0.0001", UNIT_SECONDS), -ERANGE);
	assert_int_equal(error_of("9223372036854775808", UNIT_SECONDS), -ERANGE);
	assert_int_equal(error_of("2.", UNIT_SECONDS), -EINVAL);
	assert_int_equal(error_of(".5", UNIT_SECONDS), -EINVAL);
	assert_int_equal(error_of("2.5s", UNIT_SECONDS), -EINVAL);
}

static void signs_blanks_exponents_and_hex_are_no_numbers(void **state)
{
	(void)state;
	assert_int_equal(error_of("", UNIT_COUNT), -EINVAL);
	assert_int_equal(error_of("-1", UNIT_COUNT), -EINVAL);
	assert_int_equal(error_of("+1", UNIT_BYTES), -EINVAL);
	assert_int_equal(error_of(" 1", UNIT_BYTES), -EINVAL);
	assert_int_equal(error_of("1 ", UNIT_SECONDS), -EINVAL);
	assert_int_equal(error_of("1e3", UNIT_SECONDS), -EINVAL);
	assert_int_equal(error_of("0x10", UNIT_COUNT), -EINVAL);
}

static void none_is_a_word_only_where_allowed(void **state)
{
	uint64_t value = 1;

	(void)state;
	assert_int_equal(limits_parse("none", UNIT_COUNT, 1, &value), 0);
	assert_true(value == LIMIT_NONE);
	assert_int_equal(error_of("none", UNIT_COUNT), -EINVAL);
}

static void table_rows_cover_the_whole_struct(void **state)
{
	size_t rows = 0;
	unsigned long offsets = 0;

	(void)state;
	for (const struct limit_row *row = limit_rows; row->key; row++, rows++) {
		offsets += row->offset;
		assert_memory_equal(row->flag, "--", 2);
	}
	assert_int_equal(rows, sizeof(struct limits) / sizeof(uint64_t));
	assert_int_equal(offsets, 8 * (rows * (rows - 1) / 2));
	assert_string_equal(limit_rows[0].key, "wall_s");
	assert_string_equal(limit_rows[8].flag, "--max-output");
}

static void a_row_is_found_by_its_key(void **state)
{
	(void)state;
	assert_string_equal(limits_find("memory")->flag, "--memory");
	assert_null(limits_find("memory_bytes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_limits_are_the_clock_and_the_output),
		cmocka_unit_test(tier_heavy_compute_has_its_numbers_in_any_case),
		cmocka_unit_test(tiers_minimal_and_standard_differ_in_steps_only),
		cmocka_unit_test(unknown_tier_changes_nothing),
		cmocka_unit_test(counts_are_plain_decimal),
		cmocka_unit_test(sizes_take_binary_suffixes),
		cmocka_unit_test(sizes_reject_what_only_looks_like_one),
		cmocka_unit_test(seconds_take_decimals_and_become_milliseconds),
		cmocka_unit_test(seconds_that_mean_nothing_are_out_of_range),
		cmocka_unit_test(signs_blanks_exponents_and_hex_are_no_numbers),
		cmocka_unit_test(none_is_a_word_only_where_allowed),
		cmocka_unit_test(table_rows_cover_the_whole_struct),
		cmocka_unit_test(a_row_is_found_by_its_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
