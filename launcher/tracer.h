/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tracer: a process forked from the launcher for one run, that holds the program and all its threads and
 * children by ptrace, counts their instructions and stops them before the first one too many.
 *
 * It is not the program's parent: the warden is, and takes the exit status; the kernel tells the tracer
 * first. It stands outside the walls, and when it dies, all it holds is killed.
 */
#pragma once

#include "backends/warden.h"
#include "launcher/tracee.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_source;

/* What the tracer says, in memory shared with the launcher; no program ever has it. */
struct tracer_page {
	_Atomic bool is_armed;    /* it holds the program */
	_Atomic bool is_started;  /* the program came to its entry point */
	_Atomic bool is_stopped;  /* at the budget */
	_Atomic bool is_finished; /* all are dead, the count is whole */
	_Atomic uint64_t count;
	bool starts_at_exec;      /* the entry point could not be waited for: counted from exec */
	bool had_startup;         /* something ran, uncounted, before the entry point */
	bool is_estimated;        /* the hardware's number, never corrected by single steps */
	uint64_t unsure;          /* steps under way when somebody else killed their thread */
	uint64_t faults;          /* page faults of all: the hardware counts some twice */
	uint64_t overrun;         /* steps past the budget before the stop came */
	uint64_t processes, threads, execs; /* seen after the start, the first ones not among them */
	int error;                /* errno of what ended the counting, 0 = nothing */
	uint64_t where_offset;    /* of the next instruction, in the file */
	char where_module[TRACEE_MODULE_MAX]; /* "" = not known */
};

struct tracer_order {
	struct warden_area *area; /* with its gate shut */
	struct tracer_page *page;
	uint64_t budget;          /* UINT64_MAX = only count */
	struct perf_source *perf; /* NULL = single steps from the start */
	pid_t launcher;
};

/* The life of the forked process. */
__attribute__((noreturn)) void tracer_live(const struct tracer_order *order);
