/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result as JSON (stile-result(5)): one object, its keys in the order of the published form.
 * Runs in the launcher, after the program's end.
 *
 * Much of what stands in it was chosen by the program or its caller and is hostile: it must never
 * make the JSON invalid, two lines of one, or an order to a terminal (hence pure ASCII with escapes).
 * What is not known is null; it must never be guessed, nor be 0.
 */
#include "launcher/result.h"

#include "backends/cleanup.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA_VERSION = 1, MS = 1000, NS_PER_US = 1000, INDENT = 2 };

const char *const namespace_names[NS_COUNT] = {
	[NS_USER] = "user", [NS_PID] = "pid",     [NS_IPC] = "ipc",
	[NS_UTS] = "uts",   [NS_MOUNT] = "mount", [NS_NETWORK] = "network",
};

static const char *const status_names[] = {
	[STATUS_OK] = "ok",
	[STATUS_FAILED] = "failed",
	[STATUS_SIGNALED] = "signaled",
	[STATUS_DENIED] = "denied",
	[STATUS_TIMED_OUT] = "timed_out",
	[STATUS_STEP_BUDGET] = "step_budget",
	[STATUS_MEMORY] = "memory",
	[STATUS_DISK] = "disk",
	[STATUS_UNAVAILABLE] = "unavailable",
	[STATUS_ERROR] = "error",
};

const char *status_name(enum run_status status)
{
	if ((size_t)status >= sizeof(status_names) / sizeof(status_names[0]))
		return status_names[STATUS_ERROR];
	return status_names[status];
}

/* An object or array being filled; the first failure to allocate spoils it for good. */
struct form {
	json_t *json;
	bool failed;
};

static void put(struct form *f, const char *key, json_t *value)
{
	f->failed |= json_object_set_new(f->json, key, value) < 0;
}

static void append(struct form *f, json_t *value)
{
	f->failed |= json_array_append_new(f->json, value) < 0;
}

static json_t *finish(struct form *f)
{
	if (!f->failed)
		return f->json;
	json_decref(f->json);
	return NULL;
}

/* Text of any bytes; NULL is null. */
static json_t *make_text(const char *text)
{
	struct output view = { 0 };
	_cleanup_free_ char *clean = NULL;
	bool had_invalid;
	size_t size;
	json_t *json;

	if (!text)
		return json_null();
	json = json_string(text);
	if (json)
		return json;
	view.data = (char *)text; /* only read */
	view.used = strlen(text);
	view.total = view.used;
	clean = output_text(&view, &size, &had_invalid);
	return clean ? json_stringn(clean, size) : NULL;
}

static json_t *make_optional(const char *text)
{
	return make_text(text && *text ? text : NULL);
}

static json_t *make_count(uint64_t value)
{
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

/* From thousandths: milliseconds to seconds. */
static json_t *make_seconds(uint64_t ms)
{
	return ms == LIMIT_NONE ? json_null() : json_real((double)ms / MS);
}

static json_t *make_ms(uint64_t us)
{
	return us == RESULT_UNKNOWN ? json_null() : make_count((us + MS / 2) / MS);
}

static json_t *make_argv(const struct result *r)
{
	struct form f = { .json = json_array() };

	for (char *const *arg = r->argv; arg && *arg; arg++)
		append(&f, make_text(*arg));
	return finish(&f);
}

static json_t *make_warnings(const struct result *r)
{
	struct form f = { .json = json_array() };

	for (size_t i = 0; i < r->warning_count && i < RESULT_WARNINGS_MAX; i++)
		append(&f, make_text(r->warnings[i]));
	return finish(&f);
}

static json_t *make_base64(const struct output *o)
{
	_cleanup_free_ char *text = output_base64(o);

	return text ? json_string(text) : NULL;
}

/* One stream: the text goes under `key` now, its bytes into *base64 where they say more. */
static void put_stream(struct form *f, const char *key, const struct output *o, bool is_binary,
		       json_t **base64)
{
	_cleanup_free_ char *text = NULL;
	bool had_invalid;
	size_t size;

	if (!o) {
		put(f, key, json_null());
		return;
	}
	text = output_text(o, &size, &had_invalid);
	put(f, key, text ? json_stringn_nocheck(text, size) : NULL);
	if (!is_binary && !had_invalid)
		return;
	*base64 = make_base64(o);
	f->failed |= !*base64;
}

static void put_streams(struct form *f, const struct result *r)
{
	json_t *out = NULL, *err = NULL;

	put_stream(f, "stdout", r->out, r->binary, &out);
	put_stream(f, "stderr", r->err, r->binary, &err);
	if (out)
		put(f, "stdout_base64", out);
	if (err)
		put(f, "stderr_base64", err);
	put(f, "stdout_bytes", make_count(r->stdout_bytes));
	put(f, "stderr_bytes", make_count(r->stderr_bytes));
}

static json_t *make_inexact_reasons(const struct step_count *count)
{
	struct form f = { .json = json_array() };

	for (size_t i = 0; i < count->reason_count; i++)
		append(&f, make_text(count->reasons[i]));
	return finish(&f);
}

/* Where the budget ended it: a place in a script, or in a program's or library's file. */
static json_t *make_step_where(const struct step_where *where)
{
	struct form f = { .json = json_object() };

	put(&f, "module", make_optional(where->module));
	put(&f, "symbol", make_optional(where->symbol));
	put(&f, "offset", where->module[0] ? make_count(where->symbol[0] ? where->symbol_offset :
									   where->offset) :
					     json_null());
	put(&f, "file", make_optional(where->file));
	put(&f, "line", where->line ? json_integer(where->line) : json_null());
	put(&f, "function", make_optional(where->function));
	return finish(&f);
}

static json_t *make_steps(const struct result *r)
{
	const struct step_count *count = &r->steps;
	bool is_cpu_known = r->cpu_us <= INT64_MAX / NS_PER_US;
	struct form f = { .json = json_object() };

	put(&f, "unit", make_text(count->unit));
	put(&f, "counter", json_string(count->counter ? count->counter : "none"));
	put(&f, "runtime", make_optional(count->runtime));
	put(&f, "scope", make_text(count->scope));
	put(&f, "start", make_text(count->start));
	put(&f, "count", make_count(count->count));
	put(&f, "count_all", make_count(count->count_all));
	put(&f, "startup_steps", make_count(count->startup_steps));
	put(&f, "budget", make_count(r->limits.steps));
	put(&f, "stopped_at_budget", json_boolean(count->is_stopped));
	put(&f, "exact", json_boolean(count->is_exact));
	put(&f, "error_bound", make_count(count->error_bound));
	put(&f, "inexact_reasons", make_inexact_reasons(count));
	put(&f, "cpu_ns", is_cpu_known ? make_count(r->cpu_us * NS_PER_US) : json_null());
	put(&f, "where", count->has_where ? make_step_where(&count->where) : json_null());
	return finish(&f);
}

static json_t *make_limits(const struct result *r)
{
	const struct limits *l = &r->limits;
	struct form f = { .json = json_object() };

	put(&f, "wall_s", make_seconds(l->wall_ms));
	put(&f, "cpu_s", make_seconds(l->cpu_ms));
	put(&f, "memory_bytes", make_count(l->memory_bytes));
	put(&f, "memory_limiter", make_optional(r->memory_limiter));
	put(&f, "memory_exact", json_boolean(r->memory_exact));
	put(&f, "processes", make_count(l->processes));
	put(&f, "processes_limiter", make_optional(r->processes_limiter));
	put(&f, "open_files", make_count(l->open_files));
	put(&f, "file_bytes", make_count(l->file_bytes));
	put(&f, "disk_bytes", make_count(l->disk_bytes));
	put(&f, "inodes", make_count(l->inodes));
	put(&f, "output_bytes", make_count(l->output_bytes));
	put(&f, "stack_bytes", make_count(l->stack_bytes));
	return finish(&f);
}

static void put_state(struct form *f, const struct layer_state *state)
{
	put(f, "enforced", json_boolean(state->enforced));
	put(f, "why", make_optional(state->enforced ? NULL : state->why));
}

static json_t *make_layer(const struct layer_state *state)
{
	struct form f = { .json = json_object() };

	put_state(&f, state);
	return finish(&f);
}

static json_t *make_landlock(const struct layers *layers)
{
	const struct layer_state *state = &layers->landlock;
	struct form f = { .json = json_object() };

	put(&f, "enforced", json_boolean(state->enforced));
	put(&f, "abi", layers->landlock_abi > 0 ? json_integer(layers->landlock_abi) : json_null());
	/* In force and still something to say: a lower set of rights than the ABI promises. */
	put(&f, "why", make_optional(state->why));
	put(&f, "retried", json_boolean(layers->landlock_retried));
	return finish(&f);
}

/* Whether it tells is known once a program was started. */
static json_t *make_seccomp(const struct layers *layers)
{
	const struct layer_state *notify = &layers->notify;
	bool is_known = notify->enforced || notify->why[0];
	struct form f = { .json = json_object() };

	put_state(&f, &layers->seccomp);
	put(&f, "notify", is_known ? make_layer(notify) : json_null());
	return finish(&f);
}

static json_t *make_namespace(const char *name, const struct layer_state *state)
{
	struct form f = { .json = json_object() };

	put(&f, "name", json_string(name));
	put_state(&f, state);
	return finish(&f);
}

static json_t *make_namespaces(const struct layers *layers)
{
	struct form f = { .json = json_array() };

	for (int i = 0; i < NS_COUNT; i++)
		append(&f, make_namespace(namespace_names[i], &layers->namespaces[i]));
	return finish(&f);
}

static json_t *make_blind(const struct shim_blind *blind)
{
	struct form f = { .json = json_object() };

	put(&f, "pid", blind->pid ? json_integer(blind->pid) : json_null());
	put(&f, "exe", make_optional(blind->exe));
	put(&f, "why", json_string(shim_cause_text(blind->cause)));
	return finish(&f);
}

static json_t *make_shim(const struct shim_cover *cover)
{
	struct form f = { .json = json_object() }, list = { .json = json_array() };

	for (size_t i = 0; cover && i < cover->blind_count; i++)
		append(&list, make_blind(&cover->blind[i]));
	put(&f, "processes", json_integer(cover ? cover->processes : 0));
	put(&f, "blind", finish(&list));
	put(&f, "blind_lost", make_count(cover ? cover->blind_lost : 0));
	put(&f, "why", make_optional(cover ? cover->why : NULL));
	return finish(&f);
}

static json_t *make_layers(const struct result *r)
{
	const struct layers *layers = &r->layers;
	struct form f = { .json = json_object() };

	put(&f, "landlock", make_landlock(layers));
	put(&f, "seccomp", make_seccomp(layers));
	put(&f, "namespaces", make_namespaces(layers));
	put(&f, "cgroup", make_layer(&layers->cgroup));
	put(&f, "rlimit", make_layer(&layers->rlimit));
	put(&f, "shim", make_shim(r->shim));
	put(&f, "not_enforced", make_optional(layers->not_enforced));
	return finish(&f);
}

static enum layer denying_layer(const struct verdict *v)
{
	return v->layer == LAYER_NONE ? LAYER_PREFLIGHT : v->layer;
}

static const char *first_text(const char *first, const char *second)
{
	return first && *first ? first : second;
}

/* The verdict that kept the run from starting, in the form of a running program's denial. */
static json_t *make_denial(const struct result *r)
{
	const struct verdict *v = &r->verdict;
	enum layer layer = denying_layer(v);
	struct form f = { .json = json_object() };

	put(&f, "at_ms", json_null());
	put(&f, "pid", json_null());
	put(&f, "layer", json_string(layer_name(layer)));
	put(&f, "trusted", json_boolean(layer != LAYER_SHIM));
	put(&f, "shim_bypassed", json_false());
	put(&f, "axis", json_string(axis_name(v->axis)));
	put(&f, "call", json_null());
	put(&f, "target", json_null());
	put(&f, "errno", json_null());
	put(&f, "rule", make_count(v->rule));
	put(&f, "reason", make_optional(first_text(v->reason, r->reason)));
	put(&f, "fix", make_optional(first_text(v->fix, r->fix)));
	put(&f, "count", json_integer(1));
	put(&f, "where", json_array());
	put(&f, "script", json_null());
	return finish(&f);
}

static json_t *make_frame(const struct denial_frame *frame)
{
	struct form f = { .json = json_object() };

	put(&f, "module", make_optional(frame->module));
	put(&f, "symbol", make_optional(frame->symbol));
	put(&f, "offset", make_count(frame->symbol[0] ? frame->symbol_offset : frame->offset));
	put(&f, "file", json_null());
	put(&f, "line", json_null());
	return finish(&f);
}

static json_t *make_frames(const struct denial *denial)
{
	struct form f = { .json = json_array() };

	for (size_t i = 0; denial->frames && i < denial->frame_count; i++)
		append(&f, make_frame(&denial->frames[i]));
	return finish(&f);
}

static json_t *make_script(const struct denial_script *script)
{
	struct form f = { .json = json_object() };

	put(&f, "file", make_optional(script->file));
	put(&f, "line", script->line ? json_integer(script->line) : json_null());
	put(&f, "function", make_optional(script->function));
	return finish(&f);
}

/* By its name; a number that has none stays one. */
static json_t *make_errno(int error)
{
	const char *name = strerrorname_np(error);

	if (!error)
		return json_null();
	return name ? json_string(name) : json_integer(error);
}

static json_t *make_running_denial(const struct denial *denial)
{
	struct form f = { .json = json_object() };

	put(&f, "at_ms", make_count(denial->at_ms));
	put(&f, "pid", denial->pid ? json_integer(denial->pid) : json_null());
	put(&f, "layer", json_string(layer_name(denial->layer)));
	put(&f, "trusted", json_boolean(denial->trusted));
	put(&f, "shim_bypassed", json_boolean(denial->bypassed));
	put(&f, "axis", json_string(axis_name(denial->axis)));
	put(&f, "call", make_optional(denial->call));
	put(&f, "target", make_optional(denial->target));
	put(&f, "errno", make_errno(denial->error));
	put(&f, "rule", make_count(denial->rule));
	put(&f, "reason", make_optional(denial->reason));
	put(&f, "fix", make_optional(denial->fix));
	put(&f, "count", make_count(denial->count ? denial->count : 1));
	put(&f, "where", make_frames(denial));
	put(&f, "script", denial->script ? make_script(denial->script) : json_null());
	return finish(&f);
}

static void put_denials(struct form *f, const struct result *r)
{
	bool is_denied = r->status == STATUS_DENIED;
	struct form list = { .json = json_array() };

	if (is_denied)
		append(&list, make_denial(r));
	for (size_t i = 0; i < denials_count(r->denials); i++)
		append(&list, make_running_denial(denials_at(r->denials, i)));
	put(f, "denials", finish(&list));
	put(f, "denials_total", make_count(denials_total(r->denials) + is_denied));
	put(f, "denials_lost", make_count(denials_lost(r->denials)));
}

static json_t *make_repairs(const struct result *r)
{
	uint64_t limit = r->has_repairs ? r->repairs_limit : RESULT_UNKNOWN;
	uint64_t used = r->has_repairs ? r->repairs_used : RESULT_UNKNOWN;
	bool is_limited = limit != LIMIT_NONE;
	struct form f = { .json = json_object() };

	put(&f, "limit", make_count(limit));
	put(&f, "used", make_count(used));
	put(&f, "left", !is_limited ? json_null() : make_count(limit > used ? limit - used : 0));
	return finish(&f);
}

static void put_identity(struct form *f, const struct result *r)
{
	put(f, "schema_version", json_integer(SCHEMA_VERSION));
	put(f, "id", make_text(r->id));
	put(f, "session", make_optional(r->session));
	put(f, "profile", make_optional(r->profile));
	put(f, "backend", make_optional(r->backend));
	put(f, "argv", make_argv(r));
}

static void put_outcome(struct form *f, const struct result *r)
{
	put(f, "status", json_string(status_name(r->status)));
	put(f, "exit_code", json_integer(r->exit_code));
	put(f, "signal", r->signal ? json_integer(r->signal) : json_null());
	put(f, "reason", make_optional(r->reason));
	put(f, "finding", make_optional(r->finding));
	put(f, "warnings", make_warnings(r));
}

static void put_measures(struct form *f, const struct result *r)
{
	put(f, "truncated", json_boolean(r->truncated));
	put(f, "timed_out", json_boolean(r->timed_out));
	put(f, "denied", json_boolean(r->denied));
	put(f, "duration_ms", make_ms(r->duration_us));
	put(f, "cpu_ms", make_ms(r->cpu_us));
	put(f, "max_rss_kb", make_count(r->max_rss_kb));
}

char *result_to_json(const struct result *r, bool pretty)
{
	size_t flags = JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15);
	struct form f = { .json = json_object() };
	json_t *json;
	char *text;

	put_identity(&f, r);
	put_outcome(&f, r);
	put_streams(&f, r);
	put_measures(&f, r);
	put(&f, "steps", make_steps(r));
	put(&f, "limits", make_limits(r));
	put(&f, "layers", make_layers(r));
	put_denials(&f, r);
	put(&f, "repairs", make_repairs(r));
	json = finish(&f);
	text = json ? json_dumps(json, flags | (pretty ? JSON_INDENT(INDENT) : JSON_COMPACT)) : NULL;
	json_decref(json);
	return text;
}
