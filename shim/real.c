/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The real functions behind the hooks: one table of pointers, filled on first use, and
 * the names.
 *
 * Runs inside the program. Looking all of them up at the start would cost more than a
 * start may; a name is looked up when it is first called. Two threads at once find the
 * same answer, so no lock is needed.
 */
#include "shim/hooks.h"

#include <dlfcn.h>
#include <stdbool.h>

void *real[HOOK_COUNT];

void *real_find_slowly(enum hook hook)
{
	void *found = dlsym(RTLD_NEXT, hook_name(hook));

	__atomic_store_n(&real[hook], found, __ATOMIC_RELAXED);
	return found;
}

void real_find_all(void)
{
	static bool is_done;

	if (__atomic_exchange_n(&is_done, true, __ATOMIC_RELAXED))
		return;
	for (unsigned i = 0; i < HOOK_COUNT; i++)
		(void)real_find((enum hook)i);
}
