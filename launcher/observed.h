/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program was seen to do, call by call: the ring's records, the same ones counted as one. For
 * --observe; what the program tells of itself, not more.
 */
#pragma once

#include "policy/block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OBSERVED_MAX 65536 /* different ones kept; the others are counted as lost */

struct observed_call {
	const char *call;   /* the hook's name; "" = an interpreter's event */
	const char *target; /* "" = none */
	bool is_cut;        /* it was longer */
	enum axis axis;
	enum action action; /* what the policy says of it */
	unsigned access;    /* PATH_… asked for */
	int error;          /* errno the program got, 0 = none */
	uint64_t count;
};

struct observed;

/* Empty; NULL = out of memory. Freed with observed_free (NULL is fine). `block` (borrowed) says of each call what
 * the policy has of it. */
struct observed *observed_new(const struct policy_block *block);
void observed_free(struct observed *o);
void observed_clear(struct observed *o);

/* Takes the records that the ring has now. `at_end`: nobody writes any more. */
void observed_drain(struct observed *o, int ring, bool at_end);

/* In the order of their first coming. */
size_t observed_count(const struct observed *o);
const struct observed_call *observed_at(const struct observed *o, size_t i);

/* Calls of which nothing is known: no room here, or none in the ring. */
uint64_t observed_lost(const struct observed *o);
