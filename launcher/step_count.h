/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of a run's steps at its end: the "steps" object of the result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEP_UNKNOWN UINT64_MAX /* printed as null */
#define STEP_REASONS_MAX 8
#define STEP_REASON_MAX 256
#define STEP_WHERE_MAX 1024

/* Where the program stood when it was stopped; file "" = not known. */
struct step_where {
	char module[STEP_WHERE_MAX]; /* a program or library, "" = none: a script's */
	uint64_t offset;             /* of the next instruction there */
	char symbol[256];            /* "" = none found */
	uint64_t symbol_offset;
	char file[STEP_WHERE_MAX], function[256]; /* of a script */
	uint32_t line;
};

struct step_count {
	const char *unit;    /* of the steps, NULL = null */
	const char *counter; /* NULL = "none" */
	const char *scope, *start;
	char runtime[64];    /* the interpreter and its version, "" = null */
	uint64_t count, count_all, startup_steps, error_bound; /* or STEP_UNKNOWN */
	bool is_stopped;     /* at the budget */
	bool is_exact;
	char reasons[STEP_REASONS_MAX][STEP_REASON_MAX]; /* why it is not */
	size_t reason_count;
	const char *warning; /* what the counting changed for the program, NULL = nothing */
	bool has_where;
	struct step_where where;
};

/* Nothing known, nobody counting. */
void step_count_clear(struct step_count *count);

/* It is not exact, and this is why; more reasons than there is room for are dropped. */
void step_count_doubt(struct step_count *count, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
