/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interpreters: one table, read by the preflight, the recipes of `stile code` and the
 * step counters. Read-only data and pure look-ups; no allocation, safe in a signal
 * handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum interpreter_kind {
	INTERPRETER_OTHER,
	INTERPRETER_CPYTHON,
	INTERPRETER_PYPY,
	INTERPRETER_PERL,
	INTERPRETER_LUA,
	INTERPRETER_LUAJIT,
	INTERPRETER_PHP,
	INTERPRETER_RUBY,
	INTERPRETER_NODE,
	INTERPRETER_SHELL,
	INTERPRETER_TCL,
	INTERPRETER_AWK
};

/*
 * How a command line is read. Short options are strings of letters, long ones and words
 * are lists separated by blanks; NULL or "" = none.
 */
struct interpreter_options {
	const char *inline_short; /* code follows, glued or as the next argument */
	const char
		*value_short; /* takes a value: the rest of the cluster, else the next */
	const char
		*next_short; /* takes the next argument; the cluster goes on (sh -eo) */
	const char
		*glued_short;	/* the rest of the cluster is its value, never the next */
	const char *file_short; /* as value_short, and the value is the program's file */
	const char *last_short; /* as value_short, and options end here (python -m) */
	const char *inline_long;
	const char *value_long; /* takes the next argument unless written --name=value */
	const char *file_long;
	const char *inline_words; /* first operand: what follows is code (deno eval) */
	const char *more_words;	  /* first operand: options go on behind it (deno run) */
	bool abbreviates;	  /* getopt_long: --ev is --eval */
	bool single_dash;  /* -name is a long option too; no clusters (erl -eval) */
	bool plus;	   /* +o is an option as -o is (shells) */
	bool text_operand; /* the first operand is the program's text (awk) */
	bool data_urls;	   /* "data:…" is a program (node --import, deno run) */
};

struct interpreter {
	const char *name;
	enum interpreter_kind kind;
	const char *programs;  /* names it is started by, each also with a version behind
				* it;  the first is what a recipe looks for in PATH */
	const char *languages; /* what `stile code LANG` accepts for it, "" = none */
	const char *suffix;    /* of the code file, with its dot; NULL = none */
	bool reserves_address_space; /* RLIMIT_AS would kill it at start */
	const char *const
		*code_flags; /* between program and file in profile `code`; NULL-ended */
	const char *const *ask_folders; /* arguments that make it print its own folders,
					 * one a line; NULL = there is nothing to ask */
	const char *ask_script; /* instead: what it is told on standard input to do the same */
	struct interpreter_options options;
};

/* The table; ends with name = NULL. */
extern const struct interpreter interpreters[];

/* By program name or path ("python3", "/usr/bin/perl5.36.0"), versions and case ignored.
 */
const struct interpreter *interpreter_find(const char *program);

/* By a language's name as `stile code` takes it, case ignored. */
const struct interpreter *interpreter_for_language(const char *language);

/* A piece of an argument; text = NULL: nothing. */
struct interpreter_inline {
	const char *text; /* inside one of argv's strings */
	size_t length;
};

/* Does this command line carry its program's text in its arguments? The flag that says so
 * (for awk: the text itself) is stored in *found, which points into argv. */
bool interpreter_has_inline(const struct interpreter_options *options,
			    const char *const *argv, struct interpreter_inline *found);

/* Is `word` (of `length` bytes) one of the blank-separated `list`? Exact. */
bool words_contain(const char *list, const char *word, size_t length);

/* As words_contain, but `word` may also be the beginning of a listed one. */
bool words_contain_prefix(const char *list, const char *word, size_t length);

/* The part of a path behind its last slash; may be empty. */
const char *path_basename(const char *path);
