/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads a tracer holds, of all processes of a run: found by number, taken in turns. */
#pragma once

#include "launcher/tracee.h"

#include <stdbool.h>
#include <stddef.h>
#include <uthash.h>

struct thread {
	pid_t tid;
	bool is_ready;    /* stopped, and may be resumed */
	bool is_held;     /* stopped as a process, by a signal: not ours to resume */
	bool is_counted;  /* in flight, and its step stands in the count */
	bool in_call;     /* stopped inside a system call whose step has been counted */
	bool may_restart; /* a call of its was broken off: the next step may be that call again */
	bool had_signal;  /* resumed with one */
	bool has_breakpoint; /* its memory is a copy with the one at the entry point */
	int signal;       /* to be resumed with, 0 = none */
	uint64_t pc;      /* before the present flight */
	enum tracee_insn insn; /* at pc */
	uint64_t repeating;    /* the address of a rep instruction not finished yet, 0 = none */
	int perf;         /* its hardware counter, -1 = none */
	struct thread *next, *previous;
	UT_hash_handle hh;
};

struct thread_table {
	struct thread *by_tid;
	struct thread *first, *newest;
	struct thread *last; /* whose turn it is or was */
	unsigned turns;      /* it has had in a row */
	size_t count;
};

struct thread *threads_find(const struct thread_table *table, pid_t tid);

/* A new one, not ready, in the middle of the call that made it. NULL: no memory. */
struct thread *threads_add(struct thread_table *table, pid_t tid);

/* Forgets it; NULL is nothing. */
void threads_drop(struct thread_table *table, struct thread *t);

/* The next ready one: the same again until it has had `quantum` turns and another is ready. NULL: none is. */
struct thread *threads_next(struct thread_table *table, unsigned quantum);
bool threads_has_ready(const struct thread_table *table);
