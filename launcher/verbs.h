/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verbs: one table drives dispatch, help and completions. */
#pragma once

#include <stdbool.h>

struct verb {
	const char *name;
	const char *operands; /* in usage */
	const char *summary;
	int (*act)(int argc, char **argv); /* words behind the verb; returns the process's exit code */
};
extern const struct verb verbs[]; /* ends with name = NULL */

const struct verb *verb_find(const char *name); /* NULL = unknown */
int verb_complain(const char *word);            /* names the nearest verb; returns the exit code */
bool verb_takes(const struct verb *verb, const char *flag);

/* stile check under another verb's name (its options, its complaints). */
int verb_check_as(const char *verb, int argc, char **argv);

/* stile run under another verb's name, with something to do before and after. */
struct request;
struct result;
struct session;
struct run_as {
	const char *verb;
	int (*begin)(void *ctx, struct request *q); /* NULL = nothing; < 0: a mistake, which it has told */
	int (*end)(void *ctx, const struct session *s, const struct result *r, int code); /* the exit code */
	void *ctx;
};
int verb_run_as(const struct run_as *as, int argc, char **argv);

int verb_run(int argc, char **argv);
int verb_code(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_explain(int argc, char **argv);
int verb_learn(int argc, char **argv);
int verb_session(int argc, char **argv);
int verb_demo(int argc, char **argv);
int verb_doctor(int argc, char **argv);
int verb_capabilities(int argc, char **argv);
int verb_help(int argc, char **argv);
int verb_version(int argc, char **argv);
