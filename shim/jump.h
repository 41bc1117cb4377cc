/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What jump.S hands to the notes of note.c. */
#pragma once

#include <stddef.h>

#if defined(__x86_64__)
struct jump_frame {
	long argument[6];
	long vectors;	    /* al: how many vector registers a variadic call has */
	const void *caller; /* the return address */
	long stack[];	    /* further arguments */
};

/* The n-th integer argument. */
static inline long *jump_argument(struct jump_frame *frame, unsigned n)
{
	return n < 6 ? &frame->argument[n] : &frame->stack[n - 6];
}
#else
struct jump_frame {
	const void *frame, *caller;
	long argument[7];
	long result_place; /* x8 */
};

static inline long *jump_argument(struct jump_frame *frame, unsigned n)
{
	return &frame->argument[n];
}
#endif

/* Where a note sends the call when it has the answer: returns the first argument. */
long jump_return(long result);

#define NOTE(name) void *note_##name(struct jump_frame *frame)
NOTE(ptrace);
NOTE(vfork);
NOTE(__vfork);
NOTE(clone);
NOTE(__clone);
NOTE(dlopen);
NOTE(dlmopen);
NOTE(syscall);
