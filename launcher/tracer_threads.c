/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of traced threads: a list in order of birth, and a hash by number. Runs in the tracer, for every
 * step; the usual case, one thread again and again, must not search.
 */
#include "launcher/tracer_threads.h"

#include <stdlib.h>

struct thread *threads_find(const struct thread_table *table, pid_t tid)
{
	struct thread *t = table->last;

	if (t && t->tid == tid)
		return t;
	HASH_FIND_INT(table->by_tid, &tid, t);
	return t;
}

struct thread *threads_add(struct thread_table *table, pid_t tid)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tid = tid;
	t->in_call = true;
	t->perf = -1;
	t->previous = table->newest;
	if (table->newest)
		table->newest->next = t;
	else
		table->first = t;
	table->newest = t;
	HASH_ADD_INT(table->by_tid, tid, t);
	table->count++;
	return t;
}

void threads_drop(struct thread_table *table, struct thread *t)
{
	if (!t)
		return;
	HASH_DEL(table->by_tid, t);
	if (t->previous)
		t->previous->next = t->next;
	else
		table->first = t->next;
	if (t->next)
		t->next->previous = t->previous;
	else
		table->newest = t->previous;
	if (table->last == t)
		table->last = NULL;
	table->count--;
	free(t);
}

bool threads_has_ready(const struct thread_table *table)
{
	for (const struct thread *t = table->first; t; t = t->next)
		if (t->is_ready)
			return true;
	return false;
}

/* In the order of birth, beginning behind the last. */
static struct thread *search_ready(const struct thread_table *table)
{
	struct thread *begin = table->last ? table->last->next : NULL;

	for (struct thread *t = begin; t; t = t->next)
		if (t->is_ready)
			return t;
	for (struct thread *t = table->first; t && t != begin; t = t->next)
		if (t->is_ready)
			return t;
	return NULL;
}

struct thread *threads_next(struct thread_table *table, unsigned quantum)
{
	struct thread *t = table->last;

	if (t && t->is_ready && (table->count == 1 || table->turns < quantum)) {
		table->turns++;
		return t;
	}
	t = search_ready(table);
	if (t) {
		table->last = t;
		table->turns = 1;
	}
	return t;
}
