/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simple hooks, all made from the table: judge, call the real one, tell.
 *
 * Runs inside the program in the place of libc's functions. Results and errno are the real function's; a
 * name that this libc does not have answers ENOSYS.
 */
#include "shim/call.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>

#define HOOK DECLARE
#define HOOKP DECLARE
#define HOOKE DECLARE
#define HOOKA DECLARE
#define OWN(type, name, ...)
#define JUMP(name)
#include "shim/hooks.def"
#undef HOOK
#undef HOOKP
#undef HOOKE
#undef HOOKA

/* `error`: errno of a result that is a failure, else 0; `refused`: what a refusal returns. */
#define WRAP(type, name, params, args, error_of, refusal, ...) \
	type hook_##name params \
	{ \
		const struct question questions[] = { __VA_ARGS__ }; \
		const struct call call = CALL(HOOK_##name, questions); \
		type(*next) params = real_find(HOOK_##name); \
		int error = call_before(&call); \
		type result; \
\
		if (!next) \
			error = ENOSYS; \
		if (error) \
			return refusal; \
		result = next args; \
		call_after(&call, error_of); \
		return result; \
	}

#define FAIL(value) (errno = error, (value))

#define HOOK(type, name, params, args, ...) \
	WRAP(type, name, params, args, result == (type)-1 ? errno : 0, FAIL((type)-1), __VA_ARGS__)
#define HOOKP(type, name, params, args, ...) \
	WRAP(type, name, params, args, result ? 0 : errno, FAIL(NULL), __VA_ARGS__)
#define HOOKE(type, name, params, args, ...) \
	WRAP(type, name, params, args, result, error, __VA_ARGS__)
/* What the resolver answers where no server can be reached. */
#define HOOKA(type, name, params, args, ...) \
	WRAP(type, name, params, args, result ? (errno ? errno : ENETUNREACH) : 0, FAIL(EAI_AGAIN), \
	     __VA_ARGS__)

#include "shim/hooks.def"
