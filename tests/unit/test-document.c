/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Policy documents: what they mean, and the one line each mistake gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/compile.h"
#include "policy/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world {
	struct policy *p;
	struct document_error err;
};

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->p = policy_new();
	*state = w;
	return !w->p;
}

static int drop_world(void **state)
{
	struct world *w = *state;

	policy_free(w->p);
	free(w);
	return 0;
}

static int load(struct world *w, const char *json)
{
	return document_load(w->p, json, strlen(json), "p.json", "/", &w->err);
}

static const struct path_rule *rule_of(const struct policy *p, const char *path)
{
	for (size_t i = 0; i < p->path_count; i++)
		if (!strcmp(p->paths[i].path, path))
			return &p->paths[i];
	return NULL;
}

/* One row of the error table: a document and its one line. */
static void assert_error(void **state, const char *json, const char *text)
{
	struct world *w = *state;

	assert_int_not_equal(load(w, json), 0);
	assert_string_equal(w->err.text, text);
}

static void an_empty_document_changes_nothing(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, " {} \n"), 0);
	assert_int_equal(w->p->path_count, 0);
}

static void every_key_has_its_effect(void **state)
{
	struct world *w = *state;

	assert_int_equal(
		load(w, "{\"version\":1,\"network\":\"host\",\"process\":{\"create\":true},"
			"\"load\":true,\"argv\":{\"metachars\":\"off\",\"shell\":true,\"deny\":[\"scp\"]},"
			"\"environment\":{\"keep\":[\"A\"],\"set\":{\"B\":\"c=d\"}},"
			"\"require\":[\"mount\",\"cgroup\"]}"),
		0);
	assert_int_equal(w->p->network, NETWORK_HOST);
	assert_true(w->p->processes && w->p->load && w->p->shell);
	assert_int_equal(w->p->metachars, METACHARS_OFF);
	assert_string_equal(w->p->deny_argv0.item[0], "scp");
	assert_string_equal(w->p->env_keep.item[0], "A");
	assert_string_equal(w->p->env_set.item[0], "B=c=d");
	assert_string_equal(w->p->require.item[1], "cgroup");
}

static void limits_beat_the_tier_in_any_order(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, "{\"limits\":{\"wall_s\":2.5,\"memory\":\"1M\",\"processes\":3,"
				 "\"disk\":\"none\"},\"tier\":\"minimal\"}"),
			 0);
	assert_int_equal(w->p->limits.wall_ms, 2500);
	assert_int_equal(w->p->limits.memory_bytes, 1 << 20);
	assert_int_equal(w->p->limits.processes, 3);
	assert_int_equal(w->p->limits.steps, 100000);
	assert_true(w->p->limits.disk_bytes == LIMIT_NONE);
}

static void a_rule_knows_its_line(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, "{\n\"filesystem\": {\n\"r\\u0065ad\": [\"/etc\",\n\"/usr\"]}}"), 0);
	assert_string_equal(rule_of(w->p, "/etc")->origin, "p.json:3");
	assert_string_equal(rule_of(w->p, "/usr")->origin, "p.json:4");
}

static void relative_paths_are_the_base_folders(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, "{\"filesystem\":{\"read\":[\"etc\"]}}"), 0);
	assert_non_null(rule_of(w->p, "/etc"));
}

static void comments_are_ignored_anywhere(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, "{\"//\":[{\"x\":1}],\"$schema\":\"s\",\"limits\":{\"// a\":\"b\"},"
				 "\"environment\":{\"set\":{\"//\":1}}}"),
			 0);
	assert_int_equal(w->p->env_set.count, 0);
}

static void an_optional_path_may_be_absent(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, "{\"filesystem\":{\"read\":[\"/no/such?\"]}}"), 0);
	assert_int_equal(w->p->path_count, 0);
}

static void a_misspelt_key_is_answered_with_the_nearest(void **state)
{
	assert_error(state, "{\n  \"filesystem\": {\n    \"raed\": []}}",
		     "p.json:3:5: filesystem.raed: unknown key; did you mean \"read\"?");
}

static void a_strange_key_is_answered_with_all(void **state)
{
	assert_error(state, "{\"process\":{\"zzzzzzzz\":1}}",
		     "p.json:1:13: process.zzzzzzzz: unknown key; known: create");
}

static void a_misspelt_limit_is_answered_too(void **state)
{
	assert_error(state, "{\"limits\":{\"memroy\":1}}",
		     "p.json:1:12: limits.memroy: unknown key; did you mean \"memory\"?");
}

static void a_misspelt_layer_is_answered_too(void **state)
{
	assert_error(state, "{\"require\":[\"landlok\"]}",
		     "p.json:1:13: require[0]: unknown value \"landlok\"; did you mean \"landlock\"?");
}

static void a_wrong_type_is_named(void **state)
{
	assert_error(state, "{\"filesystem\":{\"read\":\"/etc\"}}",
		     "p.json:1:23: filesystem.read: must be an array of strings, not a string");
}

static void a_wrong_element_is_named(void **state)
{
	assert_error(state, "{\"filesystem\":{\"read\":[\"/etc\", 7]}}",
		     "p.json:1:32: filesystem.read[1]: must be a string, not a number");
}

static void an_array_is_no_document(void **state)
{
	assert_error(state, "[]", "p.json:1:1: must be an object, not an array");
}

static void a_key_given_twice_is_an_error(void **state)
{
	assert_error(state, "{\"limits\":{\"steps\":1,\n\"steps\":2}}",
		     "p.json:2:7: limits.steps: the key is given twice");
}

static void a_missing_path_is_an_error(void **state)
{
	assert_error(state, "{\"filesystem\":{\"write\":[\"/no/such\"]}}",
		     "p.json:1:25: filesystem.write[0]: \"/no/such\": No such file or directory"
		     " (write it with a \"?\" behind it if it may be absent)");
}

static void a_number_past_int64_is_an_error(void **state)
{
	assert_error(state, "{\"limits\":{\"steps\":99999999999999999999}}",
		     "p.json:1:39: limits.steps: the number is too large");
}

static void a_real_count_is_an_error(void **state)
{
	assert_error(state, "{\"limits\":{\"steps\":1.5}}",
		     "p.json:1:20: limits.steps: must be a whole number");
}

static void a_negative_limit_is_an_error(void **state)
{
	assert_error(state, "{\"limits\":{\"memory\":-1}}",
		     "p.json:1:21: limits.memory: \"-1\" is not a size, like \"256M\", nor \"none\"");
}

static void text_behind_the_end_is_an_error(void **state)
{
	assert_error(state, "{} x", "p.json:1:4: something stands behind the end");
}

static void a_nul_in_a_string_is_an_error(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, "{\"filesystem\":{\"read\":[\"/etc\\u0000x\"]}}"), -EINVAL);
	assert_non_null(strstr(w->err.text, "filesystem.read[0]: a string may not contain a NUL"));
}

static void a_depth_bomb_is_an_error(void **state)
{
	struct world *w = *state;
	char *json = malloc(1000001);

	memset(json, '[', 1000000);
	json[1000000] = '\0';
	assert_int_equal(load(w, json), -EINVAL);
	assert_non_null(strstr(w->err.text, "nested too deeply"));
	free(json);
}

static void a_giant_is_refused_unread(void **state)
{
	struct world *w = *state;

	assert_int_equal(document_load(w->p, "{}", ((size_t)16 << 20) + 1, "p.json", "/", &w->err),
			 -EFBIG);
}

static void an_unknown_version_is_an_error(void **state)
{
	assert_error(state, "{\"version\":2}",
		     "p.json:1:12: version: version 2 is not known here, only 1 is");
}

static void an_unknown_tier_is_an_error(void **state)
{
	assert_error(state, "{\"tier\":\"MINIMUM\"}",
		     "p.json:1:9: tier: unknown value \"MINIMUM\"; did you mean \"MINIMAL\"?");
}

static void columns_count_characters(void **state)
{
	assert_error(state, "{\"//\":\"\xc3\xa4\xc3\xb6\",\"lod\":1}",
		     "p.json:1:12: lod: unknown key; did you mean \"load\"?");
}

static void the_documents_profile_is_its_base(void **state)
{
	struct world *w = *state;

	assert_int_equal(load(w, "{\"limits\":{\"processes\":5},\"profile\":\"tool\"}"), 0);
	assert_string_equal(w->p->profile, "tool");
	assert_int_equal(w->p->limits.processes, 5);
	assert_non_null(rule_of(w->p, "/usr"));
}

static void another_profile_than_the_one_in_force_is_an_error(void **state)
{
	struct world *w = *state;

	assert_int_equal(document_load_profile(w->p, "code", NULL, &w->err), 0);
	assert_error(state, "{\"profile\":\"tool\"}",
		     "p.json:1:12: profile: is \"tool\", but profile \"code\" is in force");
}

static void the_code_profile_is_standard_and_alone(void **state)
{
	struct world *w = *state;

	assert_int_equal(document_load_profile(w->p, "code", NULL, &w->err), 0);
	assert_false(w->p->processes);
	assert_int_equal(w->p->network, NETWORK_NONE);
	assert_int_equal(w->p->limits.steps, 10000000);
	assert_int_equal(rule_of(w->p, "/dev/null")->rights & PATH_WRITE, PATH_WRITE);
	assert_string_equal(rule_of(w->p, "/dev/null")->origin, "profile code");
	assert_null(w->p->root);
}

static void the_tool_profile_opens_its_root_but_not_its_hooks(void **state)
{
	struct world *w = *state;
	char root[] = "/tmp/stile-document-XXXXXX", hook[64];

	assert_non_null(mkdtemp(root));
	assert_int_equal(document_load_profile(w->p, "tool", root, &w->err), 0);
	(void)snprintf(hook, sizeof(hook), "%s/.git/hooks", root);
	assert_string_equal(w->p->root, root);
	assert_int_equal(rule_of(w->p, root)->rights, PATH_READ | PATH_WRITE | PATH_EXEC);
	assert_int_equal(rule_of(w->p, hook)->rights, PATH_PROTECT);
	assert_int_equal(w->p->limits.processes, 64);
	assert_true(w->p->limits.steps == LIMIT_NONE);
	assert_int_equal(rmdir(root), 0);
}

static void allowing_hooks_takes_the_profiles_protection_away(void **state)
{
	struct world *w = *state;
	char root[] = "/tmp/stile-document-XXXXXX", hook[64];

	assert_non_null(mkdtemp(root));
	assert_int_equal(document_load_profile(w->p, "tool", root, &w->err), 0);
	assert_int_equal(load(w, "{\"filesystem\":{\"allow_hooks\":true,\"protect\":[\"/own\"]}}"), 0);
	(void)snprintf(hook, sizeof(hook), "%s/.git/hooks", root);
	assert_null(rule_of(w->p, hook));
	assert_non_null(rule_of(w->p, "/own"));
	assert_int_equal(rmdir(root), 0);
}

static void an_unknown_profile_is_an_error(void **state)
{
	struct world *w = *state;

	assert_int_equal(document_load_profile(w->p, "tol", NULL, &w->err), -EINVAL);
	assert_non_null(strstr(w->err.text, "did you mean \"tool\"?"));
	assert_null(document_profile("tol"));
	assert_non_null(document_profile("tool"));
}

static void a_missing_file_is_named(void **state)
{
	struct world *w = *state;

	assert_int_equal(document_load_file(w->p, "/no/such.json", &w->err), -ENOENT);
	assert_string_equal(w->err.text, "/no/such.json: No such file or directory");
}

static void a_files_paths_are_its_folders(void **state)
{
	struct world *w = *state;
	char file[] = "/tmp/stile-document-XXXXXX";
	int fd = mkstemp(file);

	assert_int_equal(write(fd, "{\"filesystem\":{\"deny\":[\"x/../y\"]}}", 34), 34);
	assert_int_equal(close(fd), 0);
	assert_int_equal(document_load_file(w->p, file, &w->err), 0);
	assert_string_equal(w->p->paths[0].path, "/tmp/y");
	assert_int_equal(unlink(file), 0);
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, drop_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(an_empty_document_changes_nothing),
		IN_WORLD(every_key_has_its_effect),
		IN_WORLD(limits_beat_the_tier_in_any_order),
		IN_WORLD(a_rule_knows_its_line),
		IN_WORLD(relative_paths_are_the_base_folders),
		IN_WORLD(comments_are_ignored_anywhere),
		IN_WORLD(an_optional_path_may_be_absent),
		IN_WORLD(a_misspelt_key_is_answered_with_the_nearest),
		IN_WORLD(a_strange_key_is_answered_with_all),
		IN_WORLD(a_misspelt_limit_is_answered_too),
		IN_WORLD(a_misspelt_layer_is_answered_too),
		IN_WORLD(a_wrong_type_is_named),
		IN_WORLD(a_wrong_element_is_named),
		IN_WORLD(an_array_is_no_document),
		IN_WORLD(a_key_given_twice_is_an_error),
		IN_WORLD(a_missing_path_is_an_error),
		IN_WORLD(a_number_past_int64_is_an_error),
		IN_WORLD(a_real_count_is_an_error),
		IN_WORLD(a_negative_limit_is_an_error),
		IN_WORLD(text_behind_the_end_is_an_error),
		IN_WORLD(a_nul_in_a_string_is_an_error),
		IN_WORLD(a_depth_bomb_is_an_error),
		IN_WORLD(a_giant_is_refused_unread),
		IN_WORLD(an_unknown_version_is_an_error),
		IN_WORLD(an_unknown_tier_is_an_error),
		IN_WORLD(columns_count_characters),
		IN_WORLD(the_documents_profile_is_its_base),
		IN_WORLD(another_profile_than_the_one_in_force_is_an_error),
		IN_WORLD(the_code_profile_is_standard_and_alone),
		IN_WORLD(the_tool_profile_opens_its_root_but_not_its_hooks),
		IN_WORLD(allowing_hooks_takes_the_profiles_protection_away),
		IN_WORLD(an_unknown_profile_is_an_error),
		IN_WORLD(a_missing_file_is_named),
		IN_WORLD(a_files_paths_are_its_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
