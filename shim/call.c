/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Before and after a hooked call. Before, where there are no walls: judge, and refuse.
 * After, where there are: say of a refusal whether it was the policy's, and which wall it
 * came from. What the shim cannot decide it leaves to the kernel, and what the kernel
 * answered is never changed.
 *
 * Runs inside the program, at any time. errno is the program's.
 */
#include "shim/question.h"

#include <errno.h>
#include <string.h>

/* Which wall answers so; an error that is not here was not the policy's doing. */
static const struct cause {
	enum subject subject;
	int error;
	enum layer layer;
} causes[] = {
	{ SUBJECT_PATH, EACCES, LAYER_LANDLOCK },
	{ SUBJECT_PATH, EPERM, LAYER_LANDLOCK },
	{ SUBJECT_PATH, EXDEV, LAYER_LANDLOCK },   /* a move between different rights */
	{ SUBJECT_PATH, EROFS, LAYER_NAMESPACE },  /* a mount of its own, read-only */
	{ SUBJECT_PATH, EBUSY, LAYER_NAMESPACE },  /* removing such a mount */
	{ SUBJECT_PATH, ENOENT, LAYER_NAMESPACE }, /* hidden */
	{ SUBJECT_EXEC, EACCES, LAYER_LANDLOCK },
	{ SUBJECT_EXEC, EPERM, LAYER_SECCOMP },
	{ SUBJECT_EXEC, ENOENT, LAYER_NAMESPACE },
	{ SUBJECT_FAMILY, EACCES, LAYER_SECCOMP },
	{ SUBJECT_FAMILY, EPROTONOSUPPORT, LAYER_SECCOMP },
	{ SUBJECT_ADDRESS, EACCES, LAYER_LANDLOCK },
	{ SUBJECT_ADDRESS, EPERM, LAYER_LANDLOCK }, /* the scope of abstract names */
	{ SUBJECT_ADDRESS, ENETUNREACH, LAYER_NAMESPACE },
	{ SUBJECT_ADDRESS, EADDRNOTAVAIL, LAYER_NAMESPACE },
	{ SUBJECT_ADDRESS, ECONNREFUSED, LAYER_NAMESPACE }, /* nobody listens in there */
	{ SUBJECT_PROCESS, EPERM, LAYER_SECCOMP },
	{ SUBJECT_PROCESS, ENOSYS, LAYER_SECCOMP },
	{ SUBJECT_SIGNAL, EPERM, LAYER_LANDLOCK },
	{ SUBJECT_SYSCALL, EPERM, LAYER_SECCOMP },
	{ SUBJECT_SYSCALL, ENOSYS, LAYER_SECCOMP },
};

/* Subjects that fail as others do. */
static enum subject kind_of(const struct question *ask)
{
	switch (ask->subject) {
	case SUBJECT_FD:
		return SUBJECT_PATH;
	case SUBJECT_MESSAGE:
		return SUBJECT_ADDRESS;
	default:
		return (enum subject)ask->subject;
	}
}

/* LAYER_NONE = the policy has nothing to do with it. */
static enum layer find_cause(const struct question *ask, int error)
{
	enum subject kind = kind_of(ask);

	if (kind == SUBJECT_NAME)
		return LAYER_NAMESPACE; /* whatever the resolver made of it */
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].subject == kind && causes[i].error == error)
			return causes[i].layer;
	return LAYER_NONE;
}

static void tell(const struct call *call, const struct question *ask,
		 const struct answer *answer, int error)
{
	shim_tell(&(struct shim_event){
		.hook = call->hook,
		.call = hook_name(call->hook),
		.target = answer->target ? answer->target : "",
		.access = kind_of(ask) == SUBJECT_PATH ? ask->access : 0,
		.error = error,
		.verdict = &answer->verdict,
		.caller = call->caller,
		.frame = call->frame,
	});
}

int call_judge(const struct call *call)
{
	int saved = errno, error = 0;
	struct answer answer;

	for (unsigned i = 0; i < call->count && !error; i++) {
		if (!question_decide(&call->ask[i], &answer) || !answer.error)
			continue;
		error = answer.error;
		tell(call, &call->ask[i], &answer, error);
	}
	errno = saved;
	return error;
}

/* Missing files are asked for all the time: only what the rules would not grant is worth
 * a second look. */
static bool is_just_missing(const struct question *ask, int error, struct answer *room)
{
	if (error != ENOENT || ask->subject != SUBJECT_PATH)
		return false;
	return ask->flags & ASK_STAT ? !(shim.flags & RING_JUDGE_STAT)
				     : question_is_granted(ask, room);
}

/* True when one of the questions explains the error. */
static bool explain(const struct call *call, int error, struct answer *answer)
{
	for (unsigned i = 0; i < call->count; i++) {
		enum layer layer = find_cause(&call->ask[i], error);

		if (layer == LAYER_NONE || is_just_missing(&call->ask[i], error, answer))
			continue;
		if (!question_decide(&call->ask[i], answer) || !answer->error)
			continue;
		answer->verdict.layer = layer;
		tell(call, &call->ask[i], answer, error);
		return true;
	}
	return false;
}

static void record(const struct call *call, int error, struct answer *answer)
{
	for (unsigned i = 0; i < call->count; i++) {
		if (i + 1 < call->count && call->ask[i].subject == SUBJECT_PROCESS)
			continue; /* what it runs is what there is to tell */
		answer->verdict = (struct verdict){ .action = ACTION_ALLOW,
						    .reason = "",
						    .fix = "" };
		answer->target = error == EFAULT ? ""
						 : question_target(&call->ask[i], answer);
		tell(call, &call->ask[i], answer, error);
	}
}

void call_tell(const struct call *call, int error)
{
	int saved = errno;
	struct answer answer;

	if (!(error && shim.mode & SHIM_EXPLAINS && explain(call, error, &answer)) &&
	    shim.mode & SHIM_RECORDS)
		record(call, error, &answer);
	errno = saved;
}

/* --- what flags and modes ask for
 * ---------------------------------------------------------------- */

unsigned ask_open_access(int flags)
{
	static const uint8_t access[] = {
		[O_RDONLY] = PATH_READ,
		[O_WRONLY] = PATH_WRITE,
		[O_RDWR] = PATH_READ | PATH_WRITE,
		[O_ACCMODE] = PATH_READ | PATH_WRITE,
	};

	if (flags & O_PATH)
		return 0;
	return access[flags & O_ACCMODE] | (flags & O_TRUNC ? PATH_WRITE : 0u);
}

unsigned ask_open_flags(int flags)
{
	unsigned ask = flags & O_NOFOLLOW ? ASK_NOFOLLOW : 0u;

	if (flags & O_PATH)
		return ask;
	return ask | (flags & O_CREAT ? ASK_NEW : 0u) |
	       ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ? ASK_NOFOLLOW : 0u);
}

unsigned ask_stream_access(const char *mode)
{
	unsigned access = mode[0] == 'r' ? PATH_READ : PATH_WRITE;

	return strchr(mode, '+') ? PATH_READ | PATH_WRITE : access;
}

unsigned ask_stream_flags(const char *mode)
{
	return mode[0] == 'r' ? 0u : ASK_NEW;
}
