/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of hooks.def as an enumeration, with the names; and the functions behind the
 * hooks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum hook {
#define HOOK(type, name, ...)  HOOK_##name,
#define HOOKP(type, name, ...) HOOK_##name,
#define HOOKE(type, name, ...) HOOK_##name,
#define HOOKA(type, name, ...) HOOK_##name,
#define OWN(type, name, ...)   HOOK_##name,
#define JUMP(name)	       HOOK_##name,
#include "shim/hooks.def"
#undef HOOK
#undef HOOKP
#undef HOOKE
#undef HOOKA
#undef OWN
#undef JUMP
	HOOK_COUNT
};

/* The name of a row ("openat"), "" when there is no such row. Pure; for the launcher too.
 */
const char *hook_name(unsigned hook);

/* Shim only. The next definition of this name behind us, found on first use, or NULL when
 * libc has none. */
void *real_find_slowly(enum hook hook);
extern void *real[HOOK_COUNT];

static inline void *real_find(enum hook hook)
{
	void *found = __atomic_load_n(&real[hook], __ATOMIC_RELAXED);

	return found ? found : real_find_slowly(hook);
}

/* Finds all of them: before a fork, after which the loader's lock may never be free
 * again. */
void real_find_all(void);

/* How a hook is called by name from C: under one that no header declares otherwise. The
 * library exports it under libc's; the tests' build under its own, so that it can be
 * linked beside libc. */
#ifdef SHIM_EXPORTS
#define HOOK_LABEL(name) __asm__(#name) __attribute__((visibility("default")))
#else
#define HOOK_LABEL(name)
#endif

/* Every prototype, from the table. */
#define DECLARE(type, name, params, ...) type hook_##name params HOOK_LABEL(name);
