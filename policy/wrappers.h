/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wrappers: programs whose arguments are another command (env, nice, xargs, find -exec,
 * …). Read-only data and pure reading; no allocation, safe in a signal handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum wrapper_style {
	WRAPPER_COMMAND, /* the command is what stands behind options and operands */
	WRAPPER_ENV,	 /* the same, behind NAME=VALUE assignments */
	WRAPPER_SHELL,	 /* the arguments are joined and given to a shell */
	WRAPPER_FIND	 /* a command stands behind each -exec */
};

struct wrapper {
	const char *names; /* blank-separated, lower case */
	enum wrapper_style style;
	unsigned operands;	 /* of its own, before the command (timeout 5 …) */
	const char *value_short; /* letters that take a value */
	const char *glued_short; /* letters that swallow the rest of their cluster */
	const char *value_long;
	const char *line_short; /* letters whose value is a command line */
	const char *line_long;
	const char *code_long; /* options whose value is code of another kind (gdb -ex) */
	bool single_dash;      /* -name is a long option; no clusters */
};

/* What is inside; argv points into the wrapper's own. */
struct wrapped {
	const char *const
		*argv; /* the inner command, or what stands behind `line`; NULL = none */
	const char *line; /* a command line to be split, NULL = none */
	const char *flag; /* the option that carried the line or the code, NULL = none */
	bool is_code;	  /* flag carries code that is no command line */
};

/* By program name or path, case ignored; NULL when it is no wrapper. */
const struct wrapper *wrapper_find(const char *program);

/* Finds the inner command of argv (argv[0] is the wrapper itself). Not for WRAPPER_FIND.
 */
void wrapper_open(const struct wrapper *w, const char *const *argv, struct wrapped *out);

/* Commands split out of text; each ends with NULL, `count` counts words and NULLs. */
#define SPLIT_WORDS 256
#define SPLIT_TEXT 4096
struct split {
	const char *words[SPLIT_WORDS];
	size_t count;
	bool is_full;	 /* something had no room: nothing may be concluded */
	bool is_dynamic; /* a command's name depends on a variable */
	bool is_shell;	 /* ; | & ( ) end a command; else the rules of env -S */
	/* private */
	char text[SPLIT_TEXT];
	size_t used;
	size_t word; /* where the open word begins in text */
	char quote;
	unsigned inside; /* parentheses open since a "$( */
	bool is_open;
	bool is_first; /* the open word is a command's first */
};

void split_begin(struct split *s, bool is_shell);
void split_text(struct split *s, const char *text); /* may be called repeatedly */
void split_word(struct split *s, const char *word); /* one whole word, not looked into */
void split_end_command(struct split *s);
