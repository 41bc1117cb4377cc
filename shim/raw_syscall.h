/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls by number, as syscall() gets them; shim only. */
#pragma once

#include "shim/call.h"

struct raw_row {
	uint16_t number;
	uint8_t subject;  /* enum subject */
	int8_t dir, what; /* which arguments; -1 = none */
	int8_t flags;	  /* the argument with open's or AT_… flags; -1 = none */
	uint8_t access;	  /* PATH_…, enum network_use */
	uint16_t ask;	  /* ASK_… */
	bool jumps;	  /* makes a process: may return twice, is jumped to */
};

/* The row of a number, or NULL: none of the policy's business. */
const struct raw_row *raw_find(long number);

/* Fills the question these arguments ask. False = none. */
bool raw_ask(const struct raw_row *row, const long a[6], struct question *out);

/* Judges, makes the system call, tells; the result as syscall() returns it, errno set. */
long raw_go(long number, const long a[6], const struct call *call);
