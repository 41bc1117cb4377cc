/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Path rules as they are added: resolved once, merged, hostile links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/policy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder with dir/, file, link -> dir, dangling -> dir/none, loop -> loop, out -> /etc/hostname. */
struct world {
	struct policy *p;
	char dir[64];
	char text[PATH_MAX];
};

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	int bad = 0;

	strncpy(w->dir, "/tmp/stile-policy-XXXXXX", sizeof(w->dir) - 1);
	bad |= !mkdtemp(w->dir) || chdir(w->dir);
	bad |= mkdir("dir", 0700) || mkdir("dir/sub", 0700) || mkdir("file", 0700);
	bad |= symlink("dir", "link") || symlink("dir/none", "dangling");
	bad |= symlink("loop", "loop") || symlink("/etc/hostname", "out");
	w->p = policy_new();
	*state = w;
	return bad || !w->p;
}

static int drop_world(void **state)
{
	struct world *w = *state;
	int bad = 0;

	bad |= rmdir("dir/sub") || rmdir("dir") || rmdir("file") || unlink("link");
	bad |= unlink("dangling") || unlink("loop") || unlink("out") || chdir("/") || rmdir(w->dir);
	policy_free(w->p);
	free(w);
	return bad;
}

static const char *in(struct world *w, const char *name)
{
	(void)snprintf(w->text, sizeof(w->text), "%s/%s", w->dir, name);
	return w->text;
}

static int add(struct world *w, const char *path, unsigned rights)
{
	return policy_add_path(w->p, path, w->dir, rights, "test");
}

static void relative_paths_are_the_base_folders(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "dir//sub/../sub/.", PATH_READ), 0);
	assert_string_equal(w->p->paths[0].path, in(w, "dir/sub"));
	assert_string_equal(w->p->paths[0].written, "dir//sub/../sub/.");
}

static void a_link_is_resolved_at_load(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "link/sub/", PATH_READ), 0);
	assert_string_equal(w->p->paths[0].path, in(w, "dir/sub"));
}

static void tilde_is_home(void **state)
{
	struct world *w = *state;

	assert_int_equal(setenv("HOME", w->dir, 1), 0);
	assert_int_equal(add(w, "~/dir", PATH_READ), 0);
	assert_string_equal(w->p->paths[0].path, in(w, "dir"));
}

static void another_users_tilde_is_refused(void **state)
{
	assert_int_equal(add(*state, "~root/x", PATH_READ), -EINVAL);
}

static void an_empty_path_is_refused(void **state)
{
	assert_int_equal(add(*state, "", PATH_READ), -EINVAL);
}

static void a_relative_path_needs_a_base(void **state)
{
	struct world *w = *state;

	assert_int_equal(policy_add_path(w->p, "dir", NULL, PATH_READ, "test"), -EINVAL);
}

static void a_grant_of_nothing_is_an_error(void **state)
{
	assert_int_equal(add(*state, "none", PATH_READ), -ENOENT);
}

static void an_optional_grant_of_nothing_is_no_rule(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "none", PATH_READ | PATH_OPTIONAL), 0);
	assert_int_equal(w->p->path_count, 0);
}

static void a_deny_of_nothing_is_a_rule(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "link/none/../other/x", PATH_DENY), 0);
	assert_string_equal(w->p->paths[0].path, in(w, "dir/other/x"));
}

static void a_denied_link_is_denied_with_its_target(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "dangling", PATH_DENY), 0);
	assert_int_equal(w->p->path_count, 2);
	assert_string_equal(w->p->paths[0].path, in(w, "dangling"));
	assert_string_equal(w->p->paths[1].path, in(w, "dir/none"));
}

static void a_denied_loop_is_denied_by_name(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "loop", PATH_DENY), 0);
	assert_int_equal(w->p->path_count, 1);
}

static void a_protected_link_out_makes_no_rule_there(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, ".", PATH_WRITE), 0);
	assert_int_equal(add(w, "out", PATH_PROTECT), 0);
	assert_int_equal(w->p->path_count, 2);
	assert_string_equal(w->p->paths[1].path, in(w, "out"));
}

static void a_protected_link_inside_protects_its_target(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, ".", PATH_WRITE), 0);
	assert_int_equal(add(w, "link", PATH_PROTECT), 0);
	assert_int_equal(w->p->path_count, 3);
	assert_string_equal(w->p->paths[2].path, in(w, "dir"));
}

static void the_same_path_adds_rights(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "dir", PATH_WRITE), 0);
	assert_int_equal(add(w, "link/", PATH_EXEC | PATH_OPTIONAL), 0);
	assert_int_equal(w->p->path_count, 1);
	assert_int_equal(w->p->paths[0].rights, PATH_READ | PATH_WRITE | PATH_EXEC);
}

static void the_deny_is_to_blame_in_a_merged_rule(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "dir", PATH_READ), 0);
	assert_int_equal(policy_add_path(w->p, "dir", w->dir, PATH_DENY, "p.json:3"), 0);
	assert_true(w->p->paths[0].rights & PATH_DENY);
	assert_string_equal(w->p->paths[0].origin, "p.json:3");
}

static void writing_and_executing_imply_reading(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "dir", PATH_WRITE), 0);
	assert_int_equal(add(w, "file", PATH_EXEC), 0);
	assert_int_equal(w->p->paths[0].rights, PATH_READ | PATH_WRITE);
	assert_int_equal(w->p->paths[1].rights, PATH_READ | PATH_EXEC);
}

static void the_root_itself_can_be_a_rule(void **state)
{
	struct world *w = *state;

	assert_int_equal(add(w, "/..//", PATH_DENY), 0);
	assert_string_equal(w->p->paths[0].path, "/");
}

static void dropping_hooks_keeps_a_documents_own(void **state)
{
	struct world *w = *state;

	assert_int_equal(policy_add_path(w->p, "a", w->dir, PATH_PROTECT, "profile tool"), 0);
	assert_int_equal(policy_add_path(w->p, "b", w->dir, PATH_PROTECT, "p.json:3"), 0);
	policy_drop_hooks(w->p);
	assert_int_equal(w->p->path_count, 1);
	assert_string_equal(w->p->paths[0].path, in(w, "b"));
}

static void a_path_beyond_the_kernels_limit_is_refused(void **state)
{
	struct world *w = *state;
	char *path = calloc(1, 8193);

	memset(path, 'a', 8192);
	assert_int_equal(add(w, path, PATH_DENY), -ENAMETOOLONG);
	free(path);
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, drop_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(relative_paths_are_the_base_folders),
		IN_WORLD(a_link_is_resolved_at_load),
		IN_WORLD(tilde_is_home),
		IN_WORLD(another_users_tilde_is_refused),
		IN_WORLD(an_empty_path_is_refused),
		IN_WORLD(a_relative_path_needs_a_base),
		IN_WORLD(a_grant_of_nothing_is_an_error),
		IN_WORLD(an_optional_grant_of_nothing_is_no_rule),
		IN_WORLD(a_deny_of_nothing_is_a_rule),
		IN_WORLD(a_denied_link_is_denied_with_its_target),
		IN_WORLD(a_denied_loop_is_denied_by_name),
		IN_WORLD(a_protected_link_out_makes_no_rule_there),
		IN_WORLD(a_protected_link_inside_protects_its_target),
		IN_WORLD(the_same_path_adds_rights),
		IN_WORLD(the_deny_is_to_blame_in_a_merged_rule),
		IN_WORLD(writing_and_executing_imply_reading),
		IN_WORLD(the_root_itself_can_be_a_rule),
		IN_WORLD(dropping_hooks_keeps_a_documents_own),
		IN_WORLD(a_path_beyond_the_kernels_limit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
