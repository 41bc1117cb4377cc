/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words that help and completions offer are words that the parsers take. */
#include "launcher/option_use.h"

#include "launcher/session.h"
#include "policy/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many words of the option's list the reader does not take. */
static int count_refused(const char *flag, int (*takes)(const char *word))
{
	char *words = strdup(option_words(flag)), *at = NULL;
	int refused = 0;

	for (char *word = strtok_r(words, " ", &at); word; word = strtok_r(NULL, " ", &at))
		refused += takes(word) < 0;
	free(words);
	return refused;
}

static int takes_mode(const char *word)
{
	enum sandbox_mode mode;
	char why[256];

	return sandbox_mode_parse(word, &mode, why, sizeof(why));
}

static int takes_tier(const char *word)
{
	struct limits limits = limits_default();

	return limits_apply_tier(&limits, word);
}

static bool is_listed(const char *flag)
{
	struct option_view view;

	for (size_t i = 0; option_at(i, &view); i++)
		if (strcmp(view.flag, flag) == 0)
			return true;
	return false;
}

static void test_every_offered_mode_is_a_mode(void **state)
{
	(void)state;
	assert_int_equal(count_refused("--sandbox", takes_mode), 0);
}

static void test_every_offered_tier_is_a_tier(void **state)
{
	(void)state;
	assert_int_equal(count_refused("--tier", takes_tier), 0);
}

static void test_options_and_limits_are_listed(void **state)
{
	(void)state;
	assert_true(is_listed("--profile"));
	assert_true(is_listed("--wall"));
	assert_false(is_listed("--nonsense"));
}

static void test_a_narrow_option_fits_its_verbs_only(void **state)
{
	(void)state;
	assert_true(option_is_narrow("--show"));
	assert_true(option_fits("--show", "check"));
	assert_false(option_fits("--show", "run"));
}

static void test_a_wide_option_fits_every_verb(void **state)
{
	(void)state;
	assert_false(option_is_narrow("--read"));
	assert_true(option_fits("--read", "run"));
	assert_true(option_fits("--read", "session"));
}

static void test_lists_may_be_repeated_and_texts_not(void **state)
{
	(void)state;
	assert_true(option_repeats("--env"));
	assert_false(option_repeats("--result"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_offered_mode_is_a_mode),
		cmocka_unit_test(test_every_offered_tier_is_a_tier),
		cmocka_unit_test(test_options_and_limits_are_listed),
		cmocka_unit_test(test_a_narrow_option_fits_its_verbs_only),
		cmocka_unit_test(test_a_wide_option_fits_every_verb),
		cmocka_unit_test(test_lists_may_be_repeated_and_texts_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
