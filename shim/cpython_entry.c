/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The audit hook's entry in CPython's list (cpython_entry.h). Runs inside the program.
 *
 * CPython takes the entry's memory from its raw allocator when the hook is added, and gives it back at its end.
 * In between, -X dev and PYTHONMALLOC=debug put another allocator there, which finds memory that it never gave
 * out and aborts the process (a program cannot add a hook before the interpreter has read its options and do
 * better). So we remember which memory the entry is, and where the allocator has changed we leave it out of the
 * giving back.
 */
#include "shim/cpython_entry.h"

#define DOMAIN_RAW 0
#define ENTRY_BYTES (3 * sizeof(void *)) /* next, hook, data: from 3.8 to 3.14 */

/* Written in the constructor and at the interpreter's end, where there is one thread. */
static struct {
	void *entry; /* NULL = not known, or given back */
	struct allocator first, last;
} life;

static void *allocate(void *ctx, size_t size)
{
	void *memory = life.first.malloc(ctx, size);

	if (size == ENTRY_BYTES)
		life.entry = memory;
	return memory;
}

static void release(void *ctx, void *memory)
{
	if (memory && memory == life.entry)
		life.entry = NULL;
	else
		life.last.free(ctx, memory);
}

void cpython_entry_add(cpython_hook *hook)
{
	struct allocator ours;

	cpython.PyMem_GetAllocator(DOMAIN_RAW, &life.first);
	ours = life.first;
	ours.malloc = allocate;
	cpython.PyMem_SetAllocator(DOMAIN_RAW, &ours);
	(void)cpython.PySys_AddAuditHook(hook, NULL);
	cpython.PyMem_SetAllocator(DOMAIN_RAW, &life.first);
}

void cpython_entry_drop(void)
{
	struct allocator ours;

	cpython.PyMem_GetAllocator(DOMAIN_RAW, &life.last);
	if (!life.entry || life.last.free == life.first.free)
		return;
	ours = life.last;
	ours.free = release;
	cpython.PyMem_SetAllocator(DOMAIN_RAW, &ours);
}
