/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One audit event on its way to an answer: what cpython.c asks, and the files that know
 * the answer for one kind of event. Runs inside the program, in a thread that holds the
 * interpreter.
 */
#pragma once

#include "policy/policy.h"
#include "shim/cpython_api.h"
#include "shim/cpython_events.h"
#include "shim/resolve.h"
#include "shim/shim.h"

struct inquiry {
	const char *event;
	const struct cpython_event *row;
	struct object *args;
	const void *caller, *frame; /* of the hook, for the native frames */
	const struct policy_block *block;
	bool is_code; /* the profile's refusals have sentences of their own */

	/* the answer: verdict.action is ACTION_ALLOW until somebody denies */
	struct verdict verdict;
	struct verdict_text text;
	int error;		/* errno of the exception; 0 = the operation has none */
	unsigned access;	/* PATH_… asked for */
	char given[PATH_MAX];	/* the object as the script has it */
	struct resolved target; /* its path: what the policy was asked about, also where
				   that is no file */
};

/* EVENT_PATH, EVENT_OPEN, EVENT_DATABASE. */
void inquiry_ask_path(struct inquiry *q);
void inquiry_ask_open(struct inquiry *q);
void inquiry_ask_database(struct inquiry *q);

/* The shared object at this path: may it be loaded? Denies, or leaves q as it is. */
void inquiry_ask_object(struct inquiry *q, struct object *path);
