/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counter perf-hw: the processor's own, in the tracer, with single steps near the budget. Hardly slower
 * than the program; but processors count their interrupts and faults among the instructions, so that the
 * number is a little too high and never told as exact.
 *
 * Runs in the launcher. Chosen only when the counters prove themselves on a known loop.
 */
#include "launcher/steps.h"

#include "backends/cleanup.h"
#include "launcher/perf.h"
#include "launcher/session.h"
#include "launcher/tracee.h"
#include "launcher/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/devices"
#define TICKS_A_MS 1 /* at most: CONFIG_HZ is 1000 at most */
#define US_A_MS 1000

static void read_vendor(char vendor[64])
{
	_cleanup_file_ FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	vendor[0] = 0;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "vendor_id : %63s", vendor) == 1)
			return;
}

static struct perf_source *make_source(void)
{
	struct perf_pmu pmus[PERF_PMUS_MAX];
	size_t count = perf_find_pmus(DEVICES, pmus, PERF_PMUS_MAX);
	char vendor[64];

	read_vendor(vendor);
	return perf_source_new(pmus, count, perf_margin_of(vendor));
}

static void try_perf(struct step_host *host)
{
	struct perf_source *source = make_source();

	host->has_tried_perf = true;
	if (!source)
		snprintf(host->perf_why, sizeof(host->perf_why), "out of memory");
	else
		(void)perf_prove(source, tracee_known_loop, host->perf_why, sizeof(host->perf_why));
	perf_source_free(source);
}

static int probe_perf(struct step_host *host, const struct step_facts *facts, char *why, size_t size)
{
	if (facts->program.is_elf && !tracee_can_step(facts->program.machine)) {
		snprintf(why, size, "programs of this processor cannot be stepped, which the end of a budget needs");
		return -EOPNOTSUPP;
	}
	if (!host->has_tried_perf)
		try_perf(host);
	snprintf(why, size, "%s", host->perf_why);
	return host->perf_why[0] ? -ENODEV : 0;
}

static int arm_perf(struct steps *s)
{
	s->perf = make_source();
	return s->perf ? steps_tracer_arm(s, s->perf) : -ENOMEM;
}

/* Each may have been counted as an instruction that was not the program's. */
static void bound_error(struct steps *s)
{
	const struct warden_area *area = s->session->warden.area;

	if (s->count->is_exact || s->count->count == STEP_UNKNOWN)
		return;
	s->count->error_bound = s->page->faults + s->page->overrun + area->switches_voluntary +
				area->switches_forced + area->cpu_us / US_A_MS * TICKS_A_MS + 1;
}

static void read_perf(struct steps *s)
{
	steps_tracer_read(s);
	bound_error(s);
}

static void finish_perf(struct steps *s)
{
	steps_tracer_finish(s);
	perf_source_free(s->perf);
	s->perf = NULL;
}

const struct step_counter step_counter_perf = {
	.name = "perf-hw",
	.unit = "instructions",
	.family = STEP_UNIT_INSTRUCTIONS,
	.scope = "process",
	.start = "entry",
	.is_exact = true,
	.probe = probe_perf,
	.arm = arm_perf,
	.read = read_perf,
	.finish = finish_perf,
};
