/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event log (--log): one write a line, in append mode, so that the lines of several launchers
 * with one log stay whole. What it says of runs is taken from their results, so the two agree.
 *
 * Runs in the launcher. A log that cannot be written never changes a run; it is said once.
 */
#include "launcher/log.h"

#include "backends/cleanup.h"
#include "backends/landlock.h"
#include "launcher/report.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

int log_open(struct event_log *log, const char *target)
{
	*log = (struct event_log){ .fd = -1 };
	if (!target)
		return 0;
	log->fd = report_open_target(target, O_APPEND);
	if (log->fd >= 0)
		return 0;
	fprintf(stderr, "stile: --log %s: %s\n", target, report_target_words(log->fd));
	return log->fd;
}

void log_close(struct event_log *log)
{
	cleanup_fd(&log->fd);
	log->fd = -1;
}

/* RFC 3339, UTC, with milliseconds. */
static json_t *make_now(void)
{
	struct timespec now;
	struct tm parts;
	char day[32], text[48];

	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)gmtime_r(&now.tv_sec, &parts);
	(void)strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text, sizeof(text), "%s.%03ldZ", day, now.tv_nsec / 1000000);
	return json_string(text);
}

static void write_line(struct event_log *log, const char *text)
{
	size_t size = strlen(text);

	if (write(log->fd, text, size) == (ssize_t)size)
		return;
	if (!log->is_broken)
		fprintf(stderr, "stile: --log: %s\n", strerror(errno));
	log->is_broken = true;
}

/* Writes the event with its name and time in front; takes `fields` over. */
static void tell(struct event_log *log, const char *event, json_t *fields)
{
	json_t *line = json_pack("{ss so}", "event", event, "at", make_now());
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *ended = NULL;

	if (line && fields && json_object_update(line, fields) == 0)
		text = json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(fields);
	json_decref(line);
	if (text && asprintf(&ended, "%s\n", text) >= 0)
		write_line(log, ended);
}

static json_t *make_optional(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static json_t *make_os(void)
{
	struct utsname host;

	if (uname(&host) < 0)
		return json_null();
	return json_sprintf("%s %s %s", host.sysname, host.release, host.machine);
}

/* As used; where nothing had to be started, as the kernel has it. */
static int abi_of(const struct session *s)
{
	return s->is_raised || s->mode == SANDBOX_AUDIT_ONLY ? s->layers.landlock_abi :
							       landlock_abi();
}

void log_session(struct event_log *log, const struct session *s)
{
	int abi = abi_of(s);

	if (log->fd < 0)
		return;
	tell(log, "SANDBOX_SESSION",
	     json_pack("{so ss ss ss so so so so}", "session",
		       make_optional(s->has_folder ? s->folder.sid : NULL), "backend",
		       sandbox_mode_name(s->mode), "mode",
		       s->mode == SANDBOX_AUTO ? "auto" : sandbox_mode_name(s->mode), "profile",
		       s->policy->profile, "root", make_optional(s->policy->root), "abi",
		       abi > 0 ? json_integer(abi) : json_null(), "os", make_os(), "unavailable",
		       make_optional(s->unavailable)));
}

/* The keys of a result that an event repeats. */
static json_t *pick(json_t *result, const char *const *keys)
{
	json_t *picked = json_pack("{sO sO}", "session", json_object_get(result, "session"), "run",
				   json_object_get(result, "id"));

	for (size_t i = 0; picked && keys[i]; i++)
		(void)json_object_set(picked, keys[i], json_object_get(result, keys[i]));
	return picked;
}

static void tell_run(struct event_log *log, json_t *result)
{
	static const char *const keys[] = { "profile",	   "backend", "argv",	     "status",
					    "exit_code",   "signal",  "finding",     "reason",
					    "duration_ms", "cpu_ms",  "max_rss_kb",  "denials_total",
					    "denials_lost", NULL };

	tell(log, "SANDBOX_RUN", pick(result, keys));
}

static void tell_unavailable(struct event_log *log, json_t *result)
{
	static const char *const keys[] = { "profile", "backend", "argv", "reason", NULL };

	tell(log, "SANDBOX_UNAVAILABLE", pick(result, keys));
}

static void tell_denials(struct event_log *log, json_t *result)
{
	static const char *const keys[] = { "argv", NULL };
	json_t *denial;
	size_t i;

	json_array_foreach(json_object_get(result, "denials"), i, denial) {
		json_t *fields = pick(result, keys);

		(void)json_object_update(fields, denial);
		tell(log, "DENIAL", fields);
	}
}

static const struct {
	unsigned right;
	const char *name;
} accesses[] = { { PATH_READ, "read" }, { PATH_WRITE, "write" }, { PATH_EXEC, "exec" } };

static json_t *make_access(unsigned access)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++)
		if (access & accesses[i].right)
			(void)json_array_append_new(list, json_string(accesses[i].name));
	return list;
}

static json_t *make_errno(int error)
{
	const char *name = strerrorname_np(error);

	if (!error)
		return json_null();
	return name ? json_string(name) : json_integer(error);
}

/* Targets are any bytes; JSON's texts are not. */
static json_t *make_target(const char *target)
{
	struct output view = { .data = (char *)(uintptr_t)target };
	_cleanup_free_ char *clean = NULL;
	bool had_invalid;
	size_t size;

	if (!*target)
		return json_null();
	view.used = strlen(target);
	view.total = view.used;
	clean = output_text(&view, &size, &had_invalid);
	return clean ? json_stringn(clean, size) : json_null();
}

static void tell_call(struct event_log *log, const struct result *r,
		      const struct observed_call *call)
{
	tell(log, "CALL",
	     json_pack("{so so ss so sb ss so so ss sI}", "session", make_optional(r->session),
		       "run", make_optional(r->id), "call", call->call, "target",
		       make_target(call->target), "cut", call->is_cut, "axis",
		       axis_name(call->axis), "access", make_access(call->access), "errno",
		       make_errno(call->error), "verdict",
		       call->action == ACTION_DENY ? "deny" : "allow", "count",
		       (json_int_t)call->count));
}

/* Told by the program itself: a record of it, no proof. */
static void tell_calls(struct event_log *log, const struct result *r)
{
	if (!r->observed)
		return;
	for (size_t i = 0; i < observed_count(r->observed); i++)
		tell_call(log, r, observed_at(r->observed, i));
	tell(log, "CALLS",
	     json_pack("{so so sI sI}", "session", make_optional(r->session), "run",
		       make_optional(r->id), "different", (json_int_t)observed_count(r->observed),
		       "lost", (json_int_t)observed_lost(r->observed)));
}

void log_result(struct event_log *log, const struct result *r)
{
	_cleanup_free_ char *text = log->fd < 0 ? NULL : result_to_json(r, false);
	json_t *result = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;

	if (!result)
		return;
	if (r->status == STATUS_UNAVAILABLE)
		tell_unavailable(log, result);
	else if (r->status != STATUS_DENIED)
		tell_run(log, result);
	tell_denials(log, result);
	tell_calls(log, r);
	json_decref(result);
}
