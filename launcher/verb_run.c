/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile run, stile check and stile code: one program, from the command line to its result.
 * run streams; code answers with one JSON object; check runs nothing, and asks the very function a run asks.
 */
#include "backends/cleanup.h"
#include "launcher/explain.h"
#include "launcher/log.h"
#include "launcher/look.h"
#include "launcher/recipe.h"
#include "launcher/report.h"
#include "launcher/request.h"
#include "launcher/show.h"
#include "launcher/verbs.h"
#include "launcher/why.h"
#include "policy/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int fail_stdin(const struct request *q, const char *why)
{
	fprintf(stderr, "stile: --stdin %s: %s\n", q->stdin_file, why);
	return -EINVAL;
}

/* Anything that can be read: a device or a FIFO too, which the program then reads from. */
static int open_stdin(const struct request *q, int *fd)
{
	struct stat st;

	if (!q->stdin_file)
		return 0;
	/* A FIFO without a writer must not hold us here, before the clock runs. */
	*fd = open(q->stdin_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return fail_stdin(q, errno == ENXIO ? "is a socket or no device" : strerror(errno));
	if (fstat(*fd, &st) == 0 && S_ISDIR(st.st_mode))
		return fail_stdin(q, "is a folder");
	(void)fcntl(*fd, F_SETFL, 0);
	return 0;
}

/* Runs what `run` says in a session of its own and reports it. Returns the process's exit code. */
static int run_and_report(struct request *q, struct run_request *run, char **argv,
			  const struct run_as *as)
{
	struct captured captured = { { 0 }, { 0 } };
	struct session_wish wish = request_wish(q);
	struct event_log log;
	struct report report;
	struct session s;
	struct result r;
	int code;

	if (report_open(&report, q, run->stream) < 0 || log_open(&log, q->log) < 0) {
		report_close(&report);
		return EXIT_USAGE;
	}
	wish.log = &log;
	run->argv = argv;
	run->limits = q->policy->limits;
	run->steps = q->steps;
	run->tell_opens = q->explain_kernel;
	if (session_begin(&s, q->policy, &wish) < 0) {
		q->policy = NULL;
		log_close(&log);
		report_close(&report);
		fputs("stile: cannot open a session\n", stderr);
		return EXIT_CODE_INTERNAL & 255;
	}
	q->policy = NULL;
	(void)run_once(&s, run, &captured, &r);
	r.binary = q->binary;
	if (!s.is_raised)
		log_session(&log, &s);
	log_result(&log, &r);
	log_close(&log);
	code = report_result(&report, &r, run->stream);
	if (q->shim.explain)
		explain_run(stderr, &r);
	if (as->end)
		code = as->end(as->ctx, &s, &r, code);
	report_close(&report);
	output_free(&captured.out);
	output_free(&captured.err);
	session_close(&s);
	return code;
}

int verb_run_as(const struct run_as *as, int argc, char **argv)
{
	_cleanup_fd_ int in = -1;
	struct request q;
	struct run_request run = { .stdin_fd = 0 };
	char **env;
	int code = EXIT_USAGE;

	if (request_read(&q, as->verb, "tool", argc, argv) < 0 || open_stdin(&q, &in) < 0 ||
	    (as->begin && as->begin(as->ctx, &q) < 0)) {
		request_free(&q);
		return EXIT_USAGE;
	}
	env = request_environment(q.policy);
	run.cwd = q.policy->root ? q.cwd : NULL;
	run.env = env;
	run.preflight = q.preflight;
	run.raw = q.raw;
	run.home_is_run_folder = strcmp(q.profile, "code") == 0;
	run.stream = !(q.result && strcmp(q.result, "-") == 0);
	run.big_address_space = recipe_reserves_address_space(q.rest_count ? q.rest[0] : "");
	if (in >= 0)
		run.stdin_fd = in;
	if (env)
		code = run_and_report(&q, &run, q.rest, as);
	request_free_environment(env);
	request_free(&q);
	return code;
}

int verb_run(int argc, char **argv)
{
	return verb_run_as(&(struct run_as){ .verb = "run" }, argc, argv);
}

int verb_code(int argc, char **argv)
{
	struct request q;
	struct recipe recipe = { 0 };
	struct run_request run = { .stdin_fd = -1, .home_is_run_folder = true };
	char **env = NULL;
	int code = EXIT_USAGE;

	if (request_read(&q, "code", "code", argc, argv) < 0)
		goto out;
	if (q.rest_count != 2) {
		fputs("usage: stile code [OPTION…] LANGUAGE FILE|-\n", stderr);
		goto out;
	}
	if (recipe_make(&recipe, q.policy, q.rest[0]) < 0 ||
	    recipe_read_file(&recipe, q.rest[1]) < 0) {
		fprintf(stderr, "stile code: %s\n", recipe.error);
		goto out;
	}
	env = request_environment(q.policy);
	if (!env)
		goto out;
	recipe_fill(&recipe, &run);
	run.env = env;
	code = run_and_report(&q, &run, recipe.argv, &(struct run_as){ .verb = "code" });
out:
	request_free_environment(env);
	recipe_free(&recipe);
	request_free(&q);
	return code;
}

/* The rule that decided, by the name its author knows. */
static void put_rule(const struct policy_block *block, const struct verdict *verdict)
{
	const struct block_rule *rules = (const void *)block_text(block, block->rules);
	const struct block_rule *rule = verdict->rule < block->rule_count ? &rules[verdict->rule] : rules;

	printf("rule: %s%s%s%s\n", block_text(block, rule->path), verdict->rule ? " (" : "",
	       block_text(block, rule->origin), verdict->rule ? ")" : "");
	if (look_is_private(block, verdict->rule))
		puts("note: the session has a place of its own there; the host's files are not in it");
}

/* The program first, where one is named; what is refused before the start asks nothing more. */
static int ask(const struct session *s, const struct request *q, char *const *env,
	       struct verdict_text *text, struct verdict *verdict)
{
	struct run_request run = { .argv = q->rest, .env = env, .preflight = q->preflight };
	char program[PATH_MAX];
	int r = 0;

	run.cwd = q->policy->root ? q->cwd : NULL;
	*verdict = (struct verdict){ .action = ACTION_ALLOW, .reason = "", .fix = "" };
	if (!q->why || q->rest_count)
		run_preflight(s, &run, program, sizeof(program), text, verdict);
	if (q->why && verdict->action == ACTION_ALLOW)
		r = why_ask(s->block, q->why, q->cwd, text, verdict);
	if (r < 0)
		fprintf(stderr, "stile: --why '%s': expected one of %s\n", q->why, why_questions());
	return r;
}

static void put_answer(const struct session *s, const struct request *q, const struct verdict *verdict)
{
	if (q->json) {
		report_verdict_json(verdict, q->show ? show_policy_json(q->policy) : NULL);
		return;
	}
	report_verdict(verdict);
	if (q->why && verdict->layer != LAYER_PREFLIGHT)
		put_rule(s->block, verdict);
}

int verb_check_as(const char *verb, int argc, char **argv)
{
	_cleanup_free_ struct verdict_text *text = calloc(1, sizeof(*text));
	struct session s = { 0 };
	struct verdict verdict;
	struct request q;
	char **env;
	int code = EXIT_CODE_INTERNAL & 255;

	if (!text || request_read(&q, verb, "tool", argc, argv) < 0)
		return EXIT_USAGE;
	if (q.show && !q.json)
		show_policy(q.policy);
	s.policy = q.policy;
	s.mode = q.mode;
	env = request_environment(q.policy);
	if (env && policy_compile(q.policy, &s.block) == 0) {
		if (ask(&s, &q, env, text, &verdict) < 0) {
			code = EXIT_USAGE;
		} else {
			put_answer(&s, &q, &verdict);
			code = verdict.action == ACTION_DENY ? EXIT_CODE_DENIED & 255 : 0;
		}
	}
	free(s.block);
	request_free_environment(env);
	request_free(&q);
	return code;
}

int verb_check(int argc, char **argv)
{
	return verb_check_as("check", argc, argv);
}
