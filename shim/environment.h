/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Environments for new programs: the shim first in LD_PRELOAD, what the program had there
 * kept behind it, and the name of the room. Pure; the caller brings the memory, on its
 * stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* More entries, or a longer LD_PRELOAD, are passed on as they are. */
#define ENVIRONMENT_MAX	     32768u
#define ENVIRONMENT_TEXT_MAX 16384u

/* The two entries every environment must have: "LD_PRELOAD=/…/shim.so", "STILE_ROOM=…".
 */
struct environment_wish {
	const char *preload, *room;
};

struct environment_need {
	size_t entries; /* pointers, the last NULL included; 0 = nothing to repair */
	size_t text;	/* bytes for the new LD_PRELOAD; at least 1 */
};

/* How much memory a repair of this environment (NULL = empty) takes. */
struct environment_need environment_measure(char *const *environment,
					    const struct environment_wish *wish);

/* Fills list and text, of the sizes measured, and returns the list; the entries are the
 * old ones. Names that we set stand there once. */
char **environment_repair(char *const *environment, const struct environment_wish *wish,
			  char **list, char *text);
