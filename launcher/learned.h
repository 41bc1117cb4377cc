/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program was seen to do, on its way to the least policy under which it can do that again.
 *
 * Only what the policy in force does not grant is kept. Paths are then folded, by these rules:
 *   1. something made or removed needs its folder (writing), for names come and go;
 *   2. LEARNED_FOLD_MIN or more entries of one folder with the same rights become that folder, again and
 *      again upwards, but never "/", a folder just below it, the home folder, or one above a place that
 *      looks sensitive;
 *   3. what a kept folder grants already is dropped.
 * Places that look sensitive (keys, tokens, passwords) are left out and named, unless they are allowed.
 */
#pragma once

#include "policy/block.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define LEARNED_FOLD_MIN 4

struct learned_plan {
	const struct policy_block *block; /* in force while the program ran */
	const char *home;                 /* NULL = none */
	bool allow_sensitive;
};

/* One call. Texts are borrowed. */
struct learned_call {
	enum axis axis;
	unsigned access;     /* PATH_… of a path */
	int error;           /* errno the program got, 0 = none */
	const char *call;    /* "openat" */
	const char *target;  /* an absolute path, an address … */
	bool made_in_run;    /* the path is not there, or younger than the run */
};

struct learned;

/* NULL = out of memory. The plan's texts and block must outlive it. */
struct learned *learned_new(const struct learned_plan *plan);
void learned_free(struct learned *l); /* NULL is fine */

/* Takes one call in. 0 or -ENOMEM. */
int learned_take(struct learned *l, const struct learned_call *call);

/* Takes in what an earlier run learned: a document of learned_document()'s. 0 or -errno. */
int learned_merge(struct learned *l, json_t *document);

/* The document, to be released by the caller; NULL = out of memory. The list stays as it is. */
json_t *learned_document(struct learned *l, const char *command);

/* Is this a place whose content nobody should be given by accident? */
bool learned_is_sensitive(const char *path, const char *home);

/* How many such places were left out so far. */
size_t learned_left_out(const struct learned *l);
