/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The notes of the functions that are jumped to: judge, tell, and say where to go on,
 * which is the real function or, for a refusal, a plain return.
 *
 * Runs inside the program, before the call: what the kernel will answer is not known
 * here, so a process that the walls will refuse is told of as refused. It must leave no
 * frame behind.
 */
#include "shim/jump.h"

#include "shim/call.h"
#include "shim/raw_syscall.h"

#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>

/* dlopen() explains itself with a text about the name it was given; so it is given one.
 */
static const char refused_object[] =
	"/native code that this policy does not allow to be loaded";

static void *refuse(struct jump_frame *frame, int error)
{
	*jump_argument(frame, 0) = -1;
	errno = error;
	return (void *)jump_return;
}

static void *go_on(struct jump_frame *frame, enum hook hook)
{
	void *next = real_find(hook);

	return next ? next : refuse(frame, ENOSYS);
}

#define NOTED(hook, questions, frame)                                                    \
	{                                                                                \
		hook, sizeof(questions) / sizeof(*(questions)), questions,               \
			(frame)->caller, __builtin_frame_address(0)                      \
	}

/* A call whose refusal by the walls is certain. */
static void *note(struct jump_frame *frame, const struct call *call)
{
	const uint32_t judging = SHIM_JUDGES | SHIM_EXPLAINS;
	int error = shim.mode & judging ? call_judge(call) : 0;

	if (error && shim.mode & SHIM_JUDGES)
		return refuse(frame, error);
	if (!error && shim.mode & SHIM_RECORDS)
		call_tell(call, 0);
	return go_on(frame, (enum hook)call->hook);
}

/* --- processes
 * ------------------------------------------------------------------------------------------
 */

static void *note_process(struct jump_frame *frame, enum hook hook)
{
	const struct question questions[] = { PROCESS };
	const struct call call = NOTED((uint16_t)hook, questions, frame);

	real_find_all();
	return note(frame, &call);
}

NOTE(vfork)
{
	return note_process(frame, HOOK_vfork);
}

NOTE(__vfork)
{
	return note_process(frame, HOOK___vfork);
}

static void *note_clone_flags(struct jump_frame *frame, enum hook hook)
{
	if (*jump_argument(frame, 2) & CLONE_THREAD)
		return go_on(frame, hook);
	return note_process(frame, hook);
}

NOTE(clone)
{
	return note_clone_flags(frame, HOOK_clone);
}

NOTE(__clone)
{
	return note_clone_flags(frame, HOOK___clone);
}

/* A program may offer itself to a tracer; nothing comes of that. */
NOTE(ptrace)
{
	const struct question questions[] = { SYSCALL };
	const struct call call = NOTED(HOOK_ptrace, questions, frame);

	if ((int)*jump_argument(frame, 0) == PTRACE_TRACEME)
		return go_on(frame, HOOK_ptrace);
	return note(frame, &call);
}

/* --- loading
 * --------------------------------------------------------------------------------------------
 */

/* No wall refuses to load: here the shim's word is the only one, walls or not. */
static void *note_load(struct jump_frame *frame, enum hook hook, unsigned name)
{
	const char *path = (const char *)*jump_argument(frame, name);
	const struct question questions[] = { { SUBJECT_LOAD, 0, 0, AT_FDCWD, path, 0 } };
	const struct call call = NOTED((uint16_t)hook, questions, frame);

	if (shim.mode & SHIM_LOADS && call_judge(&call))
		*jump_argument(frame, name) = (long)refused_object;
	else if (shim.mode & SHIM_RECORDS)
		call_tell(&call, 0);
	return go_on(frame, hook);
}

NOTE(dlopen)
{
	return note_load(frame, HOOK_dlopen, 0);
}

NOTE(dlmopen)
{
	return note_load(frame, HOOK_dlmopen, 1);
}

/* --- the way around
 * -------------------------------------------------------------------------------------
 */

NOTE(syscall)
{
	long number = *jump_argument(frame, 0), a[6];
	const struct raw_row *row = raw_find(number);
	struct question question;
	const struct call call = { HOOK_syscall, 1, &question, frame->caller,
				   __builtin_frame_address(0) };
	long result;

	if (!row || !shim.mode)
		return go_on(frame, HOOK_syscall);
	for (unsigned i = 0; i < 6; i++)
		a[i] = *jump_argument(frame, i + 1);
	if (!raw_ask(row, a, &question))
		return go_on(frame, HOOK_syscall);
	if (row->jumps)
		return note(frame, &call);
	result = raw_go(number, a, &call);
	*jump_argument(frame, 0) = result;
	return (void *)jump_return;
}
