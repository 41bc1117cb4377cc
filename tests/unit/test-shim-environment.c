/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a new program's environment gets so that the shim is in it too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/environment.h"

#include <stdlib.h>
#include <string.h>

static const struct environment_wish wish = { "LD_PRELOAD=/room/shim.so",
					      "STILE_ROOM=/room" };

/* Repairs into memory of exactly the size that was measured; the sanitizers see every
 * byte too much. */
static char **repair(char *const *environment, char **text)
{
	struct environment_need need = environment_measure(environment, &wish);
	char **list = malloc(need.entries * sizeof(*list));

	*text = malloc(need.text);
	assert_int_not_equal(need.entries, 0);
	return environment_repair(environment, &wish, list, *text);
}

static void assert_repaired(char *const *environment, const char *const *wanted)
{
	char *text, **list = repair(environment, &text);
	size_t i = 0;

	for (; wanted[i]; i++)
		assert_string_equal(list[i], wanted[i]);
	assert_null(list[i]);
	free(list);
	free(text);
}

#define LIST(...)   ((char *const *)(const char *[]){ __VA_ARGS__, NULL })
#define WANTED(...) ((const char *[]){ __VA_ARGS__, NULL })

static void leaves_a_whole_one_alone(void **state)
{
	(void)state;
	assert_int_equal(environment_measure(LIST("STILE_ROOM=/room", "A=1",
						  "LD_PRELOAD=/room/shim.so"),
					     &wish)
				 .entries,
			 0);
	assert_int_equal(environment_measure(LIST("LD_PRELOAD=/room/shim.so:/x.so",
						  "STILE_ROOM=/room"),
					     &wish)
				 .entries,
			 0);
	assert_int_equal(environment_measure(LIST("LD_PRELOAD=/room/shim.so /x.so",
						  "STILE_ROOM=/room"),
					     &wish)
				 .entries,
			 0);
}

static void fills_an_empty_one(void **state)
{
	(void)state;
	assert_repaired(NULL, WANTED("LD_PRELOAD=/room/shim.so", "STILE_ROOM=/room"));
	assert_repaired((char *[]){ NULL },
			WANTED("LD_PRELOAD=/room/shim.so", "STILE_ROOM=/room"));
}

static void keeps_the_rest_in_order(void **state)
{
	(void)state;
	assert_repaired(LIST("B=2", "A=1"), WANTED("LD_PRELOAD=/room/shim.so",
						   "STILE_ROOM=/room", "B=2", "A=1"));
}

static void keeps_the_programs_own_behind_ours(void **state)
{
	(void)state;
	assert_repaired(LIST("LD_PRELOAD=/x.so:/y.so", "A=1"),
			WANTED("LD_PRELOAD=/room/shim.so:/x.so:/y.so", "STILE_ROOM=/room",
			       "A=1"));
}

static void does_not_repeat_ours(void **state)
{
	(void)state;
	assert_repaired(LIST("LD_PRELOAD=/room/shim.so:/x.so"),
			WANTED("LD_PRELOAD=/room/shim.so:/x.so", "STILE_ROOM=/room"));
}

static void a_longer_name_is_not_ours(void **state)
{
	(void)state;
	assert_repaired(LIST("LD_PRELOAD=/room/shim.so.1", "STILE_ROOM=/room"),
			WANTED("LD_PRELOAD=/room/shim.so:/room/shim.so.1",
			       "STILE_ROOM=/room"));
}

static void corrects_the_room(void **state)
{
	(void)state;
	assert_repaired(LIST("STILE_ROOM=/evil", "LD_PRELOAD=/room/shim.so"),
			WANTED("LD_PRELOAD=/room/shim.so", "STILE_ROOM=/room"));
}

static void of_many_the_last_counts(void **state)
{
	(void)state;
	assert_repaired(LIST("LD_PRELOAD=/x.so", "LD_PRELOAD=/y.so", "STILE_ROOM=/a",
			     "STILE_ROOM=/b"),
			WANTED("LD_PRELOAD=/room/shim.so:/y.so", "STILE_ROOM=/room"));
}

static void passes_on_what_is_too_much(void **state)
{
	char **many = calloc(ENVIRONMENT_MAX + 1, sizeof(*many));
	char *text = calloc(1, ENVIRONMENT_TEXT_MAX + 16);

	(void)state;
	for (size_t i = 0; i < ENVIRONMENT_MAX; i++)
		many[i] = (char *)(uintptr_t) "A=1";
	assert_int_equal(environment_measure(many, &wish).entries, 0);
	memset(text, 'x', ENVIRONMENT_TEXT_MAX);
	memcpy(text, "LD_PRELOAD=", 11);
	assert_int_equal(environment_measure(LIST(text), &wish).entries, 0);
	free(many);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_a_whole_one_alone),
		cmocka_unit_test(fills_an_empty_one),
		cmocka_unit_test(keeps_the_rest_in_order),
		cmocka_unit_test(keeps_the_programs_own_behind_ours),
		cmocka_unit_test(does_not_repeat_ours),
		cmocka_unit_test(a_longer_name_is_not_ours),
		cmocka_unit_test(corrects_the_room),
		cmocka_unit_test(of_many_the_last_counts),
		cmocka_unit_test(passes_on_what_is_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
