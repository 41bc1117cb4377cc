/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The open family: a mode that is there only with some flags, and, without walls, a file
 * that is opened by the very path that was judged.
 *
 * Runs inside the program in the place of libc's functions.
 */
#include "shim/question.h"
#include "shim/raw.h"

#include <errno.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

#define OWN DECLARE
#define HOOK(...)
#define HOOKP(...)
#define HOOKE(...)
#define HOOKA(...)
#define JUMP(...)
#include "shim/hooks.def"

struct opening {
	int dir;
	const char *path;
	int flags;
	mode_t mode;
	int (*go)(const struct opening *opening, void *next);
	const void *how; /* of openat2 */
	size_t how_size;
};

/* --- judged first
 * ------------------------------------------------------------------------------- */

static int fail(int error)
{
	errno = error;
	return -1;
}

/*
 * Opens what was judged and nothing else: the judged path has no symlinks, so whoever
 * puts one into it in between gets ELOOP. -ENOSYS = this kernel, or this path, has no
 * such way.
 */
static int open_judged(const struct opening *o, const struct answer *answer)
{
	struct open_how how = { .flags = (unsigned)o->flags,
				.resolve = RESOLVE_NO_SYMLINKS };
	size_t length = strlen(o->path);
	long fd;

	if (!length || o->path[length - 1] == '/')
		return -ENOSYS;
	if (o->flags & O_CREAT || (o->flags & __O_TMPFILE) == __O_TMPFILE)
		how.mode = o->mode & 07777;
	fd = raw_call4(SYS_openat2, AT_FDCWD, (long)answer->target, (long)&how,
		       sizeof(how));
	return fd == -EINVAL ? -ENOSYS : (int)fd;
}

static int judge_and_open(const struct opening *o, const struct call *call, void *next)
{
	struct answer answer;
	int fd, error = call_judge(call);

	if (error)
		return fail(error);
	if (!question_decide(call->ask, &answer) || answer.error)
		return o->go(o, next);
	fd = open_judged(o, &answer);
	if (fd == -ENOSYS)
		return o->go(o, next);
	return fd < 0 ? fail(-fd) : fd;
}

/* --- both
 * ------------------------------------------------------------------------------------------
 */

static inline int open_it(const struct opening *o, const struct call *call)
{
	void *next = real_find(call->hook);
	int fd;

	if (!next)
		return fail(ENOSYS);
	fd = shim.mode & SHIM_JUDGES ? judge_and_open(o, call, next) : o->go(o, next);
	call_after(call, fd < 0 ? errno : 0);
	return fd;
}

static int go_open(const struct opening *o, void *next)
{
	int (*function)(const char *, int, ...) = next;

	return function(o->path, o->flags, o->mode);
}

static int go_openat(const struct opening *o, void *next)
{
	int (*function)(int, const char *, int, ...) = next;

	return function(o->dir, o->path, o->flags, o->mode);
}

static int go_openat2(const struct opening *o, void *next)
{
	int (*function)(int, const char *, const void *, size_t) = next;

	return function(o->dir, o->path, o->how, o->how_size);
}

static int go_checked(const struct opening *o, void *next)
{
	int (*function)(const char *, int) = next;

	return function(o->path, o->flags);
}

static int go_checked_at(const struct opening *o, void *next)
{
	int (*function)(int, const char *, int) = next;

	return function(o->dir, o->path, o->flags);
}

/* glibc's own rule: O_TMPFILE contains the bit of O_DIRECTORY, so `flags & O_TMPFILE`
 * would be wrong. */
static inline bool has_mode(int flags)
{
	return flags & O_CREAT || (flags & __O_TMPFILE) == __O_TMPFILE;
}

#define TAKE_MODE(last)                                                                  \
	mode_t mode = 0;                                                                 \
	if (has_mode(last)) {                                                            \
		va_list list;                                                            \
                                                                                         \
		va_start(list, last);                                                    \
		mode = va_arg(list, mode_t);                                             \
		va_end(list);                                                            \
	}

#define OPEN_IT(name, dir_, function)                                                    \
	const struct opening opening = {                                                 \
		.dir = dir_, .path = path, .flags = flags, .mode = mode, .go = function  \
	};                                                                               \
	const struct question questions[] = { AT(dir_, path, ask_open_access(flags),     \
						 ask_open_flags(flags)) };               \
	const struct call call = CALL(HOOK_##name, questions);                           \
                                                                                         \
	return open_it(&opening, &call)

#define OPEN(name)                                                                       \
	int hook_##name(const char *path, int flags, ...)                                \
	{                                                                                \
		TAKE_MODE(flags)                                                         \
		OPEN_IT(name, AT_FDCWD, go_open);                                        \
	}
#define OPENAT(name)                                                                     \
	int hook_##name(int dir, const char *path, int flags, ...)                       \
	{                                                                                \
		TAKE_MODE(flags)                                                         \
		OPEN_IT(name, dir, go_openat);                                           \
	}
/* Fortified: without a mode, and fatal (in libc) with flags that need one. */
#define OPEN_CHECKED(name)                                                               \
	int hook_##name(const char *path, int flags)                                     \
	{                                                                                \
		const mode_t mode = 0;                                                   \
		OPEN_IT(name, AT_FDCWD, go_checked);                                     \
	}
#define OPENAT_CHECKED(name)                                                             \
	int hook_##name(int dir, const char *path, int flags)                            \
	{                                                                                \
		const mode_t mode = 0;                                                   \
		OPEN_IT(name, dir, go_checked_at);                                       \
	}

OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)
OPENAT(openat)
OPENAT(openat64)
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)
OPENAT_CHECKED(__openat_2)
OPENAT_CHECKED(__openat64_2)

/* Its own resolve flags can only narrow what is found; the question is about what flags
 * would find. */
int hook_openat2(int dir, const char *path, const void *how, size_t size)
{
	const struct open_how *wanted = how;
	int flags = size >= sizeof(*wanted) && raw_is_readable(how) ? (int)wanted->flags
								    : 0;
	const struct opening opening = {
		.dir = dir, .path = path, .go = go_openat2, .how = how, .how_size = size
	};
	const struct question questions[] = { AT(dir, path, ask_open_access(flags),
						 ask_open_flags(flags)) };
	const struct call call = CALL(HOOK_openat2, questions);
	void *next = real_find(HOOK_openat2);
	int error = call_before(&call), fd;

	if (!next || error)
		return fail(error ? error : ENOSYS);
	fd = opening.go(&opening, next);
	call_after(&call, fd < 0 ? errno : 0);
	return fd;
}
