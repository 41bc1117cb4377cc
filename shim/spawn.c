/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * New processes that libc makes by itself: posix_spawn and its kin, fork, and what runs a
 * shell.
 *
 * Runs inside the program in the place of libc's functions. system(), popen() and
 * wordexp() take their environment from `environ`; where that lacks the shim, it is
 * another array while they run.
 */
#include "shim/call.h"
#include "shim/exec.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define OWN DECLARE
#define HOOK(...)
#define HOOKP(...)
#define HOOKE(...)
#define HOOKA(...)
#define JUMP(...)
#include "shim/hooks.def"

/* --- posix_spawn
 * ------------------------------------------------------------------------------------ */

typedef int spawn_function(void *pid, const char *path, const void *actions,
			   const void *attr, char *const *argv, char *const *environment);

struct spawn {
	void *pid;    /* pid_t * or int * */
	bool has_pid; /* pid_t *, and there is one */
	const char *path;
	const void *actions, *attr;
	char *const *argv;
	spawn_function *next;
};

static int spawn_with(void *ctx, char *const *environment)
{
	const struct spawn *s = ctx;

	return s->next(s->pid, s->path, s->actions, s->attr, s->argv, environment);
}

static int spawn_it(struct spawn *s, const struct call *call, char *const *environment)
{
	int error = call_before(call);

	s->next = (spawn_function *)real_find(call->hook);
	if (!s->next)
		return ENOSYS;
	if (error)
		return error;
	error = exec_with_environment(environment, spawn_with, s);
	if (!error && s->has_pid)
		shim_tell_spawned(*(const pid_t *)s->pid, s->path);
	call_after(call, error);
	return error;
}

#define SPAWN_BY_PATH                                                                    \
	{                                                                                \
		SUBJECT_EXEC, PATH_EXEC, 0, AT_FDCWD, path, 0                            \
	}
#define SPAWN(name, pid_type, has_pid, asked)                                            \
	int hook_##name(pid_type *pid, const char *path, const void *actions,            \
			const void *attr, char *const argv[], char *const envp[])        \
	{                                                                                \
		struct spawn spawn = { pid, has_pid, path, actions, attr, argv, NULL };  \
		const struct question questions[] = { PROCESS, asked };                  \
		const struct call call = CALL(HOOK_##name, questions);                   \
                                                                                         \
		return spawn_it(&spawn, &call, envp);                                    \
	}

/* What is searched on PATH has no path before it is found: the child's exec is not
 * hooked, its walls are. */
SPAWN(posix_spawn, pid_t, pid != NULL, SPAWN_BY_PATH)
SPAWN(posix_spawnp, pid_t, pid != NULL, TEXT(path))
SPAWN(pidfd_spawn, int, false, SPAWN_BY_PATH)
SPAWN(pidfd_spawnp, int, false, TEXT(path))

/* --- fork
 * ---------------------------------------------------------------------------------------------
 */

/* In the child another thread may have left the loader's lock held for ever: nothing is
 * looked up there. */
#define FORK(name)                                                                       \
	pid_t hook_##name(void)                                                          \
	{                                                                                \
		const struct question questions[] = { PROCESS };                         \
		const struct call call = CALL(HOOK_##name, questions);                   \
		pid_t (*next)(void) = real_find(HOOK_##name);                            \
		int error = call_before(&call);                                          \
		pid_t pid;                                                               \
                                                                                         \
		if (error || !next) {                                                    \
			errno = error ? error : ENOSYS;                                  \
			return -1;                                                       \
		}                                                                        \
		real_find_all();                                                         \
		pid = next();                                                            \
		if (pid)                                                                 \
			call_after(&call, pid < 0 ? errno : 0);                          \
		return pid;                                                              \
	}

FORK(fork)
FORK(__fork)
FORK(_Fork)

/* --- what runs a shell
 * --------------------------------------------------------------------------------- */

#define WORDEXP_NO_COMMANDS 4 /* WRDE_CMDSUB */

struct shell {
	const char *text;
	const char *mode; /* of popen */
	void *out;	  /* of wordexp */
	int flags;
	void *next;
	void *stream; /* popen's result */
	int (*go)(struct shell *shell);
};

static int go_system(struct shell *s)
{
	int (*next)(const char *) = s->next;

	return next(s->text);
}

static int go_popen(struct shell *s)
{
	void *(*next)(const char *, const char *) = s->next;

	s->stream = next(s->text, s->mode);
	return s->stream ? 0 : -1;
}

static int go_wordexp(struct shell *s)
{
	int (*next)(const char *, void *, int) = s->next;

	return next(s->text, s->out, s->flags);
}

/* If another thread sets a variable meanwhile, its `environ` is a copy that has the shim,
 * and stays. */
static int shell_with(void *ctx, char *const *environment)
{
	struct shell *s = ctx;
	char **before = environ, **during = (char **)environment;
	int result;

	if (during == before)
		return s->go(s);
	__atomic_store_n(&environ, during, __ATOMIC_RELEASE);
	result = s->go(s);
	(void)__atomic_compare_exchange_n(&environ, &during, before, false,
					  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return result;
}

static int shell_it(struct shell *s, const struct call *call)
{
	int error = call_before(call), result;

	s->next = real_find(call->hook);
	if (error || !s->next) {
		errno = error ? error : ENOSYS;
		return -1;
	}
	result = exec_with_environment(environ, shell_with, s);
	call_after(call, result == -1 ? errno : 0);
	return result;
}

int hook_system(const char *command)
{
	struct shell shell = { .text = command, .go = go_system };
	const struct question questions[] = { PROCESS, TEXT(command) };
	const struct call call = CALL(HOOK_system, questions);

	return shell_it(&shell, &call);
}

#define POPEN(name)                                                                      \
	void *hook_##name(const char *command, const char *mode)                         \
	{                                                                                \
		struct shell shell = { .text = command, .mode = mode, .go = go_popen };  \
		const struct question questions[] = { PROCESS, TEXT(command) };          \
		const struct call call = CALL(HOOK_##name, questions);                   \
                                                                                         \
		(void)shell_it(&shell, &call);                                           \
		return shell.stream;                                                     \
	}

POPEN(popen)
POPEN(_IO_popen)

/* Most words run nothing; only what a shell could be in is a process. Refused as with
 * WRDE_NOCMD. */
int hook_wordexp(const char *words, void *out, int flags)
{
	struct shell shell = {
		.text = words, .out = out, .flags = flags, .go = go_wordexp
	};
	const struct question runs[] = { PROCESS, TEXT(words) },
			      plain[] = { TEXT(words) };
	struct call call = CALL(HOOK_wordexp, runs);
	int result;

	if (!strstr(words, "$(") && !strchr(words, '`'))
		call = (struct call){ HOOK_wordexp, 1, plain, call.caller, call.frame };
	result = shell_it(&shell, &call);
	return result == -1 ? WORDEXP_NO_COMMANDS : result;
}
