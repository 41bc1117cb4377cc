/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was seen becomes the least policy: folded by the stated rules, without the places that look sensitive. */
#include "launcher/learned.h"

#include "policy/compile.h"
#include "policy/policy.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Behind what it needs. */
#include <cmocka.h>

#define HOME "/home/user"

struct world {
	struct policy_block *block;
	struct learned *l;
	json_t *document;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct policy *policy = policy_new();

	assert_int_equal(policy_add_path(policy, "/usr", "/", PATH_READ | PATH_EXEC, "test"), 0);
	assert_int_equal(policy_compile(policy, &w->block), 0);
	policy_free(policy);
	w->l = learned_new(&(struct learned_plan){ .block = w->block, .home = HOME });
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	json_decref(w->document);
	learned_free(w->l);
	free(w->block);
	free(w);
	return 0;
}

static void saw(struct world *w, unsigned access, const char *path)
{
	const struct learned_call call = {
		.axis = AXIS_PATH, .access = access, .call = "openat", .target = path
	};

	assert_int_equal(learned_take(w->l, &call), 0);
}

static void saw_made(struct world *w, const char *path)
{
	const struct learned_call call = { .axis = AXIS_PATH,
					   .access = PATH_WRITE,
					   .call = "openat",
					   .target = path,
					   .made_in_run = true };

	assert_int_equal(learned_take(w->l, &call), 0);
}

/* The list's paths, one behind the other. */
static const char *list(struct world *w, const char *name)
{
	static char text[4096];
	json_t *item;
	size_t i;

	json_decref(w->document);
	w->document = learned_document(w->l, "prog");
	assert_non_null(w->document);
	text[0] = 0;
	json_array_foreach(json_object_get(json_object_get(w->document, "filesystem"), name), i, item)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 json_string_value(item));
	return text;
}

static void what_is_granted_is_not_learned(void **state)
{
	saw(*state, PATH_READ, "/usr/lib/x");
	assert_string_equal(list(*state, "read"), "");
}

static void a_path_is_learned_with_its_rights(void **state)
{
	saw(*state, PATH_READ, "/opt/data/a");
	saw(*state, PATH_WRITE, "/var/spool/x/log");
	saw(*state, PATH_EXEC, "/opt/tool/bin/t");
	assert_string_equal(list(*state, "read"), "/opt/data/a");
	assert_string_equal(list(*state, "write"), "/var/spool/x/log");
	assert_string_equal(list(*state, "exec"), "/opt/tool/bin/t");
}

static void what_was_made_needs_its_folder(void **state)
{
	saw_made(*state, "/var/spool/x/new");
	assert_string_equal(list(*state, "write"), "/var/spool/x");
}

static void three_entries_stay_three(void **state)
{
	saw(*state, PATH_READ, "/opt/data/a");
	saw(*state, PATH_READ, "/opt/data/b");
	saw(*state, PATH_READ, "/opt/data/c");
	assert_string_equal(list(*state, "read"), "/opt/data/a /opt/data/b /opt/data/c");
}

static void see_four(struct world *w, const char *folder)
{
	char path[256];

	for (int i = 0; i < LEARNED_FOLD_MIN; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		saw(w, PATH_READ, path);
	}
}

static void four_entries_become_their_folder(void **state)
{
	see_four(*state, "/opt/data/set");
	assert_string_equal(list(*state, "read"), "/opt/data/set");
}

static void folding_goes_on_upwards(void **state)
{
	see_four(*state, "/opt/data/set/0");
	see_four(*state, "/opt/data/set/1");
	see_four(*state, "/opt/data/set/2");
	see_four(*state, "/opt/data/set/3");
	assert_string_equal(list(*state, "read"), "/opt/data/set");
}

static void a_folder_below_the_root_is_too_wide(void **state)
{
	see_four(*state, "/etc");
	assert_string_equal(list(*state, "read"), "/etc/0 /etc/1 /etc/2 /etc/3");
}

static void the_home_folder_is_too_wide(void **state)
{
	see_four(*state, HOME);
	assert_string_equal(list(*state, "read"),
			    HOME "/0 " HOME "/1 " HOME "/2 " HOME "/3");
}

static void a_folder_above_a_secret_is_too_wide(void **state)
{
	see_four(*state, HOME "/.config");
	assert_string_equal(list(*state, "read"), HOME "/.config/0 " HOME "/.config/1 " HOME
						       "/.config/2 " HOME "/.config/3");
}

static void different_rights_are_not_folded_together(void **state)
{
	saw(*state, PATH_READ, "/opt/data/a");
	saw(*state, PATH_READ, "/opt/data/b");
	saw(*state, PATH_READ, "/opt/data/c");
	saw(*state, PATH_WRITE, "/opt/data/d");
	assert_string_equal(list(*state, "read"), "/opt/data/a /opt/data/b /opt/data/c");
}

static void what_a_kept_folder_grants_is_dropped(void **state)
{
	saw(*state, PATH_READ, "/opt/data");
	saw(*state, PATH_READ, "/opt/data/deep/a");
	assert_string_equal(list(*state, "read"), "/opt/data");
}

static void more_than_the_folder_has_is_kept(void **state)
{
	saw(*state, PATH_READ, "/opt/data");
	saw(*state, PATH_WRITE, "/opt/data/log");
	assert_string_equal(list(*state, "read"), "/opt/data");
	assert_string_equal(list(*state, "write"), "/opt/data/log");
}

static void secrets_are_left_out_and_named(void **state)
{
	struct world *w = *state;

	saw(w, PATH_READ, HOME "/.ssh/id_ed25519");
	saw(w, PATH_READ, "/srv/app/.env");
	assert_string_equal(list(w, "read"), "");
	assert_int_equal(learned_left_out(w->l), 2);
	assert_non_null(json_object_get(json_object_get(w->document, "$left_out"), "/srv/app/.env"));
}

static void secrets_are_known_by_place_and_name(void **state)
{
	(void)state;
	assert_true(learned_is_sensitive("/etc/shadow", NULL));
	assert_true(learned_is_sensitive(HOME "/.aws/config", HOME));
	assert_true(learned_is_sensitive("/srv/.env.production", HOME));
	assert_true(learned_is_sensitive("/srv/keys/server.pem", HOME));
	assert_false(learned_is_sensitive(HOME "/.sshx", HOME));
	assert_false(learned_is_sensitive("/srv/environment", HOME));
}

static void ones_own_home_is_no_secret_for_root(void **state)
{
	(void)state;
	assert_true(learned_is_sensitive("/root/x", HOME));
	assert_false(learned_is_sensitive("/root/x", "/root"));
}

static void axes_become_their_keys(void **state)
{
	struct world *w = *state;

	learned_take(w->l, &(struct learned_call){ .axis = AXIS_NETWORK, .call = "connect", .target = "127.0.0.1:1" });
	learned_take(w->l, &(struct learned_call){ .axis = AXIS_PROCESS, .call = "fork", .target = "" });
	(void)list(w, "read");
	assert_string_equal(json_string_value(json_object_get(w->document, "network")), "host");
	assert_true(json_is_true(json_object_get(json_object_get(w->document, "process"), "create")));
	assert_false(json_is_true(json_object_get(w->document, "load")));
}

static void unix_sockets_need_no_network(void **state)
{
	struct world *w = *state;

	learned_take(w->l, &(struct learned_call){ .axis = AXIS_NETWORK, .call = "connect", .target = "unix:/x" });
	(void)list(w, "read");
	assert_string_equal(json_string_value(json_object_get(w->document, "network")), "none");
}

static void an_earlier_run_is_merged(void **state)
{
	struct world *w = *state;
	json_t *earlier = json_pack("{s{si} s{s[s]} ss s{sb}}", "$learned", "runs", 2, "filesystem", "read",
				    "/opt/old", "network", "host", "process", "create", 1);

	assert_int_equal(learned_merge(w->l, earlier), 0);
	json_decref(earlier);
	saw(w, PATH_READ, "/opt/new");
	assert_string_equal(list(w, "read"), "/opt/new /opt/old");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(w->document, "$learned"), "runs")), 3);
	assert_string_equal(json_string_value(json_object_get(w->document, "network")), "host");
}

static void a_document_of_others_is_not_merged(void **state)
{
	struct world *w = *state;
	json_t *other = json_pack("{s{s[s]}}", "filesystem", "read", "/opt/old");

	assert_int_equal(learned_merge(w->l, other), -EINVAL);
	json_decref(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(what_is_granted_is_not_learned),
		TEST(a_path_is_learned_with_its_rights),
		TEST(what_was_made_needs_its_folder),
		TEST(three_entries_stay_three),
		TEST(four_entries_become_their_folder),
		TEST(folding_goes_on_upwards),
		TEST(a_folder_below_the_root_is_too_wide),
		TEST(the_home_folder_is_too_wide),
		TEST(a_folder_above_a_secret_is_too_wide),
		TEST(different_rights_are_not_folded_together),
		TEST(what_a_kept_folder_grants_is_dropped),
		TEST(more_than_the_folder_has_is_kept),
		TEST(secrets_are_left_out_and_named),
		TEST(secrets_are_known_by_place_and_name),
		TEST(ones_own_home_is_no_secret_for_root),
		TEST(axes_become_their_keys),
		TEST(unix_sockets_need_no_network),
		TEST(an_earlier_run_is_merged),
		TEST(a_document_of_others_is_not_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
