/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counter task-clock: processor time, told as the instructions that a known loop would have made of it.
 * An estimate, hundreds of times off where a program waits for memory; never chosen, only asked for, and
 * never told as more than it is. Runs in the launcher.
 */
#include "launcher/steps.h"

#include "launcher/session.h"
#include "launcher/tracee.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS 10000000u
#define STEPS_A_ROUND 2
#define NS_A_US 1000.0
#define NS_A_MS 1000000.0

static double cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int probe_clock(struct step_host *host, const struct step_facts *facts, char *why, size_t size)
{
	double begin = cpu_ns();

	(void)facts;
	if (host->clock_rate > 0)
		return 0;
	tracee_known_loop(ROUNDS);
	host->clock_rate = (double)STEPS_A_ROUND * ROUNDS / (cpu_ns() - begin);
	if (host->clock_rate > 0)
		return 0;
	snprintf(why, size, "the processor's clock stands still");
	return -EOPNOTSUPP;
}

/* The watch ends what uses more, at its next look. */
static int prepare_clock(struct steps *s, struct step_start *start)
{
	double ms = (double)s->facts.budget / s->session->step_host.clock_rate / NS_A_MS;

	(void)start;
	if (s->facts.budget != LIMIT_NONE)
		s->cpu_ms = ms < 1 ? 1 : (uint64_t)ms;
	return 0;
}

static void read_clock(struct steps *s)
{
	const struct warden_area *area = s->session->warden.area;
	double steps = (double)area->cpu_us * NS_A_US * s->session->step_host.clock_rate;

	step_count_doubt(s->count, "estimate");
	s->count->count = s->count->count_all = (uint64_t)steps;
	s->count->is_stopped = s->cpu_ms && area->cpu_us / 1000 >= s->cpu_ms;
}

static void finish_clock(struct steps *s)
{
	s->cpu_ms = 0;
}

const struct step_counter step_counter_clock = {
	.name = "task-clock",
	.unit = "instructions",
	.family = STEP_UNIT_INSTRUCTIONS,
	.scope = "process",
	.start = "exec",
	.is_only_by_name = true,
	.probe = probe_clock,
	.prepare = prepare_clock,
	.read = read_clock,
	.finish = finish_clock,
};
