/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a script of a language is run in profile `code`. */
#pragma once

#include "launcher/run.h"
#include "policy/interpreters.h"

struct recipe {
	const struct interpreter *interpreter;
	char program[4096];   /* the base interpreter's real file */
	char name[32];        /* of the script in the run folder */
	char *text;           /* the script; owned */
	size_t size;
	char **argv;          /* owned list; its strings live here or in the table */
	char error[512];
};

/* Finds the language's interpreter, asks it for its own folders and adds them to the policy. */
int recipe_make(struct recipe *recipe, struct policy *policy, const char *language);
int recipe_read_file(struct recipe *recipe, const char *file); /* "-" = standard input */
int recipe_take_text(struct recipe *recipe, const char *text, size_t size);
void recipe_fill(const struct recipe *recipe, struct run_request *run);
void recipe_free(struct recipe *recipe);

/* Is `program` one that would not start under an address-space limit? */
bool recipe_reserves_address_space(const char *program);
