/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waiting for the traced: patiently, or only for a moment, or until a timer says that it is time to look at
 * something else. Runs in the tracer.
 */
#include "launcher/tracer_wait.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define IMPATIENT_YIELDS 30
#define IMPATIENT_NAPS 8
#define NAP_NS 100000

/* One wait: the event's thread, 0 = none, -EINTR = time to look, -ECHILD. */
static pid_t wait_once(struct tracer_page *page, int flags, int *status)
{
	struct rusage usage;
	pid_t tid = wait4(-1, status, __WALL | flags, &usage);

	if (tid > 0 && !WIFSTOPPED(*status))
		page->faults += (uint64_t)(usage.ru_minflt + usage.ru_majflt);
	return tid < 0 ? -errno : tid;
}

pid_t tracer_wait(struct tracer_page *page, bool is_patient, int *status)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	pid_t tid;

	for (int i = 0; !is_patient && i < IMPATIENT_YIELDS + IMPATIENT_NAPS; i++) {
		tid = wait_once(page, WNOHANG, status);
		if (tid && tid != -EINTR)
			return tid;
		if (i < IMPATIENT_YIELDS)
			(void)sched_yield();
		else
			(void)nanosleep(&nap, NULL);
	}
	return is_patient ? wait_once(page, 0, status) : 0;
}

void tracer_wait_wake_every(suseconds_t us)
{
	const struct itimerval every = { { 0, us }, { 0, us } };

	(void)setitimer(ITIMER_REAL, &every, NULL);
}

static void wake(int signal)
{
	(void)signal;
}

void tracer_wait_hear_timer(void)
{
	const struct sigaction action = { .sa_handler = wake };
	sigset_t alarm;

	(void)sigaction(SIGALRM, &action, NULL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	(void)sigprocmask(SIG_UNBLOCK, &alarm, NULL);
}
