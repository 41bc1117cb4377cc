/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPython's audit events that a policy has something to say about: one table, read by the
 * hook and by the tests. Pure data; runs inside the program.
 */
#pragma once

#include "policy/decide.h"

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_NETWORK, /* use = enum network_use */
	EVENT_PROCESS, /* use = enum process_use */
	EVENT_SIGNAL,
	EVENT_LOAD,
	EVENT_IMPORT,
	EVENT_PATH,
	EVENT_OPEN,
	EVENT_DATABASE,
	EVENT_END, /* of the interpreter */
	EVENT_KINDS
};

/* One path among an event's arguments. */
struct event_path {
	int8_t at;	/* which argument, -1 = none */
	int8_t dir_fd;	/* which argument is the folder's descriptor, -1 = none */
	uint8_t access; /* PATH_… it needs */
	bool is_entry;	/* the name itself, not what a link there points to */
	bool is_target; /* the text of a link to be made: relative to where it is made */
};

struct cpython_event {
	const char *name; /* ending in '.': all that begin so */
	enum event_kind kind;
	uint8_t use;
	int8_t target;	 /* which argument to name; -1 = none */
	bool is_for_all; /* also refused outside the profile `code`, where the walls
			    refuse it with an errno */
	struct event_path path[2];
};

/* The row of this event, or NULL: nothing to say. */
const struct cpython_event *cpython_event_find(const char *name);

/* All rows, sorted; for tests. */
const struct cpython_event *cpython_event_rows(unsigned *count);
