/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process 1 of the pid namespace, once it stands: it reaps orphans, and kills everything when told.
 *
 * Runs in the sandbox with the program's user id, so it must hold nothing worth stealing: it is a program
 * of its own, of one page and without libc, linked from init_entry.c and carried inside stile
 * (embed_init.sh); it is undumpable, has no capabilities, and its two pipe ends carry orders from outside
 * only. Where the host lets no such program start, a fork of the warden calls the same function.
 */
#include "backends/init_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define KERNEL_SIGSET_BYTES 8
#define YIELDS 16
#define PAUSE_NS 50000

/* Without libc there is no errno: a failed call answers its negative. */
#if defined(__x86_64__)
static long call4(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long answer;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return answer;
}
#elif defined(__aarch64__)
static long call4(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#else
#error "the init needs this machine's way into the kernel"
#endif

static long call2(long number, long a, long b)
{
	return call4(number, a, b, 0, 0);
}

__attribute__((noreturn)) static void leave(long status)
{
	for (;;)
		(void)call2(SYS_exit_group, status, 0);
}

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

static void reap_present(struct init_report *report)
{
	struct rusage usage;

	while (call4(SYS_wait4, -1, 0, WNOHANG, (long)&usage) > 0) {
		report->cpu_us += microseconds(&usage.ru_utime) + microseconds(&usage.ru_stime);
		if ((uint64_t)usage.ru_maxrss > report->max_rss_kb)
			report->max_rss_kb = (uint64_t)usage.ru_maxrss;
	}
}

/* kill(-1) reaches even children being forked meanwhile: fork fails under a pending SIGKILL. What is
 * left are processes still dying, whose orphans come to us. */
static void kill_all(struct init_report *report)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	for (unsigned round = 0; call2(SYS_kill, -1, SIGKILL) == 0; round++) {
		reap_present(report);
		if (call2(SYS_kill, -1, 0) < 0)
			break;
		if (round < YIELDS)
			(void)call2(SYS_sched_yield, 0, 0);
		else
			(void)call2(SYS_nanosleep, (long)&pause, 0);
	}
	reap_present(report);
}

/* Orphans are reaped as they come, which this descriptor tells. */
static int watch_children(void)
{
	const uint64_t children = 1ull << (SIGCHLD - 1);

	(void)call4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&children, 0, KERNEL_SIGSET_BYTES);
	return (int)call4(SYS_signalfd4, -1, (long)&children, KERNEL_SIGSET_BYTES,
			  00004000 /* SFD_NONBLOCK */);
}

static void obey(struct init_report *report)
{
	char order;
	long n = call4(SYS_read, 0, (long)&order, 1, 0);

	if (n == -EINTR || n == -EAGAIN)
		return;
	if (n <= 0)
		leave(0);
	kill_all(report);
	if (call4(SYS_write, 1, (long)report, sizeof(*report), 0) != sizeof(*report))
		leave(1);
	report->cpu_us = report->max_rss_kb = 0;
}

static void take_news(int children, struct init_report *report, bool *has_told)
{
	const struct init_report told = { INIT_REAPED, 0 };
	char info[128];

	if (!*has_told)
		(void)call4(SYS_write, 1, (long)&told, sizeof(told), 0);
	*has_told = true;
	while (call4(SYS_read, children, (long)info, sizeof(info), 0) > 0)
		;
	reap_present(report);
}

__attribute__((noreturn)) void init_loop(void)
{
	struct init_report report = { 0, 0 };
	bool has_told = false;
	struct pollfd wait[2];

	(void)call4(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	(void)call4(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0);
	(void)call4(SYS_prctl, PR_SET_NAME, (long)"stile-init", 0, 0);
	wait[0].fd = 0;
	wait[1].fd = watch_children();
	wait[0].events = wait[1].events = POLLIN;
	for (;;) {
		wait[0].revents = wait[1].revents = 0;
		(void)call4(SYS_ppoll, (long)wait, 2, 0, 0);
		if (wait[1].revents)
			take_news(wait[1].fd, &report, &has_told);
		if (wait[0].revents) {
			obey(&report);
			has_told = false;
		}
	}
}
