/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The exec family: a new program in the place of this one, with the shim carried on.
 *
 * Runs inside the program, most often between vfork and exec, on the parent's memory: the
 * repaired environment is on the stack, nothing of the caller's is changed, and nothing
 * stays behind.
 */
#include "shim/exec.h"

#include "shim/environment.h"
#include "shim/question.h"
#include "shim/raw.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The one place with arrays of variable length: bounded, and there is no other memory
 * after vfork. */
#pragma GCC diagnostic ignored "-Wvla"

#define OWN DECLARE
#define HOOK(...)
#define HOOKP(...)
#define HOOKE(...)
#define HOOKA(...)
#define JUMP(...)
#include "shim/hooks.def"

#define ARGUMENTS_MAX 65536u

int exec_with_environment(char *const *environment,
			  int (*act)(void *ctx, char *const *environment), void *ctx)
{
	const struct environment_wish wish = { shim.preload, shim.room };
	struct environment_need need = { 0, 1 };

	if (shim_is_attached() && (!environment || raw_is_readable(environment)))
		need = environment_measure(environment, &wish);
	char *list[need.entries + 1], text[need.text];

	if (!need.entries)
		return act(ctx, environment);
	return act(ctx, environment_repair(environment, &wish, list, text));
}

/* --- the forms
 * ------------------------------------------------------------------------------------ */

/* One exec, however it was called. */
struct exec {
	int dir;
	const char *path;
	char *const *argv;
	char *const *environment;
	int flags;
	long number; /* of the system call; 0 = one of libc's functions */
	int (*go)(void *exec, char *const *environment);
};

static int go_path(void *exec, char *const *environment)
{
	const struct exec *e = exec;
	int (*next)(const char *, char *const *, char *const *) = real_find(HOOK_execve);

	return next(e->path, e->argv, environment);
}

static int go_search(void *exec, char *const *environment)
{
	const struct exec *e = exec;
	int (*next)(const char *, char *const *, char *const *) = real_find(HOOK_execvpe);

	return next(e->path, e->argv, environment);
}

static int go_fd(void *exec, char *const *environment)
{
	const struct exec *e = exec;
	int (*next)(int, char *const *, char *const *) = real_find(HOOK_fexecve);

	return next(e->dir, e->argv, environment);
}

static int go_at(void *exec, char *const *environment)
{
	const struct exec *e = exec;
	int (*next)(int, const char *, char *const *, char *const *,
		    int) = real_find(HOOK_execveat);

	if (next)
		return next(e->dir, e->path, e->argv, environment, e->flags);
	errno = ENOSYS;
	return -1;
}

static int go_number(void *exec, char *const *environment)
{
	const struct exec *e = exec;
	long result = e->number == SYS_execve
			      ? raw_call4(SYS_execve, (long)e->path, (long)e->argv,
					  (long)environment, 0)
			      : raw_call(SYS_execveat, e->dir, (long)e->path,
					 (long)e->argv, (long)environment, e->flags, 0);

	errno = (int)-result;
	return -1;
}

/* --- where execvp finds it
 * ----------------------------------------------------------------------- */

static const char *find_variable(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, length))
			return *environment + length;
	return NULL;
}

/* Folder + "/" + file; false when it does not fit. An empty folder is the current one. */
static bool join(const char *folder, size_t length, const char *file, char out[PATH_MAX])
{
	size_t size = strlen(file) + 1;

	if (length + 1 + size > PATH_MAX)
		return false;
	memcpy(out, folder, length);
	out[length] = '/';
	memcpy(out + length + (length > 0), file, size);
	return true;
}

/* The first of that name on PATH, as libc will find it; `file` itself when there is none.
 */
static const char *search(const char *file, char out[PATH_MAX])
{
	const char *at = find_variable(environ, "PATH=");

	if (!raw_is_readable(file) || !*file || strchr(file, '/'))
		return file;
	for (at = at ? at : "/bin:/usr/bin"; *at; at += *at == ':') {
		size_t length = strcspn(at, ":");

		if (join(at, length, file, out) && !raw_access(AT_FDCWD, out, 0))
			return out;
		at += length;
	}
	return file;
}

/* --- doing it
 * -----------------------------------------------------------------------------------------
 */

/* Comes back only when it failed. */
static int exec_attached(struct exec *e, const struct call *call)
{
	const char *path = call->ask->what;
	struct ring_process *row;

	row = shim_tell_exec(path && raw_is_readable(path) ? path : "");
	if (shim.mode & SHIM_RECORDS)
		call_tell(call, 0); /* there is no later when it goes well */
	(void)exec_with_environment(e->environment, e->go, e);
	shim_tell_exec_failed(row);
	if (shim.mode & SHIM_EXPLAINS)
		call_tell(call, errno);
	return -1;
}

static int exec_it(struct exec *e, const struct call *called)
{
	struct question ask = called->ask[0];
	struct call call = *called;
	char place[PATH_MAX];
	int error;

	if (!shim_is_attached())
		return e->go(e, e->environment);
	call.ask = &ask;
	if (e->go == go_search)
		ask.what = search(e->path, place);
	error = call_before(&call);
	if (!error)
		return exec_attached(e, &call);
	errno = error;
	return -1;
}

int exec_by_number(long number, const long a[6], const struct call *call)
{
	bool is_at = number == SYS_execveat;
	struct exec exec = { .dir = is_at ? (int)a[0] : AT_FDCWD,
			     .path = (const char *)a[is_at],
			     .argv = (char *const *)a[is_at + 1],
			     .environment = (char *const *)a[is_at + 2],
			     .flags = is_at ? (int)a[4] : 0,
			     .number = number,
			     .go = go_number };

	return exec_it(&exec, call);
}

#define EXEC(dir, path)                                                                  \
	{                                                                                \
		SUBJECT_EXEC, PATH_EXEC, ASK_EMPTY, dir, path, 0                         \
	}
#define EXEC_IT(name, asked, ...)                                                        \
	struct exec exec = { __VA_ARGS__ };                                              \
	const struct question questions[] = { asked };                                   \
	const struct call call = CALL(HOOK_##name, questions);                           \
                                                                                         \
	return exec_it(&exec, &call)
#define EXEC_PATH(name, how, environment_)                                               \
	EXEC_IT(name, EXEC(AT_FDCWD, path), .path = path, .argv = argv,                  \
		.environment = environment_, .go = how)

int hook_execve(const char *path, char *const argv[], char *const envp[])
{
	EXEC_PATH(execve, go_path, envp);
}

int hook_execv(const char *path, char *const argv[])
{
	EXEC_PATH(execv, go_path, environ);
}

int hook_execvpe(const char *path, char *const argv[], char *const envp[])
{
	EXEC_PATH(execvpe, go_search, envp);
}

int hook_execvp(const char *path, char *const argv[])
{
	EXEC_PATH(execvp, go_search, environ);
}

int hook_fexecve(int fd, char *const argv[], char *const envp[])
{
	EXEC_IT(fexecve, EXEC(fd, ""), .dir = fd, .argv = argv, .environment = envp,
		.go = go_fd);
}

int hook_execveat(int dir, const char *path, char *const argv[], char *const envp[],
		  int flags)
{
	EXEC_IT(execveat, EXEC(dir, path), .dir = dir, .path = path, .argv = argv,
		.environment = envp, .flags = flags, .go = go_at);
}

/* --- arguments one by one
 * -------------------------------------------------------------------------- */

/*
 * Counts, then copies, and leaves `list` behind the last one. All in the function that
 * has them: a va_list handed to a helper is indeterminate afterwards. Linux takes no more
 * than 6 MB of them.
 */
#define TAKE_ARGUMENTS(first)                                                            \
	size_t count = 0;                                                                \
	va_list list;                                                                    \
                                                                                         \
	va_start(list, first);                                                           \
	for (const char *next = first; next && count < ARGUMENTS_MAX; count++)           \
		next = va_arg(list, const char *);                                       \
	va_end(list);                                                                    \
	if (count == ARGUMENTS_MAX) {                                                    \
		errno = E2BIG;                                                           \
		return -1;                                                               \
	}                                                                                \
	char *argv[count + 1];                                                           \
                                                                                         \
	argv[0] = (char *)first;                                                         \
	va_start(list, first);                                                           \
	for (size_t i = 1; i <= count; i++)                                              \
	argv[i] = va_arg(list, char *)

int hook_execl(const char *path, const char *arg, ...)
{
	TAKE_ARGUMENTS(arg);
	va_end(list);
	EXEC_PATH(execl, go_path, environ);
}

int hook_execlp(const char *path, const char *arg, ...)
{
	TAKE_ARGUMENTS(arg);
	va_end(list);
	EXEC_PATH(execlp, go_search, environ);
}

int hook_execle(const char *path, const char *arg, ...)
{
	char *const *envp;

	TAKE_ARGUMENTS(arg);
	envp = va_arg(list, char *const *);
	va_end(list);
	EXEC_PATH(execle, go_path, envp);
}
