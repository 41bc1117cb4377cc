/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grants through links that programs can replace give nothing of their own. */
#include "policy/policy.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define WORK (PATH_READ | PATH_WRITE)

/* root/ (writable) with root/link -> ../else and root/near -> folder; apart -> else beside root/. */
struct world {
	struct policy *p;
	char dir[64], why[3072];
};

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	int bad = 0;

	snprintf(w->dir, sizeof(w->dir), "/tmp/stile-links-XXXXXX");
	bad |= !mkdtemp(w->dir) || chdir(w->dir);
	bad |= mkdir("root", 0700) || mkdir("root/folder", 0700) || mkdir("else", 0700);
	bad |= symlink("../else", "root/link") || symlink("folder", "root/near");
	bad |= symlink("else", "apart");
	w->p = policy_new();
	bad |= policy_add_path(w->p, "root", w->dir, WORK | PATH_EXEC, "profile tool");
	*state = w;
	return bad;
}

static int drop_world(void **state)
{
	struct world *w = *state;
	int bad = unlink("root/link") || unlink("root/near") || unlink("apart");

	bad |= rmdir("root/folder") || rmdir("root") || rmdir("else") || chdir("/") || rmdir(w->dir);
	policy_free(w->p);
	free(w);
	return bad;
}

static void add(struct world *w, const char *path, unsigned rights)
{
	assert_int_equal(policy_add_path(w->p, path, w->dir, rights, "--some"), 0);
}

static int check(struct world *w)
{
	return policy_check_links(w->p, w->why, sizeof(w->why));
}

static void a_replaceable_link_out_is_an_error_that_names_both(void **state)
{
	struct world *w = *state;
	char wanted[512];

	add(w, "root/link", PATH_READ);
	snprintf(wanted, sizeof(wanted),
		 "--some root/link: the link %s/root/link lies where programs may write, and leads to %s/else: name that itself if it is meant",
		 w->dir, w->dir);
	assert_int_equal(check(w), -EACCES);
	assert_string_equal(w->why, wanted);
}

static void a_link_that_stays_inside_is_none(void **state)
{
	add(*state, "root/near", WORK);
	assert_int_equal(check(*state), 0);
}

static void a_link_where_nobody_writes_is_followed(void **state)
{
	add(*state, "apart", WORK);
	assert_int_equal(check(*state), 0);
}

static void a_folder_granted_through_a_link_makes_its_own_links_replaceable(void **state)
{
	add(*state, "apart", WORK);
	assert_int_equal(symlink("../root", "else/back"), 0);
	add(*state, "else/back/near", WORK);
	assert_int_equal(check(*state), 0); /* where they lead is granted anyway */
	assert_int_equal(unlink("else/back") | symlink("/", "else/back"), 0);
	add(*state, "else/back", PATH_READ);
	assert_int_equal(check(*state), -EACCES);
	assert_int_equal(unlink("else/back"), 0);
}

static void a_target_granted_by_its_name_may_be_linked_to(void **state)
{
	add(*state, "root/link", PATH_READ);
	add(*state, "else", WORK);
	assert_int_equal(check(*state), 0);
}

static void the_order_of_the_two_is_free(void **state)
{
	add(*state, "else", WORK);
	add(*state, "root/link", PATH_READ);
	assert_int_equal(check(*state), 0);
}

static void a_link_may_not_add_rights(void **state)
{
	add(*state, "else", PATH_READ);
	add(*state, "root/link", WORK);
	assert_int_equal(check(*state), -EACCES);
}

static void what_is_denied_stays_denied(void **state)
{
	add(*state, "else", PATH_DENY);
	add(*state, "root/link", WORK);
	assert_int_equal(check(*state), 0);
}

static void a_private_tmp_gives_nothing_of_the_hosts(void **state)
{
	struct world *w = *state;

	assert_int_equal(policy_add_path(w->p, "/tmp", NULL, WORK, "profile tool"), 0);
	add(w, "apart", WORK);
	assert_int_equal(check(w), 0);
	add(w, "root/link", WORK | PATH_EXEC);
	assert_int_equal(check(w), -EACCES);
}

static void below_a_denied_folder_a_link_opens_nothing(void **state)
{
	assert_int_equal(mkdir("else/inner", 0700), 0);
	add(*state, "else", PATH_DENY);
	add(*state, "root/link/inner", WORK);
	assert_int_equal(rmdir("else/inner"), 0);
	assert_int_equal(check(*state), -EACCES);
}

static void a_protected_target_gets_no_writing_by_a_link(void **state)
{
	assert_int_equal(mkdir("root/folder/inner", 0700), 0);
	add(*state, "root/folder", PATH_PROTECT);
	add(*state, "root/near/inner", WORK);
	assert_int_equal(rmdir("root/folder/inner"), 0);
	assert_int_equal(check(*state), -EACCES);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, make_world, drop_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(a_replaceable_link_out_is_an_error_that_names_both),
		IN_WORLD(a_link_that_stays_inside_is_none),
		IN_WORLD(a_link_where_nobody_writes_is_followed),
		IN_WORLD(a_folder_granted_through_a_link_makes_its_own_links_replaceable),
		IN_WORLD(a_target_granted_by_its_name_may_be_linked_to),
		IN_WORLD(the_order_of_the_two_is_free),
		IN_WORLD(a_link_may_not_add_rights),
		IN_WORLD(what_is_denied_stays_denied),
		IN_WORLD(a_private_tmp_gives_nothing_of_the_hosts),
		IN_WORLD(below_a_denied_folder_a_link_opens_nothing),
		IN_WORLD(a_protected_target_gets_no_writing_by_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
