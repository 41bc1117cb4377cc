/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last steps before exec, in the order of the design: session, limits, descriptors,
 * capabilities, no_new_privs, Landlock, the step counter's gate, seccomp. Namespaces and the
 * session's Landlock domain are the warden's and inherited.
 *
 * Runs in the vforked child, in the warden's memory; allocates nothing, logs nothing. A failed step is told through the
 * shared area and ends the child: the program is never started with less than was promised.
 */
#include "backends/child.h"

#include "backends/caps.h"
#include "backends/landlock.h"
#include "backends/rlimits.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

__attribute__((noreturn)) static void fail(struct warden_area *area, const char *step, int error)
{
	strncpy(area->child_step, step, sizeof(area->child_step) - 1);
	area->child_error = error;
	_exit(127);
}

int child_close_others(int one, int other)
{
	unsigned first = 3;
	int low = one < other ? one : other, high = one < other ? other : one;
	const int kept[] = { low, high };

	for (size_t i = 0; i < 2; i++) {
		if (kept[i] < (int)first)
			continue;
		if (kept[i] > (int)first && sys_close_range(first, (unsigned)kept[i] - 1) < 0)
			return -errno;
		first = (unsigned)kept[i] + 1;
	}
	return sys_close_range(first, ~0u) < 0 ? -errno : 0;
}

/* The warden has all signals at their defaults and none blocked. */
static int enter_session(const struct child_order *order)
{
	order->area->inside = sys_getpid();
	if (setsid() < 0)
		return -errno;
	return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0;
}

static int enter_folder(const struct child_order *order)
{
	const char *cwd = (const char *)order->area + order->area->cwd;

	return chdir(cwd) < 0 ? -errno : 0;
}

static int set_limits(const struct child_order *order)
{
	return rlimits_set(&order->area->limits, order->area->memory_rlimit,
			   order->area->processes_rlimit);
}

static int drop_capabilities(const struct child_order *order)
{
	(void)order;
	return caps_drop();
}

/* Only 0, 1 and 2 survive; the signal-scope ruleset and the socket, if any, close at exec. */
static int close_descriptors(const struct child_order *order)
{
	for (int i = 0; i < 3; i++)
		if (dup2(order->fds[i], i) < 0)
			return -errno;
	return child_close_others(order->signal_scope, order->telling ? order->socket : -1);
}

static int give_up_privileges(const struct child_order *order)
{
	(void)order;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/* Whoever counts from outside takes hold of us here. Our memory was the warden's and so is not to be
 * looked at by anyone; this copy of it may, until exec. Yama lets only ancestors trace: the counter is none,
 * and can be named where it has a number here. */
static int wait_for_counter(const struct child_order *order)
{
	struct warden_area *area = order->area;

	if (area->gate == WARDEN_GATE_OPEN)
		return 0;
	if (prctl(PR_SET_DUMPABLE, 1) < 0)
		return -errno;
	(void)prctl(PR_SET_PTRACER, (unsigned long)area->gatekeeper);
	area->gate = WARDEN_GATE_ARRIVED;
	(void)sys_futex_wake(&area->gate);
	while (area->gate == WARDEN_GATE_ARRIVED)
		(void)sys_futex_wait(&area->gate, WARDEN_GATE_ARRIVED);
	return area->gate == WARDEN_GATE_OPEN ? 0 : -area->gate_error;
}

static int scope_signals(const struct child_order *order)
{
	return order->signal_scope < 0 ? 0 : landlock_enter(order->signal_scope);
}

/* With a listener where the kernel gives one: without, the same calls are refused and nobody is told. */
static int filter_calls(const struct child_order *order)
{
	const struct seccomp_program *law = &order->area->law;
	int listener;

	if (!order->walls)
		return 0;
	if (!law->program.len)
		return -ENOENT;
	if (!order->telling)
		return seccomp_enter(law);
	listener = notify_enter(order->telling);
	if (listener >= 0)
		return notify_send(&order->area->parcel, order->socket, WARDEN_LISTENER, listener);
	order->area->notify_error = -listener;
	return seccomp_enter(law);
}

static const struct {
	const char *name;
	int (*act)(const struct child_order *order);
} steps[] = {
	{ "session", enter_session },
	{ "working directory", enter_folder },
	{ "descriptors", close_descriptors },
	{ "limits", set_limits },
	{ "capabilities", drop_capabilities },
	{ "no_new_privs", give_up_privileges },
	{ "landlock", scope_signals },
	{ "step counter", wait_for_counter },
	{ "seccomp", filter_calls },
};

void child_become_program(const struct child_order *order)
{
	struct warden_area *area = order->area;
	char *base = (char *)area;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		int r = steps[i].act(order);

		if (r < 0)
			fail(area, steps[i].name, -r);
	}
	(void)execve(base + area->program, (char **)(void *)(base + area->argv),
		     (char **)(void *)(base + area->envp));
	fail(area, "exec", errno);
}
