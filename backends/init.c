/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process 1 of the pid namespace. Its death is the death of all in it, and it dies with the warden.
 *
 * Runs in the sandbox with the program's user id, so it must hold nothing worth stealing: it is
 * undumpable, has no capabilities, and its two pipe ends carry orders from outside only.
 */
#include "backends/init.h"

#include "backends/caps.h"
#include "backends/cleanup.h"
#include "backends/root.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static uint64_t cpu_of(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000u +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static void take_usage(struct init_report *report, const struct rusage *usage)
{
	report->cpu_us += cpu_of(usage);
	if ((uint64_t)usage->ru_maxrss > report->max_rss_kb)
		report->max_rss_kb = (uint64_t)usage->ru_maxrss;
}

static void reap_present(struct init_report *report)
{
	struct rusage usage;

	while (wait4(-1, NULL, WNOHANG, &usage) > 0)
		take_usage(report, &usage);
}

/* kill(-1) reaches even children being forked meanwhile: fork fails under a pending SIGKILL. What is
 * left are processes still dying, whose orphans come to us. */
static void kill_all(struct init_report *report)
{
	const struct timespec pause = { .tv_nsec = 50000 };

	for (unsigned round = 0; kill(-1, SIGKILL) == 0; round++) {
		reap_present(report);
		if (kill(-1, 0) < 0)
			break;
		if (round < 16)
			(void)sched_yield();
		else
			(void)nanosleep(&pause, NULL);
	}
	reap_present(report);
}

/* An order is one byte; between orders, orphans are reaped as they come (SIGCHLD interrupts). */
__attribute__((noreturn)) static void serve(int order, int report_fd)
{
	struct init_report report = { 0 };

	for (;;) {
		char byte;
		ssize_t n = read(order, &byte, 1);

		if (n == 0)
			_exit(0);
		if (n < 0) {
			reap_present(&report);
			continue;
		}
		kill_all(&report);
		if (write(report_fd, &report, sizeof(report)) != sizeof(report))
			_exit(1);
		report = (struct init_report){ 0 };
	}
}

static void ignore_and_wake(int signal)
{
	(void)signal;
}

__attribute__((noreturn)) static void be_init(int order, int report_fd, int new_root)
{
	struct sigaction wake = { .sa_handler = ignore_and_wake };
	struct init_report first = { 0 };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (new_root >= 0)
		first.error = root_mount_proc(new_root);
	(void)caps_drop();
	(void)prctl(PR_SET_DUMPABLE, 0);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_NAME, "stile-init");
	(void)sigaction(SIGCHLD, &wake, NULL);
	/* Keep only the two ends, as 0 and 1: nothing of the launcher's stays open here. */
	if (dup2(order, 0) < 0 || dup2(report_fd, 1) < 0 || sys_close_range(2, ~0u) < 0)
		_exit(1);
	if (write(1, &first, sizeof(first)) != sizeof(first))
		_exit(1);
	serve(0, 1);
}

int init_start(struct init *init, int new_root)
{
	_cleanup_fd_ int order_read = -1, order_write = -1, report_read = -1, report_write = -1;
	struct init_report first;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	order_read = ends[0];
	order_write = ends[1];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	report_read = ends[0];
	report_write = ends[1];
	/* The ends must survive dup2 onto 0 and 1 in any order. */
	init->pid = fork();
	if (init->pid < 0)
		return -errno;
	if (init->pid == 0)
		be_init(order_read, report_write, new_root);
	cleanup_fd(&report_write);
	report_write = -1;
	if (read(report_read, &first, sizeof(first)) != sizeof(first))
		return -ECHILD;
	if (first.error < 0)
		return first.error;
	init->order = take_fd(&order_write);
	init->report = take_fd(&report_read);
	return 0;
}

int init_kill_all(struct init *init, struct init_report *report)
{
	ssize_t n;

	if (write(init->order, "k", 1) != 1)
		return -errno;
	do
		n = read(init->report, report, sizeof(*report));
	while (n < 0 && errno == EINTR);
	return n == sizeof(*report) ? 0 : -EPIPE;
}
