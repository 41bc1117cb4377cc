/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where in a script the running thread is. Each interpreter tells by functions of its own
 * that need no headers; which one is in this process is found out once, in the
 * constructor. Runs inside the program.
 */
#pragma once

#include "shim/ring.h"

#include <stdbool.h>
#include <stddef.h>

/* Called in the constructor, once attached. */
void script_attach(void);

/*
 * Fills *out and returns true when this thread runs a script and its interpreter may be
 * asked right now: never in a vfork child, never in a thread that does not hold the
 * interpreter. errno and the interpreter's own pending error are kept. To be called for
 * denials only: it may take some microseconds.
 */
bool script_here(struct ring_script *out);

/* Copies a text into its room, cut between characters, never within one. NULL = "". */
void script_copy(char *out, size_t size, const char *text);
