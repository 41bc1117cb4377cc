/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile explain: what a result or an event log has of refusals, in words for people; or, with --why, what
 * the policy says of an act, without running anything: then it is stile check.
 */
#include "launcher/explain.h"
#include "launcher/request.h"
#include "launcher/verbs.h"

#include "backends/cleanup.h"
#include "policy/input_file.h"

#include <stdio.h>
#include <string.h>

/* "-" is our own standard input, which is not closed. NULL, and it is said why not. */
static FILE *open_input(const char *name)
{
	const char *why = "";
	int fd;

	if (strcmp(name, "-") == 0)
		return stdin;
	fd = input_file_open(name, &why);
	if (fd < 0)
		fprintf(stderr, "stile explain: %s: %s\n", name, why);
	return fd < 0 ? NULL : fdopen(fd, "r");
}

static int explain_file(const char *name)
{
	FILE *in = open_input(name);
	int r = in ? explain_stream(stdout, in, name) : -1;

	if (in && in != stdin)
		(void)fclose(in);
	return r < 0 ? EXIT_USAGE : 0;
}

int verb_explain(int argc, char **argv)
{
	struct request q;
	int code = EXIT_USAGE;
	bool asks;

	if (request_read(&q, "explain", "tool", argc, argv) < 0)
		return EXIT_USAGE;
	asks = q.why;
	if (!asks && q.rest_count == 1)
		code = explain_file(q.rest[0]);
	else if (!asks)
		fputs("usage: stile explain FILE|-  or  stile explain --why QUESTION [-- PROGRAM…]\n", stderr);
	request_free(&q);
	return asks ? verb_check_as("explain", argc, argv) : code;
}
