/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result against its published form: the key order of the specification, and every value against
 * man/stile-result.schema.json (found through $srcdir), by a checker of the few words that schema uses.
 */
#include "launcher/result.h"

#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct result r;
	struct output out, err;
	json_t *schema;
	json_t *json; /* what `told` parsed last */
};

static char prog[] = "prog", odd[] = "\xff\n\x1b[31m", separator[] = "\xe2\x80\xa8";
static char *const plain_argv[] = { prog, NULL };
static char *const odd_argv[] = { prog, odd, separator, NULL };

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *top = getenv("srcdir");
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/man/stile-result.schema.json", top ? top : ".");
	f->schema = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(f->schema);
	output_init(&f->out, 64);
	output_init(&f->err, 64);
	memset(&f->r.limits, 0xff, sizeof(f->r.limits)); /* LIMIT_NONE each */
	(void)snprintf(f->r.id, sizeof(f->r.id), "id-1");
	f->r.profile = "code";
	f->r.backend = "native";
	f->r.argv = plain_argv;
	f->r.duration_us = 12345678;
	f->r.cpu_us = 1500;
	f->r.max_rss_kb = 4321;
	step_count_clear(&f->r.steps);
	f->r.out = &f->out;
	f->r.err = &f->err;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	output_free(&f->out);
	output_free(&f->err);
	json_decref(f->schema);
	json_decref(f->json);
	free(f);
	return 0;
}

/* --- the checker: NULL, or where the first fault is --- */

static const char *check(const json_t *root, const json_t *schema, const json_t *value);

static const char *type_of(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "object",   [JSON_ARRAY] = "array",   [JSON_STRING] = "string",
		[JSON_INTEGER] = "integer", [JSON_REAL] = "number",   [JSON_TRUE] = "boolean",
		[JSON_FALSE] = "boolean",   [JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

static bool is_type(const json_t *type, const json_t *value)
{
	const char *name = json_string_value(type);

	return !strcmp(name, type_of(value)) || (!strcmp(name, "number") && json_is_number(value));
}

static bool has_type(const json_t *type, const json_t *value)
{
	size_t i;
	json_t *one;

	if (!json_is_array(type))
		return is_type(type, value);
	json_array_foreach(type, i, one) {
		if (is_type(one, value))
			return true;
	}
	return false;
}

static bool is_among(const json_t *list, const json_t *value)
{
	size_t i;
	json_t *one;

	json_array_foreach(list, i, one) {
		if (json_equal(one, value))
			return true;
	}
	return false;
}

static const char *check_object(const json_t *root, const json_t *schema, const json_t *value)
{
	json_t *properties = json_object_get(schema, "properties"), *one;
	const char *key, *fault;
	size_t i;

	if (!json_is_false(json_object_get(schema, "additionalProperties")))
		return "schema: an object is left open";
	json_array_foreach(json_object_get(schema, "required"), i, one) {
		if (!json_object_get(value, json_string_value(one)))
			return json_string_value(one);
	}
	json_object_foreach((json_t *)value, key, one) {
		const json_t *inner = json_object_get(properties, key);

		fault = inner ? check(root, inner, one) : key;
		if (fault)
			return fault;
	}
	return NULL;
}

static const char *check_array(const json_t *root, const json_t *schema, const json_t *value)
{
	const char *fault = NULL;
	size_t i;
	json_t *one;

	json_array_foreach(value, i, one) {
		fault = fault ? fault : check(root, json_object_get(schema, "items"), one);
	}
	return fault;
}

static const json_t *resolve(const json_t *root, const json_t *schema)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));

	return ref ? json_object_get(json_object_get(root, "$defs"), strrchr(ref, '/') + 1) : schema;
}

static const char *check(const json_t *root, const json_t *schema, const json_t *value)
{
	const json_t *s = resolve(root, schema), *type = json_object_get(s, "type");
	const json_t *list = json_object_get(s, "enum"), *fixed = json_object_get(s, "const");
	const json_t *least = json_object_get(s, "minimum");

	if (!s || (!type && !list && !fixed))
		return "schema: a value of any type";
	if (type && !has_type(type, value))
		return type_of(value);
	if ((list && !is_among(list, value)) || (fixed && !json_equal(fixed, value)))
		return "not among the allowed";
	if (least && json_is_number(value) && json_number_value(value) < json_number_value(least))
		return "below the minimum";
	if (json_is_object(value))
		return check_object(root, s, value);
	return json_is_array(value) ? check_array(root, s, value) : NULL;
}

/* The result as told, parsed and found valid. */
static const json_t *told(struct fixture *f)
{
	char *text = result_to_json(&f->r, false);
	const char *fault;

	assert_non_null(text);
	json_decref(f->json);
	f->json = json_loads(text, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	free(text);
	assert_non_null(f->json);
	fault = check(f->schema, f->schema, f->json);
	if (fault)
		fail_msg("against the schema: %s", fault);
	return f->json;
}

static const json_t *at(const json_t *json, const char *first, const char *second)
{
	const json_t *value = json_object_get(json, first);

	assert_non_null(value);
	value = second ? json_object_get(value, second) : value;
	assert_non_null(value);
	return value;
}

static void assert_keys(const json_t *object, const char *expected)
{
	char keys[1024] = "";
	size_t used = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s", used ? " " : "", key);
	}
	assert_string_equal(keys, expected);
}

static void take(struct output *o, const char *text)
{
	assert_int_equal(output_take(o, text, strlen(text)), 0);
}

/* --- the form --- */

static void the_keys_stand_in_the_published_order(void **state)
{
	const json_t *json = told(*state);

	assert_keys(json, "schema_version id session profile backend argv status exit_code signal reason finding warnings stdout stderr stdout_bytes stderr_bytes truncated timed_out denied duration_ms cpu_ms max_rss_kb steps limits layers denials denials_total denials_lost repairs");
	assert_keys(at(json, "steps", NULL), "unit counter runtime scope start count count_all startup_steps budget stopped_at_budget exact error_bound inexact_reasons cpu_ns where");
	assert_keys(at(json, "limits", NULL), "wall_s cpu_s memory_bytes memory_limiter memory_exact processes processes_limiter open_files file_bytes disk_bytes inodes output_bytes stack_bytes");
	assert_keys(at(json, "layers", NULL), "landlock seccomp namespaces cgroup rlimit shim not_enforced");
	assert_keys(at(json, "layers", "landlock"), "enforced abi why retried");
	assert_keys(at(json, "layers", "shim"), "processes blind blind_lost why");
	assert_keys(at(json, "repairs", NULL), "limit used left");
}

static void base64_stands_behind_the_texts_when_binary_was_asked(void **state)
{
	struct fixture *f = *state;

	f->r.binary = true;
	take(&f->out, "foo");
	const json_t *json = told(f);
	void *behind = json_object_iter_next((json_t *)json,
					     json_object_iter_at((json_t *)json, "stderr"));
	assert_string_equal(json_object_iter_key(behind), "stdout_base64");
	assert_string_equal(json_string_value(at(json, "stdout", NULL)), "foo");
	assert_string_equal(json_string_value(at(json, "stdout_base64", NULL)), "Zm9v");
	assert_string_equal(json_string_value(at(json, "stderr_base64", NULL)), "");
}

static void the_schema_requires_every_key_but_base64(void **state)
{
	struct fixture *f = *state;
	size_t required = json_array_size(json_object_get(f->schema, "required"));

	assert_int_equal(json_object_size(json_object_get(f->schema, "properties")), required + 2);
	assert_int_equal(json_object_size(told(f)), required);
}

static void one_run_is_one_line_of_ascii(void **state)
{
	struct fixture *f = *state;
	char *text;

	f->r.argv = odd_argv;
	take(&f->out, "\xe2\x80\xa8\xe2\x80\xa9\xc2\x85\xc2\x9b\n");
	text = result_to_json(&f->r, false);
	assert_int_equal(strcspn(text, "\n\r"), strlen(text));
	assert_int_equal(strspn(text, " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"),
			 strlen(text));
	free(text);
	assert_string_equal(json_string_value(at(told(f), "stdout", NULL)),
			    "\xe2\x80\xa8\xe2\x80\xa9\xc2\x85\xc2\x9b\n");
}

static void pretty_is_the_same_object_indented_by_two(void **state)
{
	struct fixture *f = *state;
	char *text = result_to_json(&f->r, true);
	json_t *pretty = json_loads(text, 0, NULL);

	assert_non_null(strstr(text, "{\n  \"schema_version\": 1,\n"));
	assert_true(json_equal(pretty, told(f)));
	json_decref(pretty);
	free(text);
}

/* --- the values --- */

static void what_is_unknown_is_null_and_never_0(void **state)
{
	struct fixture *f = *state;

	f->r.duration_us = f->r.cpu_us = f->r.max_rss_kb = RESULT_UNKNOWN;
	f->r.stdout_bytes = f->r.stderr_bytes = RESULT_UNKNOWN;
	const json_t *json = told(f);
	assert_true(json_is_null(at(json, "session", NULL)));
	assert_true(json_is_null(at(json, "signal", NULL)));
	assert_true(json_is_null(at(json, "reason", NULL)));
	assert_true(json_is_null(at(json, "finding", NULL)));
	assert_true(json_is_null(at(json, "duration_ms", NULL)));
	assert_true(json_is_null(at(json, "cpu_ms", NULL)));
	assert_true(json_is_null(at(json, "max_rss_kb", NULL)));
	assert_true(json_is_null(at(json, "stdout_bytes", NULL)));
	assert_true(json_is_null(at(json, "limits", "wall_s")));
	assert_true(json_is_null(at(json, "limits", "memory_bytes")));
	assert_true(json_is_null(at(json, "layers", "not_enforced")));
	assert_true(json_is_null(at(json, "repairs", "left")));
	assert_true(json_is_null(at(json, "steps", "cpu_ns")));
}

static void uncounted_steps_claim_nothing(void **state)
{
	struct fixture *f = *state;

	f->r.limits.steps = 1000;
	step_count_doubt(&f->r.steps, "no %s", "counter");
	const json_t *json = told(f);
	assert_string_equal(json_string_value(at(json, "steps", "counter")), "none");
	assert_true(json_is_null(at(json, "steps", "count")));
	assert_int_equal(json_integer_value(at(json, "steps", "budget")), 1000);
	assert_true(json_is_false(at(json, "steps", "exact")));
	assert_string_equal(json_string_value(json_array_get(at(json, "steps", "inexact_reasons"), 0)), "no counter");
	assert_int_equal(json_integer_value(at(json, "steps", "cpu_ns")), 1500000);
	assert_true(json_is_null(at(json, "steps", "where")));
}

static void counted_steps_are_told(void **state)
{
	struct fixture *f = *state;

	f->r.steps.counter = "ptrace-singlestep";
	f->r.steps.count = 7;
	f->r.steps.is_exact = true;
	f->r.steps.error_bound = 0;
	const json_t *json = told(f);
	assert_string_equal(json_string_value(at(json, "steps", "counter")), "ptrace-singlestep");
	assert_int_equal(json_integer_value(at(json, "steps", "count")), 7);
	assert_true(json_is_true(at(json, "steps", "exact")));
	assert_int_equal(json_integer_value(at(json, "steps", "error_bound")), 0);
	assert_true(json_is_null(at(json, "steps", "startup_steps")));
}

static void where_the_budget_ended_it_is_told(void **state)
{
	struct fixture *f = *state;

	f->r.steps.is_stopped = f->r.steps.has_where = true;
	snprintf(f->r.steps.where.module, sizeof(f->r.steps.where.module), "/bin/prog");
	f->r.steps.where.offset = 4112;
	const json_t *where = at(told(f), "steps", "where");
	assert_string_equal(json_string_value(json_object_get(where, "module")), "/bin/prog");
	assert_int_equal(json_integer_value(json_object_get(where, "offset")), 4112);
	assert_true(json_is_null(json_object_get(where, "symbol")));
	assert_true(json_is_null(json_object_get(where, "line")));
}

static void more_doubts_than_room_are_dropped(void **state)
{
	struct fixture *f = *state;

	f->r.steps.is_exact = true;
	for (int i = 0; i < 2 * STEP_REASONS_MAX; i++)
		step_count_doubt(&f->r.steps, "reason %d", i);
	const json_t *json = told(f);
	assert_true(json_is_false(at(json, "steps", "exact")));
	assert_int_equal(json_array_size(at(json, "steps", "inexact_reasons")), STEP_REASONS_MAX);
}

static void times_are_rounded_to_milliseconds(void **state)
{
	const json_t *json = told(*state);

	assert_int_equal(json_integer_value(at(json, "duration_ms", NULL)), 12346);
	assert_int_equal(json_integer_value(at(json, "cpu_ms", NULL)), 2);
}

static void limits_are_told_in_their_units(void **state)
{
	struct fixture *f = *state;

	f->r.limits.wall_ms = 2500;
	f->r.limits.cpu_ms = 100;
	f->r.limits.memory_bytes = 1 << 28;
	f->r.limits.processes = 0;
	f->r.memory_limiter = "cgroup";
	f->r.memory_exact = true;
	const json_t *json = told(f);
	assert_true(json_real_value(at(json, "limits", "wall_s")) == 2.5);
	assert_true(json_real_value(at(json, "limits", "cpu_s")) == 0.1);
	assert_int_equal(json_integer_value(at(json, "limits", "memory_bytes")), 1 << 28);
	assert_int_equal(json_integer_value(at(json, "limits", "processes")), 0);
	assert_string_equal(json_string_value(at(json, "limits", "memory_limiter")), "cgroup");
	assert_true(json_is_null(at(json, "limits", "processes_limiter")));
}

static void seconds_are_printed_short(void **state)
{
	struct fixture *f = *state;
	char *text;

	f->r.limits.cpu_ms = 12345;
	text = result_to_json(&f->r, false);
	assert_non_null(strstr(text, "\"cpu_s\":12.345,"));
	free(text);
}

static void every_status_has_a_name_the_schema_knows(void **state)
{
	struct fixture *f = *state;

	for (int i = STATUS_OK; i <= STATUS_ERROR; i++) {
		f->r.status = (enum run_status)i;
		(void)told(f);
	}
	assert_string_equal(status_name(STATUS_STEP_BUDGET), "step_budget");
	assert_string_equal(status_name((enum run_status)99), "error");
}

static void streamed_output_is_null_and_still_counted(void **state)
{
	struct fixture *f = *state;

	f->r.out = f->r.err = NULL;
	f->r.binary = true;
	f->r.stdout_bytes = 77;
	const json_t *json = told(f);
	assert_true(json_is_null(at(json, "stdout", NULL)));
	assert_true(json_is_null(at(json, "stderr", NULL)));
	assert_null(json_object_get(json, "stdout_base64"));
	assert_int_equal(json_integer_value(at(json, "stdout_bytes", NULL)), 77);
}

static void invalid_output_comes_with_its_bytes(void **state)
{
	struct fixture *f = *state;

	take(&f->err, "a\xff");
	const json_t *json = told(f);
	assert_string_equal(json_string_value(at(json, "stderr", NULL)), "a\xef\xbf\xbd");
	assert_string_equal(json_string_value(at(json, "stderr_base64", NULL)), "Yf8=");
	assert_null(json_object_get(json, "stdout_base64"));
}

static void a_nul_in_the_output_survives(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(output_take(&f->out, "a\0b", 3), 0);
	assert_int_equal(json_string_length(at(told(f), "stdout", NULL)), 3);
}

static void hostile_texts_do_not_break_the_form(void **state)
{
	struct fixture *f = *state;

	f->r.argv = odd_argv;
	(void)snprintf(f->r.reason, sizeof(f->r.reason), "path '\xc0\"}\n'");
	f->r.warnings[0] = "\xed\xa0\x80";
	f->r.warning_count = 1;
	(void)snprintf(f->r.layers.landlock.why, LAYER_MESSAGE_MAX, "\xfe");
	const json_t *json = told(f);
	assert_string_equal(json_string_value(json_array_get(at(json, "argv", NULL), 1)),
			    "\xef\xbf\xbd\n\x1b[31m");
	assert_string_equal(json_string_value(at(json, "reason", NULL)), "path '\xef\xbf\xbd\"}\n'");
}

static void layers_say_why_they_are_missing(void **state)
{
	struct fixture *f = *state;
	struct layers *l = &f->r.layers;

	l->landlock.enforced = true;
	l->landlock_abi = 7;
	(void)snprintf(l->namespaces[NS_PID].why, LAYER_MESSAGE_MAX, "unshare: EPERM");
	(void)snprintf(l->not_enforced, sizeof(l->not_enforced), "hiding");
	const json_t *json = told(f);
	const json_t *spaces = at(json, "layers", "namespaces");
	assert_int_equal(json_integer_value(json_object_get(at(json, "layers", "landlock"), "abi")), 7);
	assert_int_equal(json_array_size(spaces), 6);
	assert_string_equal(json_string_value(at(json_array_get(spaces, 1), "name", NULL)), "pid");
	assert_string_equal(json_string_value(at(json_array_get(spaces, 1), "why", NULL)),
			    "unshare: EPERM");
	assert_string_equal(json_string_value(at(json, "layers", "not_enforced")), "hiding");
}

static void a_refused_run_has_its_verdict_as_one_denial(void **state)
{
	struct fixture *f = *state;

	f->r.status = STATUS_DENIED;
	f->r.denied = true;
	f->r.exit_code = EXIT_CODE_DENIED;
	f->r.verdict = (struct verdict){ .action = ACTION_DENY, .axis = AXIS_EXECUTABLE,
					 .layer = LAYER_PREFLIGHT,
					 .reason = "executable 'rm' is on the denylist", .fix = "" };
	const json_t *json = told(f);
	const json_t *denial = json_array_get(at(json, "denials", NULL), 0);
	assert_keys(denial, "at_ms pid layer trusted shim_bypassed axis call target errno rule reason fix count where script");
	assert_string_equal(json_string_value(at(denial, "layer", NULL)), "preflight");
	assert_string_equal(json_string_value(at(denial, "axis", NULL)), "executable");
	assert_true(json_is_true(at(denial, "trusted", NULL)));
	assert_string_equal(json_string_value(at(denial, "reason", NULL)),
			    "executable 'rm' is on the denylist");
	assert_true(json_is_null(at(denial, "fix", NULL)));
	assert_int_equal(json_integer_value(at(json, "denials_total", NULL)), 1);
	assert_int_equal(json_integer_value(at(json, "denials_lost", NULL)), 0);
}

static void repairs_left_is_what_remains(void **state)
{
	struct fixture *f = *state;

	f->r.has_repairs = true;
	f->r.repairs_limit = 3;
	f->r.repairs_used = 1;
	assert_int_equal(json_integer_value(at(told(f), "repairs", "left")), 2);
	f->r.repairs_used = 5;
	assert_int_equal(json_integer_value(at(told(f), "repairs", "left")), 0);
}

/* --- the meta file --- */

static void assert_meta(struct fixture *f, const char *expected)
{
	char text[1024];
	int ends[2];
	ssize_t size;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(result_write_meta(&f->r, ends[1]), 0);
	assert_int_equal(close(ends[1]), 0);
	size = read(ends[0], text, sizeof(text) - 1);
	assert_true(size >= 0);
	text[size] = '\0';
	assert_int_equal(close(ends[0]), 0);
	assert_string_equal(text, expected);
}

#define MEASURES "time:0.001\ntime-wall:12.345\nmax-rss:4321\n"
#define SWITCHES "csw-voluntary:3\ncsw-forced:0\n"

static void set_outcome(struct fixture *f, enum run_status status, int code, int signal)
{
	f->r.status = status;
	f->r.exit_code = code;
	f->r.signal = signal;
	f->r.switches_voluntary = 3;
}

static void meta_of_a_good_run_has_no_status(void **state)
{
	set_outcome(*state, STATUS_OK, 0, 0);
	assert_meta(*state, MEASURES "exitcode:0\n" SWITCHES);
}

static void meta_of_a_failure_is_re(void **state)
{
	set_outcome(*state, STATUS_FAILED, 3, 0);
	assert_meta(*state, MEASURES "exitcode:3\nstatus:RE\nmessage:Exited with error status 3\n" SWITCHES);
}

static void meta_of_a_signal_is_sg_without_exit_code(void **state)
{
	set_outcome(*state, STATUS_SIGNALED, 139, 11);
	assert_meta(*state, MEASURES "exitsig:11\nstatus:SG\nmessage:Caught fatal signal 11\n" SWITCHES);
}

static void meta_of_a_timeout_is_to_and_killed(void **state)
{
	set_outcome(*state, STATUS_TIMED_OUT, EXIT_CODE_WALL, 0);
	assert_meta(*state, MEASURES "killed:1\nstatus:TO\nmessage:Time limit exceeded\n" SWITCHES);
}

static void meta_of_an_unavailable_sandbox_is_xx_on_one_line(void **state)
{
	struct fixture *f = *state;

	set_outcome(f, STATUS_UNAVAILABLE, EXIT_CODE_UNAVAILABLE, 0);
	f->r.cpu_us = f->r.duration_us = f->r.max_rss_kb = RESULT_UNKNOWN;
	f->r.switches_voluntary = f->r.switches_forced = RESULT_UNKNOWN;
	(void)snprintf(f->r.reason, sizeof(f->r.reason), "sandbox_unavailable:a\nstatus:OK");
	assert_meta(f, "status:XX\nmessage:sandbox_unavailable:a status:OK\n");
}

#define claim(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(the_keys_stand_in_the_published_order),
		claim(base64_stands_behind_the_texts_when_binary_was_asked),
		claim(the_schema_requires_every_key_but_base64),
		claim(one_run_is_one_line_of_ascii),
		claim(pretty_is_the_same_object_indented_by_two),
		claim(what_is_unknown_is_null_and_never_0),
		claim(uncounted_steps_claim_nothing),
		claim(counted_steps_are_told),
		claim(where_the_budget_ended_it_is_told),
		claim(more_doubts_than_room_are_dropped),
		claim(times_are_rounded_to_milliseconds),
		claim(limits_are_told_in_their_units),
		claim(seconds_are_printed_short),
		claim(every_status_has_a_name_the_schema_knows),
		claim(streamed_output_is_null_and_still_counted),
		claim(invalid_output_comes_with_its_bytes),
		claim(a_nul_in_the_output_survives),
		claim(hostile_texts_do_not_break_the_form),
		claim(layers_say_why_they_are_missing),
		claim(a_refused_run_has_its_verdict_as_one_denial),
		claim(repairs_left_is_what_remains),
		claim(meta_of_a_good_run_has_no_status),
		claim(meta_of_a_failure_is_re),
		claim(meta_of_a_signal_is_sg_without_exit_code),
		claim(meta_of_a_timeout_is_to_and_killed),
		claim(meta_of_an_unavailable_sandbox_is_xx_on_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
