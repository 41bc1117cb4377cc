/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which thread runs this (thread.h): what the kernel says against what libc remembers.
 * libc writes the number of a thread anew after fork and not after vfork, so the two
 * differ exactly in a vforked child. It shows its own in the number of the thread's
 * clock, without a system call (glibc and musl have the same form).
 *
 * Runs inside the program, in signal handlers too: no memory, no lock, errno untouched.
 */
#include "shim/thread.h"

#include "shim/raw.h"

#include <pthread.h>
#include <time.h>

/* glibc before 2.34 has it in another library, which may not be there. */
extern __typeof__(pthread_getcpuclockid) pthread_getcpuclockid __attribute__((weak));
#define CLOCK_TID_SHIFT 3 /* ~tid << 3 | kind of clock */

bool thread_is_borrowed(void)
{
	clockid_t clock;

	if (!pthread_getcpuclockid || pthread_getcpuclockid(pthread_self(), &clock) != 0)
		return true;
	return ~(clock >> CLOCK_TID_SHIFT) != raw_gettid();
}

bool thread_is_first(void)
{
	return raw_gettid() == raw_getpid();
}
