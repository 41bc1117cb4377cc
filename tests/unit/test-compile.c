/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A policy frozen into a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/compile.h"

#include <stdlib.h>
#include <string.h>

static int add(struct policy *p, const char *path, unsigned rights)
{
	int r = policy_add_path(p, path, NULL, PATH_DENY, "test");

	p->paths[p->path_count - 1].rights = rights; /* as if it existed */
	return r;
}

static struct policy_block *compile_new(struct policy *p)
{
	struct policy_block *b = NULL;

	assert_int_equal(policy_compile(p, &b), 0);
	policy_free(p);
	return b;
}

static void an_empty_policy_grants_nothing(void **state)
{
	struct policy_block *b = compile_new(policy_new());

	(void)state;
	assert_int_equal(b->magic, POLICY_BLOCK_MAGIC);
	assert_int_equal(b->rule_count, 1);
	assert_int_equal(policy_path_rights(b, "/", NULL), 0);
	free(b);
}

static void order_never_matters(void **state)
{
	struct policy *one = policy_new(), *two = policy_new();
	struct policy_block *b, *c;

	(void)state;
	add(one, "/ns/a", PATH_READ), add(one, "/ns/a/b", PATH_READ | PATH_WRITE);
	add(two, "/ns/a/b", PATH_READ | PATH_WRITE), add(two, "/ns/a", PATH_READ);
	b = compile_new(one);
	c = compile_new(two);
	assert_int_equal(b->size, c->size);
	assert_memory_equal(b, c, b->size);
	free(b);
	free(c);
}

static void one_more_rule_is_one_of_the_block(void **state)
{
	char path[] = "/ns/work", origin[] = "the run folder";
	struct path_rule more = { .path = path, .rights = PATH_READ | PATH_WRITE, .origin = origin };
	struct policy *p = policy_new();
	struct policy_block *b = NULL;

	(void)state;
	add(p, "/ns", PATH_DENY);
	assert_int_equal(policy_compile_with(p, &(struct more_rules){ &more, 1 }, &b), 0);
	assert_int_equal(policy_path_rights(b, "/ns/work/x", NULL), PATH_READ | PATH_WRITE);
	assert_int_equal(policy_path_rights(b, "/ns/else", NULL) & PATH_READ, 0);
	free(b);
	policy_free(p);
}

static void the_policys_own_rule_beats_one_more(void **state)
{
	char path[] = "/ns/work", origin[] = "the run folder";
	struct path_rule more = { .path = path, .rights = PATH_READ | PATH_WRITE, .origin = origin };
	struct policy *p = policy_new();
	struct policy_block *b = NULL;

	(void)state;
	add(p, "/ns/work", PATH_READ);
	assert_int_equal(policy_compile_with(p, &(struct more_rules){ &more, 1 }, &b), 0);
	assert_int_equal(policy_path_rights(b, "/ns/work/x", NULL), PATH_READ);
	free(b);
	policy_free(p);
}

static void the_block_can_be_moved(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b, *moved;

	(void)state;
	add(p, "/ns/a", PATH_READ);
	b = compile_new(p);
	moved = malloc(b->size);
	memcpy(moved, b, b->size);
	free(b);
	assert_int_equal(policy_path_rights(moved, "/ns/a/x", NULL), PATH_READ);
	free(moved);
}

static void a_deny_keeps_no_grant(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;

	(void)state;
	add(p, "/ns/a", PATH_READ | PATH_WRITE | PATH_DENY);
	b = compile_new(p);
	assert_int_equal(policy_path_rights(b, "/ns/a", NULL), PATH_DENY);
	free(b);
}

static void a_protected_path_inherits_all_but_writing(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;

	(void)state;
	add(p, "/ns/a/b/c", PATH_PROTECT);
	add(p, "/ns/a", PATH_READ | PATH_WRITE | PATH_EXEC);
	b = compile_new(p);
	assert_int_equal(policy_path_rights(b, "/ns/a/b/c/d", NULL),
			 PATH_READ | PATH_EXEC | PATH_PROTECT);
	free(b);
}

static void protected_below_protected_inherits_through_it(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;

	(void)state;
	add(p, "/ns/a/b/c", PATH_PROTECT);
	add(p, "/ns/a/b", PATH_PROTECT);
	add(p, "/ns/a", PATH_READ | PATH_WRITE);
	b = compile_new(p);
	assert_int_equal(policy_path_rights(b, "/ns/a/b/c", NULL), PATH_READ | PATH_PROTECT);
	free(b);
}

static void protected_below_denied_gets_nothing(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;

	(void)state;
	add(p, "/ns/a", PATH_DENY);
	add(p, "/ns/a/b", PATH_PROTECT);
	b = compile_new(p);
	assert_int_equal(policy_path_rights(b, "/ns/a/b", NULL), PATH_PROTECT);
	free(b);
}

static void protecting_wins_over_writing_the_same_path(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;

	(void)state;
	add(p, "/ns/a", PATH_READ | PATH_WRITE | PATH_PROTECT);
	b = compile_new(p);
	assert_int_equal(policy_path_rights(b, "/ns/a", NULL), PATH_READ | PATH_PROTECT);
	free(b);
}

static void a_rule_for_the_root_reaches_everything(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;

	(void)state;
	add(p, "/", PATH_READ);
	b = compile_new(p);
	assert_int_equal(policy_path_rights(b, "/", NULL), PATH_READ);
	assert_int_equal(policy_path_rights(b, "/x/y", NULL), PATH_READ);
	free(b);
}

static void the_denylist_is_sorted(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;
	const uint32_t *deny;

	(void)state;
	assert_int_equal(policy_add_string(&p->deny_argv0, "scp"), 0);
	assert_int_equal(policy_add_string(&p->deny_argv0, "doas"), 0);
	b = compile_new(p);
	deny = (const uint32_t *)((const char *)b + b->deny);
	assert_int_equal(b->deny_count, 2);
	assert_string_equal(block_text(b, deny[0]), "doas");
	assert_string_equal(block_text(b, deny[1]), "scp");
	free(b);
}

static void the_plain_answers_are_carried_over(void **state)
{
	struct policy *p = policy_new();
	struct policy_block *b;

	(void)state;
	p->network = NETWORK_HOST;
	p->processes = true;
	p->limits.steps = 7;
	p->root = strdup("/ns");
	p->profile = strdup("tool");
	b = compile_new(p);
	assert_int_equal(b->network, NETWORK_HOST);
	assert_int_equal(b->processes, 1);
	assert_int_equal(b->limits.steps, 7);
	assert_string_equal(block_text(b, b->root), "/ns");
	assert_string_equal(block_text(b, b->profile), "tool");
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_policy_grants_nothing),
		cmocka_unit_test(order_never_matters),
		cmocka_unit_test(one_more_rule_is_one_of_the_block),
		cmocka_unit_test(the_policys_own_rule_beats_one_more),
		cmocka_unit_test(the_block_can_be_moved),
		cmocka_unit_test(a_deny_keeps_no_grant),
		cmocka_unit_test(a_protected_path_inherits_all_but_writing),
		cmocka_unit_test(protected_below_protected_inherits_through_it),
		cmocka_unit_test(protected_below_denied_gets_nothing),
		cmocka_unit_test(protecting_wins_over_writing_the_same_path),
		cmocka_unit_test(a_rule_for_the_root_reaches_everything),
		cmocka_unit_test(the_denylist_is_sorted),
		cmocka_unit_test(the_plain_answers_are_carried_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
