/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the frozen policy answers about paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The rules are about /ns, which does not exist: no real file matters. */
struct world {
	struct policy_block *b;
	struct verdict_text text;
	struct verdict v;
};

static int add(struct policy *p, const char *path, unsigned rights, const char *origin)
{
	int r = policy_add_path(p, path, NULL, rights | PATH_DENY, origin);

	p->paths[p->path_count - 1].rights = rights; /* as if it existed */
	return r;
}

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct policy *p = policy_new();
	const unsigned rw = PATH_READ | PATH_WRITE;
	int bad = 0;

	bad |= add(p, "/ns/w", rw, "--write");
	bad |= add(p, "/ns/w/r", PATH_READ, "p.json:2");
	bad |= add(p, "/ns/w/no", PATH_DENY, "policy.json:12");
	bad |= add(p, "/ns/w/no/yes", PATH_READ, "p.json:4");
	bad |= add(p, "/ns/w/.git/hooks", PATH_PROTECT, "profile tool");
	bad |= add(p, "/ns/w/mine", PATH_PROTECT, "policy.json:7");
	bad |= add(p, "/ns/x", PATH_READ | PATH_EXEC, "--exec");
	bad |= policy_compile(p, &w->b);
	policy_free(p);
	*state = w;
	return bad;
}

static int drop_world(void **state)
{
	struct world *w = *state;

	free(w->b);
	free(w);
	return 0;
}

static int ask(struct world *w, const char *path, unsigned access)
{
	policy_decide_path(w->b, path, access, &w->text, &w->v);
	return (int)w->v.action;
}

static void a_path_below_a_grant_is_allowed(void **state)
{
	assert_int_equal(ask(*state, "/ns/w/a/b/c", PATH_READ | PATH_WRITE), ACTION_ALLOW);
}

static void the_granted_path_itself_is_allowed(void **state)
{
	assert_int_equal(ask(*state, "/ns/w", PATH_WRITE), ACTION_ALLOW);
}

static void a_longer_name_is_another_path(void **state)
{
	assert_int_equal(ask(*state, "/ns/wider", PATH_READ), ACTION_DENY);
}

static void what_is_above_a_grant_is_not_granted(void **state)
{
	assert_int_equal(ask(*state, "/ns", PATH_READ), ACTION_DENY);
}

static void the_longest_rule_wins(void **state)
{
	assert_int_equal(ask(*state, "/ns/w/r/f", PATH_READ), ACTION_ALLOW);
	assert_int_equal(ask(*state, "/ns/w/r/f", PATH_WRITE), ACTION_DENY);
}

static void an_allow_below_a_deny_is_allowed_again(void **state)
{
	assert_int_equal(ask(*state, "/ns/w/no/f", PATH_READ), ACTION_DENY);
	assert_int_equal(ask(*state, "/ns/w/no/yes/f", PATH_READ), ACTION_ALLOW);
}

static void a_refusal_says_what_would_allow_it(void **state)
{
	struct world *w = *state;

	assert_int_equal(ask(w, "/etc/shadow", PATH_READ), ACTION_DENY);
	assert_string_equal(w->v.reason, "path '/etc/shadow' is not readable under this policy");
	assert_string_equal(w->v.fix, "--read /etc/shadow");
	assert_int_equal(w->v.rule, 0);
	assert_int_equal(w->v.axis, AXIS_PATH);
}

static void a_missing_write_is_named_before_a_missing_read(void **state)
{
	struct world *w = *state;

	assert_int_equal(ask(w, "/ns/w/r", PATH_READ | PATH_WRITE), ACTION_DENY);
	assert_string_equal(w->v.fix, "--write /ns/w/r");
}

static void a_missing_exec_is_named(void **state)
{
	struct world *w = *state;

	assert_int_equal(ask(w, "/ns/w/a", PATH_READ | PATH_EXEC), ACTION_DENY);
	assert_string_equal(w->v.reason, "path '/ns/w/a' is not executable under this policy");
	assert_string_equal(w->v.fix, "--exec /ns/w/a");
}

static void a_deny_names_its_line(void **state)
{
	struct world *w = *state;

	assert_int_equal(ask(w, "/ns/w/no/f", PATH_READ), ACTION_DENY);
	assert_string_equal(w->v.reason, "path '/ns/w/no/f' is denied by policy.json:12");
	assert_string_equal(w->v.fix, "remove the deny of /ns/w/no (policy.json:12)");
	assert_int_not_equal(w->v.rule, 0);
}

static void a_hook_is_readable_and_not_writable(void **state)
{
	struct world *w = *state;

	assert_int_equal(ask(w, "/ns/w/.git/hooks/pre-push", PATH_READ), ACTION_ALLOW);
	assert_int_equal(ask(w, "/ns/w/.git/hooks/pre-push", PATH_WRITE), ACTION_DENY);
	assert_string_equal(w->v.reason,
			    "path '/ns/w/.git/hooks/pre-push' is protected by profile tool");
	assert_string_equal(w->v.fix, "--allow-hooks");
}

static void an_own_protect_names_its_line(void **state)
{
	struct world *w = *state;

	assert_int_equal(ask(w, "/ns/w/mine", PATH_WRITE), ACTION_DENY);
	assert_string_equal(w->v.fix, "remove the protect of /ns/w/mine (policy.json:7)");
}

static void a_control_character_stays_out_of_the_line(void **state)
{
	struct world *w = *state;

	assert_int_equal(ask(w, "/a\nb'", PATH_READ), ACTION_DENY);
	assert_null(strchr(w->v.reason, '\n'));
	assert_string_equal(w->v.fix, "--read $'/a\\x0ab\\''");
}

static void a_path_that_is_not_normal_fails_closed(void **state)
{
	assert_int_equal(ask(*state, "/ns/w/../../etc", PATH_READ), ACTION_DENY);
	assert_int_equal(ask(*state, "/ns/w//no", PATH_READ), ACTION_DENY);
	assert_int_equal(ask(*state, "/ns/w/./no", PATH_READ), ACTION_DENY);
	assert_int_equal(ask(*state, "/ns/w/", PATH_READ), ACTION_DENY);
	assert_int_equal(ask(*state, "ns/w", PATH_READ), ACTION_DENY);
	assert_int_equal(ask(*state, "", PATH_READ), ACTION_DENY);
}

static void names_that_begin_with_dots_are_plain(void **state)
{
	assert_int_equal(ask(*state, "/ns/w/..a/.b/...", PATH_READ), ACTION_ALLOW);
}

static void rights_come_with_their_rule(void **state)
{
	struct world *w = *state;
	uint32_t rule = 0;

	assert_int_equal(policy_path_rights(w->b, "/ns/x/y", &rule), PATH_READ | PATH_EXEC);
	assert_int_not_equal(rule, 0);
	assert_int_equal(policy_path_rights(w->b, "/", &rule), 0);
	assert_int_equal(rule, 0);
}

static void a_path_of_any_length_is_answered(void **state)
{
	struct world *w = *state;
	char *path = calloc(1, 20001);

	memset(path, '\x01', 20000);
	path[0] = '/';
	assert_int_equal(ask(w, path, PATH_READ), ACTION_DENY);
	assert_true(strlen(w->v.reason) < VERDICT_TEXT_MAX);
	free(path);
}

static void the_normal_form_resolves_dots_and_slashes(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(policy_path_normalise("/a/b", "../c//./d/", out, sizeof(out)), 6);
	assert_string_equal(out, "/a/c/d");
}

static void the_normal_form_never_leaves_the_root(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(policy_path_normalise("/a", "../../../..", out, sizeof(out)), 1);
	assert_string_equal(out, "/");
}

static void an_absolute_path_ignores_the_base(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(policy_path_normalise("/a", "/b/../c", out, sizeof(out)), 2);
	assert_string_equal(out, "/c");
}

static void the_normal_form_fits_exactly_or_not(void **state)
{
	char out[5];

	(void)state;
	assert_int_equal(policy_path_normalise("/", "abc", out, 5), 4);
	assert_int_equal(policy_path_normalise("/", "abc", out, 4), -ENAMETOOLONG);
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, drop_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(a_path_below_a_grant_is_allowed),
		IN_WORLD(the_granted_path_itself_is_allowed),
		IN_WORLD(a_longer_name_is_another_path),
		IN_WORLD(what_is_above_a_grant_is_not_granted),
		IN_WORLD(the_longest_rule_wins),
		IN_WORLD(an_allow_below_a_deny_is_allowed_again),
		IN_WORLD(a_refusal_says_what_would_allow_it),
		IN_WORLD(a_missing_write_is_named_before_a_missing_read),
		IN_WORLD(a_missing_exec_is_named),
		IN_WORLD(a_deny_names_its_line),
		IN_WORLD(a_hook_is_readable_and_not_writable),
		IN_WORLD(an_own_protect_names_its_line),
		IN_WORLD(a_control_character_stays_out_of_the_line),
		IN_WORLD(a_path_that_is_not_normal_fails_closed),
		IN_WORLD(names_that_begin_with_dots_are_plain),
		IN_WORLD(rights_come_with_their_rule),
		IN_WORLD(a_path_of_any_length_is_answered),
		cmocka_unit_test(the_normal_form_resolves_dots_and_slashes),
		cmocka_unit_test(the_normal_form_never_leaves_the_root),
		cmocka_unit_test(an_absolute_path_ignores_the_base),
		cmocka_unit_test(the_normal_form_fits_exactly_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
