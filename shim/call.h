/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One hooked call: what it asks of the policy, and what becomes of it.
 *
 * Behind walls the real call goes first, and only a refusal is explained. Without walls
 * the shim judges first and refuses. Which of the two, and whether all calls are
 * recorded, is shim.mode.
 */
#pragma once

#include "policy/decide.h"
#include "policy/policy.h"
#include "shim/hooks.h"
#include "shim/shim.h"

#include <fcntl.h>

enum subject {
	SUBJECT_NOTHING, /* only recorded */
	SUBJECT_PATH,
	SUBJECT_FD,   /* the file behind a descriptor */
	SUBJECT_TEXT, /* a name without rules: only recorded */
	SUBJECT_FAMILY,
	SUBJECT_ADDRESS,
	SUBJECT_MESSAGE, /* an address within a struct msghdr */
	SUBJECT_NAME,
	SUBJECT_PROCESS,
	SUBJECT_EXEC, /* a path about to be a program */
	SUBJECT_SIGNAL,
	SUBJECT_PIDFD,
	SUBJECT_LOAD,
	SUBJECT_SYSCALL /* never a program's business */
};

enum {
	ASK_NOFOLLOW = 1 << 0, /* a symlink as the last component is meant itself */
	ASK_ENTRY = 1 << 1,    /* the folder's entry is made, moved or removed */
	ASK_NEW = 1 << 2,      /* made when it does not exist */
	ASK_STAT = 1 << 3,     /* stat-like: judged only with RING_JUDGE_STAT */
	ASK_EMPTY = 1 << 4     /* an empty path is the descriptor itself */
};

struct question {
	uint8_t subject; /* enum subject */
	uint8_t access;	 /* PATH_…; of a SUBJECT_ADDRESS: enum network_use */
	uint16_t flags;	 /* ASK_… */
	int number;	 /* a folder's descriptor, a family, a process */
	const void *what;
	size_t length;
};

#define AT(dir, path, access, flags)                                                     \
	{                                                                                \
		SUBJECT_PATH, access, flags, dir, path, 0                                \
	}
#define PATH(path, access, flags) AT(AT_FDCWD, path, access, flags)
#define ENTRY_AT(dir, path)	  AT(dir, path, PATH_WRITE, ASK_NOFOLLOW | ASK_ENTRY)
#define ENTRY(path)		  ENTRY_AT(AT_FDCWD, path)
#define NEW(path)		  PATH(path, PATH_WRITE, ASK_NEW)
#define NEW_ENTRY(path)		  PATH(path, PATH_WRITE, ASK_NEW | ASK_ENTRY)
#define STREAM(path, mode)	  PATH(path, ask_stream_access(mode), ask_stream_flags(mode))
#define STAT_AT(dir, path, flags) AT(dir, path, PATH_READ, (flags) | ASK_STAT)
#define STAT(path, flags)	  STAT_AT(AT_FDCWD, path, flags)
#define BY_FD(fd, access)                                                                \
	{                                                                                \
		SUBJECT_FD, access, 0, fd, NULL, 0                                       \
	}
#define TEXT(text)                                                                       \
	{                                                                                \
		SUBJECT_TEXT, 0, 0, 0, text, 0                                           \
	}
#define FAMILY(domain)                                                                   \
	{                                                                                \
		SUBJECT_FAMILY, 0, 0, domain, NULL, 0                                    \
	}
#define ADDRESS(use, address, size)                                                      \
	{                                                                                \
		SUBJECT_ADDRESS, use, 0, 0, address, size                                \
	}
#define MESSAGE(message)                                                                 \
	{                                                                                \
		SUBJECT_MESSAGE, NETWORK_SEND, 0, 0, message, 0                          \
	}
#define NAME(name)                                                                       \
	{                                                                                \
		SUBJECT_NAME, 0, 0, 0, name, 0                                           \
	}
#define PROCESS                                                                          \
	{                                                                                \
		SUBJECT_PROCESS, 0, 0, 0, NULL, 0                                        \
	}
#define SIGNAL(pid)                                                                      \
	{                                                                                \
		SUBJECT_SIGNAL, 0, 0, pid, NULL, 0                                       \
	}
#define PIDFD(fd)                                                                        \
	{                                                                                \
		SUBJECT_PIDFD, 0, 0, fd, NULL, 0                                         \
	}
#define SYSCALL                                                                          \
	{                                                                                \
		SUBJECT_SYSCALL, 0, 0, 0, NULL, 0                                        \
	}
#define NOTHING                                                                          \
	{                                                                                \
		SUBJECT_NOTHING, 0, 0, 0, NULL, 0                                        \
	}

struct call {
	uint16_t hook;
	uint16_t count; /* of ask */
	const struct question *ask;
	const void *caller, *frame; /* of the hook, to unwind from */
};

#define CALL(hook_row, questions)                                                        \
	{                                                                                \
		hook_row, sizeof(questions) / sizeof(*(questions)), questions,           \
			__builtin_return_address(0), __builtin_frame_address(0)          \
	}

/* Judges the call; a refusal has been told when this returns. 0 = go on, else the errno
 * to refuse with. */
int call_judge(const struct call *call);

/* Tells of a call that was made: explains the error when it is a refusal of the policy's,
 * records the call when all calls are. Preserves errno. */
void call_tell(const struct call *call, int error);

static inline int call_before(const struct call *call)
{
	return __builtin_expect(shim.mode & SHIM_JUDGES, 0) ? call_judge(call) : 0;
}

static inline void call_after(const struct call *call, int error)
{
	uint32_t wanted = error ? SHIM_EXPLAINS | SHIM_RECORDS : SHIM_RECORDS;

	if (shim.mode & wanted)
		call_tell(call, error);
}

/* What open()'s flags ask for. */
unsigned ask_open_access(int flags);
unsigned ask_open_flags(int flags);
/* What fopen()'s mode asks for. */
unsigned ask_stream_access(const char *mode);
unsigned ask_stream_flags(const char *mode);

/* AT_… flags of calls that follow symlinks unless told not to. */
static inline unsigned ask_at_flags(int flags)
{
	return (flags & AT_SYMLINK_NOFOLLOW ? ASK_NOFOLLOW : 0u) |
	       (flags & AT_EMPTY_PATH ? ASK_EMPTY : 0u);
}

/* linkat() follows only when told to. */
static inline unsigned ask_link_flags(int flags)
{
	return (flags & AT_SYMLINK_FOLLOW ? 0u : ASK_NOFOLLOW) |
	       (flags & AT_EMPTY_PATH ? ASK_EMPTY : 0u);
}
