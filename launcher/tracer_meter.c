/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Far from the budget nobody steps: every thread runs with a counter of its own that stops it early, and each
 * time one does, what is left is dealt out anew among all. Runs in the tracer.
 */
#include "launcher/tracer_meter.h"

void meter_take(struct meter *m, struct thread *t)
{
	int handle;

	if (!m->source || t->perf >= 0 || m->error)
		return;
	handle = m->source->open(m->source, t->tid);
	if (handle < 0)
		m->error = -handle;
	else
		t->perf = handle;
}

static uint64_t read_one(struct meter *m, const struct thread *t)
{
	uint64_t count = 0;
	int r = t->perf < 0 ? 0 : m->source->read(m->source, t->perf, &count);

	if (r < 0)
		m->error = -r;
	return count;
}

void meter_leave(struct meter *m, struct thread *t)
{
	if (!m->source || t->perf < 0)
		return;
	m->gone += read_one(m, t);
	m->source->close(m->source, t->perf);
	t->perf = -1;
}

uint64_t meter_read(struct meter *m, const struct thread_table *threads)
{
	uint64_t sum = m->gone;

	for (const struct thread *t = threads->first; t; t = t->next)
		sum += read_one(m, t);
	return sum;
}

static void arm(struct meter *m, const struct thread *t, uint64_t period)
{
	int r = t->perf < 0 ? 0 : m->source->arm(m->source, t->perf, period);

	if (r < 0)
		m->error = -r;
}

bool meter_run_on(struct meter *m, const struct thread_table *threads, uint64_t budget, uint64_t *count)
{
	uint64_t period;

	*count = meter_read(m, threads);
	if (m->error)
		return false;
	if (budget == UINT64_MAX)
		return true;
	period = *count > budget ? 0 :
				   perf_next_period(budget - *count,
						    threads->count * m->source->pmu_count,
						    m->source->margin);
	if (!period)
		return false;
	for (const struct thread *t = threads->first; t; t = t->next)
		arm(m, t, period);
	return m->error == 0;
}
