/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile session: JSON lines in, JSON lines out, any number of runs in one session. A line that is no
 * request gets an error answer and the session goes on; end of file closes it.
 *
 * Runs in the launcher. The policy is the session's; a request brings its program and its limits.
 */
#include "backends/cleanup.h"
#include "launcher/lines.h"
#include "launcher/capabilities.h"
#include "launcher/log.h"
#include "launcher/recipe.h"
#include "launcher/repairs.h"
#include "launcher/request.h"
#include "launcher/request_line.h"
#include "launcher/verbs.h"
#include "policy/document.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct service {
	struct request *request;
	struct session run_session;  /* profile tool, or what the options said */
	struct session code_session; /* of the language last asked for */
	char code_language[32];
	struct recipe recipe;        /* for it */
	char **env;
	struct event_log log;
	struct repairs *repairs;     /* of the session's tasks */
	const char *task;            /* of the present request, NULL = none */
	bool closing;
};

/* One request's answer; NULL = an error was said. */
struct operation {
	const char *name;
	json_t *(*act)(struct service *service, const struct request_line *line, char *why,
		       size_t size);
};

static json_t *parse_result(const struct result *r)
{
	_cleanup_free_ char *text = result_to_json(r, false);

	return text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;
}

static void take_input(struct run_request *run, const struct request_line *line)
{
	run->stdin_fd = -1;
	run->stdin_text = line->input;
	run->stdin_size = line->input_size;
}

static bool has_variable(char *const *list, const char *variable)
{
	size_t size = strcspn(variable, "=") + 1;

	while (list && *list && strncmp(*list, variable, size))
		list++;
	return list && *list;
}

/* The request's variables over the session's: a malloc'd list that points into both. */
static char **merge_environment(char *const *session, char *const *own)
{
	size_t count = 0, used = 0;
	char **env;

	while (session[count])
		count++;
	for (size_t i = 0; own && own[i]; i++)
		count++;
	env = calloc(count + 1, sizeof(*env));
	for (size_t i = 0; env && session[i]; i++)
		if (!has_variable(own, session[i]))
			env[used++] = session[i];
	for (size_t i = 0; env && own && own[i]; i++)
		env[used++] = own[i];
	return env;
}

/* A task that has failed more often than its limit allows runs no more. */
static bool refuse_task(struct service *service, struct session *s, const struct run_request *run,
			struct captured *captured, struct result *r)
{
	uint64_t used = service->task ? repairs_used(service->repairs, service->task) : 0;
	char reason[REPAIRS_TASK_MAX + 128];
	struct verdict verdict = {
		.action = ACTION_DENY,
		.axis = AXIS_RESOURCE,
		.layer = LAYER_BUDGET,
		.reason = reason,
		.fix = "--max-repairs N, or limits.repairs in the request",
	};

	if (run->limits.repairs == LIMIT_NONE || used <= run->limits.repairs)
		return false;
	snprintf(reason, sizeof(reason),
		 "task '%s' has no repairs left: %llu failed runs, limit %llu", service->task,
		 (unsigned long long)used, (unsigned long long)run->limits.repairs);
	run_refuse(s, run, &verdict, captured, r);
	return true;
}

static void account_task(struct service *service, const struct run_request *run, bool has_run,
			 struct result *r)
{
	if (!service->task)
		return;
	if (has_run && repairs_are_spent_by(r))
		(void)repairs_count(&service->repairs, service->task);
	r->has_repairs = true;
	r->repairs_limit = run->limits.repairs;
	r->repairs_used = repairs_used(service->repairs, service->task);
}

static json_t *run_now(struct service *service, struct session *s, struct run_request *run)
{
	struct captured captured = { { 0 }, { 0 } };
	struct result r;
	bool is_refused = refuse_task(service, s, run, &captured, &r);
	json_t *answer;

	if (!is_refused)
		(void)run_once(s, run, &captured, &r);
	account_task(service, run, !is_refused, &r);
	log_result(&service->log, &r);
	answer = parse_result(&r);
	output_free(&captured.out);
	output_free(&captured.err);
	return answer;
}

static json_t *act_run(struct service *service, const struct request_line *line, char *why,
		       size_t size)
{
	struct session *s = &service->run_session;
	_cleanup_free_ char **env = merge_environment(service->env, line->env);
	struct run_request run = { .argv = line->argv,
				   .cwd = s->policy->root ? service->request->cwd : NULL,
				   .env = env,
				   .limits = s->policy->limits,
				   .preflight = service->request->preflight,
				   .steps = service->request->steps };

	if (!line->argv)
		snprintf(why, size, "argv: a list of texts is expected");
	if (!line->argv || !env || request_line_take_limits(line, &run.limits, why, size) < 0)
		return NULL;
	take_input(&run, line);
	run.big_address_space = line->argv[0] && recipe_reserves_address_space(line->argv[0]);
	return run_now(service, s, &run);
}

/* The walls of profile code hold one interpreter: another language opens another session. */
static int open_code(struct service *service, const char *language, char *why, size_t size)
{
	struct session_wish wish;
	struct document_error error;
	struct policy *policy;
	int r;

	if (service->code_session.is_open && strcmp(service->code_language, language) == 0)
		return 0;
	if (strlen(language) >= sizeof(service->code_language)) {
		snprintf(why, size, "language: unknown language");
		return -EINVAL;
	}
	session_close(&service->code_session);
	policy = policy_new();
	r = policy ? document_load_profile(policy, "code", NULL, &error) : -ENOMEM;
	if (r == 0)
		r = recipe_make(&service->recipe, policy, language);
	if (r < 0) {
		snprintf(why, size, "%s",
			 service->recipe.error[0] ? service->recipe.error : "profile code");
		policy_free(policy);
		return r;
	}
	snprintf(service->code_language, sizeof(service->code_language), "%s", language);
	wish = request_wish(service->request);
	wish.log = &service->log;
	return session_open(&service->code_session, policy, &wish);
}

static json_t *act_run_code(struct service *service, const struct request_line *line, char *why,
			    size_t size)
{
	_cleanup_free_ char **env = merge_environment(service->env, line->env);
	struct recipe *recipe = &service->recipe;
	struct run_request run = { .home_is_run_folder = true,
				   .env = env,
				   .steps = service->request->steps };

	if (!line->language || !line->code) {
		snprintf(why, size, "run_code needs the texts language and code");
		return NULL;
	}
	if (!env || open_code(service, line->language, why, size) < 0 ||
	    recipe_take_text(recipe, line->code, line->code_size) < 0)
		return NULL;
	recipe_fill(recipe, &run);
	run.argv = recipe->argv;
	run.limits = service->code_session.policy->limits;
	take_input(&run, line);
	if (request_line_take_limits(line, &run.limits, why, size) < 0)
		return NULL;
	return run_now(service, &service->code_session, &run);
}

/* Of the walls of `run`, or with a language of those of `run_code`. */
static json_t *act_capabilities(struct service *service, const struct request_line *line, char *why,
				size_t size)
{
	struct session *s = line->language ? &service->code_session : &service->run_session;
	_cleanup_free_ char *text = NULL;
	struct limits limits;

	if (line->language && open_code(service, line->language, why, size) < 0)
		return NULL;
	limits = s->policy->limits;
	if (request_line_take_limits(line, &limits, why, size) < 0)
		return NULL;
	text = capabilities_text(s, &limits);
	return text ? json_pack("{ss}", "capabilities", text) : NULL;
}

static json_t *act_ping(struct service *service, const struct request_line *line, char *why,
			size_t size)
{
	(void)service;
	(void)line;
	(void)why;
	(void)size;
	return json_pack("{sb}", "pong", 1);
}

static json_t *act_close(struct service *service, const struct request_line *line, char *why,
			 size_t size)
{
	(void)line;
	(void)why;
	(void)size;
	service->closing = true;
	return json_pack("{sb}", "closed", 1);
}

static const struct operation operations[] = {
	{ "run", act_run },
	{ "run_code", act_run_code },
	{ "capabilities", act_capabilities },
	{ "ping", act_ping },
	{ "close", act_close },
};

static json_t *perform(struct service *service, const struct request_line *line, char *why,
		       size_t size)
{
	service->task = line->task;
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (strcmp(operations[i].name, line->op) == 0)
			return operations[i].act(service, line, why, size);
	snprintf(why, size, "op: unknown operation '%.*s'", request_line_fitting(line->op, 64),
		 line->op);
	return NULL;
}

/* Takes `answer` over; NULL = an error that `why` tells. The request's id comes back as request_id. */
static int say(json_t *answer, json_t *id, const char *why)
{
	_cleanup_free_ char *out = NULL;

	if (!answer)
		answer = json_pack("{s{ss}}", "error", "message", *why ? why : "internal error");
	if (id)
		(void)json_object_set(answer, "request_id", id);
	out = json_dumps(answer, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(answer);
	return !out || puts(out) < 0 || fflush(stdout) < 0 ? -EIO : 0;
}

/* One line in, one line out. */
static int answer_line(struct service *service, const char *text, size_t length)
{
	char why[REQUEST_LINE_WHY_MAX] = "";
	struct request_line line;
	json_t *answer = NULL;
	int r = request_line_read(&line, text, length, why, sizeof(why));

	if (r == 0)
		answer = perform(service, &line, why, sizeof(why));
	r = say(answer, json_object_get(line.object, "id"), why);
	request_line_free(&line);
	return r;
}

static int serve(struct service *service)
{
	struct lines lines = { .fd = 0, .signals = service->run_session.signals };
	size_t length;
	char *line;
	int r = 1;

	while (!service->closing && r > 0) {
		r = lines_next(&lines, &line, &length);
		if (r > 0 && length > 0 && answer_line(service, line, length) < 0)
			r = -EIO;
		else if (r == -EMSGSIZE)
			r = say(NULL, NULL, "the line is too long") < 0 ? -EIO : 1;
	}
	lines_free(&lines);
	return r < 0 ? r : 0;
}

static void tell_swept(void *ctx, const char *name, enum sweep_what what, const char *why)
{
	static const char *const words[] = { [SWEEP_REMOVED] = "removed",
					     [SWEEP_KEPT] = "kept",
					     [SWEEP_FAILED] = "cannot remove" };

	*(bool *)ctx |= what == SWEEP_FAILED;
	printf("%s %s%s%s\n", words[what], name, why && *why ? ": " : "", why ? why : "");
}

/* --sweep: nothing but that. */
static int sweep(void)
{
	struct folder_error error = { "" };
	bool has_failed = false;
	int removed = session_sweep(tell_swept, &has_failed, &error);

	if (removed < 0) {
		fprintf(stderr, "stile session: --sweep: %s\n",
			error.text[0] ? error.text : strerror(-removed));
		return EXIT_CODE_INTERNAL & 255;
	}
	printf("%d removed\n", removed);
	return has_failed ? EXIT_CODE_INTERNAL & 255 : 0;
}

/* Opens what the options ask for and serves it to its end. Takes the request's policy over. */
static int open_and_serve(struct request *q)
{
	struct service service = { .request = q };
	struct session_wish wish = request_wish(q);
	int r = -EINVAL;

	if (log_open(&service.log, q->log) < 0)
		return EXIT_USAGE;
	wish.log = &service.log;
	service.env = request_environment(q->policy);
	if (service.env && session_open(&service.run_session, q->policy, &wish) == 0) {
		q->policy = NULL;
		r = serve(&service);
		session_close(&service.code_session);
		session_close(&service.run_session);
	}
	repairs_free(&service.repairs);
	recipe_free(&service.recipe);
	request_free_environment(service.env);
	log_close(&service.log);
	return r < 0 ? EXIT_CODE_INTERNAL & 255 : 0;
}

int verb_session(int argc, char **argv)
{
	struct request q;
	int code = EXIT_USAGE;

	if (request_read(&q, "session", "tool", argc, argv) == 0) {
		if (q.rest_count)
			fprintf(stderr, "stile session: unexpected operand '%s'\n", q.rest[0]);
		else
			code = q.sweep ? sweep() : open_and_serve(&q);
	}
	request_free(&q);
	return code;
}
