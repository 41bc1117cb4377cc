/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile capabilities: prints what a program may do by the policy in force. It opens the session that a
 * run would get, so that the text is of these walls. With a language it is the one of stile code.
 *
 * Runs in the launcher. Exit: 0, or that of "unavailable".
 */
#include "backends/cleanup.h"
#include "launcher/capabilities.h"
#include "launcher/recipe.h"
#include "launcher/request.h"
#include "launcher/verbs.h"

#include <stdio.h>

static int print_json(const struct session *s, const struct limits *limits)
{
	json_t *json = capabilities_json(s, limits);
	_cleanup_free_ char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(json);
	return text && puts(text) >= 0 ? 0 : -1;
}

static int print_text(const struct session *s, const struct limits *limits)
{
	_cleanup_free_ char *text = capabilities_text(s, limits);

	return text && fputs(text, stdout) >= 0 ? 0 : -1;
}

/* Takes the request's policy over. Returns the process's exit code. */
static int open_and_print(struct request *q)
{
	struct session_wish wish = request_wish(q);
	struct session s;
	int r = session_open(&s, q->policy, &wish), code;

	q->policy = NULL;
	if (r < 0) {
		fputs("stile capabilities: cannot open a session\n", stderr);
		return EXIT_CODE_INTERNAL & 255;
	}
	r = q->json ? print_json(&s, &s.policy->limits) : print_text(&s, &s.policy->limits);
	code = r < 0 ? EXIT_CODE_INTERNAL : s.unavailable[0] ? EXIT_CODE_UNAVAILABLE : 0;
	session_close(&s);
	return code & 255;
}

/* A language asks for profile code; which options stand before it, the first reading tells. */
static int read_request(struct request *q, struct recipe *recipe, int argc, char **argv)
{
	int r = request_read(q, "capabilities", "tool", argc, argv);

	if (r < 0 || !q->rest_count)
		return r;
	if (q->rest_count > 1) {
		fprintf(stderr, "stile capabilities: unexpected operand '%s'\n", q->rest[1]);
		return -1;
	}
	request_free(q);
	r = request_read(q, "capabilities", "code", argc, argv);
	if (r == 0 && recipe_make(recipe, q->policy, q->rest[0]) < 0) {
		fprintf(stderr, "stile capabilities: %s\n", recipe->error);
		return -1;
	}
	return r;
}

int verb_capabilities(int argc, char **argv)
{
	struct recipe recipe = { 0 };
	struct request q;
	int code = EXIT_USAGE;

	if (read_request(&q, &recipe, argc, argv) == 0)
		code = open_and_print(&q);
	recipe_free(&recipe);
	request_free(&q);
	return code;
}
