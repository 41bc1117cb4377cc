/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which counter counts the steps of a run. One table, best first; the choice rests on the program's file, its
 * interpreter and the host, and says why it passed over the better ones. Never another than was asked for,
 * never one unit in place of the other.
 *
 * Runs in the launcher. Without a budget and without a wish nothing here costs anything.
 */
#include "launcher/steps.h"

#include "launcher/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct step_counter *const step_counters[] = {
	&step_counter_perf,
	&step_counter_qemu,
	&step_counter_ptrace,
	&step_counter_clock,
	NULL,
};

/* Interpreters whose own steps are counted inside them. Their instructions say nothing of a script: most
 * are the start of the interpreter. */
static const enum interpreter_kind counted_inside[] = {
	INTERPRETER_CPYTHON, INTERPRETER_PERL, INTERPRETER_LUA,
	INTERPRETER_PHP,     INTERPRETER_RUBY, INTERPRETER_TCL,
};

void step_count_clear(struct step_count *count)
{
	*count = (struct step_count){
		.count = STEP_UNKNOWN,
		.count_all = STEP_UNKNOWN,
		.startup_steps = STEP_UNKNOWN,
		.error_bound = STEP_UNKNOWN,
	};
}

void step_count_doubt(struct step_count *count, const char *format, ...)
{
	va_list list;

	count->is_exact = false;
	if (count->reason_count == STEP_REASONS_MAX)
		return;
	va_start(list, format);
	(void)vsnprintf(count->reasons[count->reason_count++], STEP_REASON_MAX, format, list);
	va_end(list);
}

const struct step_counter *steps_find_counter(const char *name)
{
	for (size_t i = 0; step_counters[i]; i++)
		if (strcmp(step_counters[i]->name, name) == 0)
			return step_counters[i];
	return NULL;
}

static bool is_counted_inside(const struct interpreter *interpreter)
{
	for (size_t i = 0; interpreter && i < sizeof(counted_inside) / sizeof(*counted_inside); i++)
		if (counted_inside[i] == interpreter->kind)
			return true;
	return false;
}

static enum step_unit family_of(const struct step_wish *wish, const struct step_facts *facts)
{
	if (wish->unit != STEP_UNIT_AUTO)
		return wish->unit;
	return is_counted_inside(facts->program.interpreter) ? STEP_UNIT_BYTECODE :
							       STEP_UNIT_INSTRUCTIONS;
}

static void take(struct steps *s, const struct step_counter *counter)
{
	s->counter = counter;
	s->count->counter = counter->name;
	s->count->unit = counter->unit;
	s->count->scope = counter->scope;
	s->count->start = counter->start;
}

static int take_named(struct steps *s, const struct step_wish *wish, char *why, size_t size)
{
	const struct step_counter *counter = steps_find_counter(wish->counter);
	char cause[STEP_REASON_MAX] = "there is no counter of that name in this build";

	if (counter && wish->unit != STEP_UNIT_AUTO && wish->unit != counter->family)
		snprintf(cause, sizeof(cause), "it does not count the unit that was asked for");
	else if (counter && counter->probe(&s->session->step_host, &s->facts, cause,
					   sizeof(cause)) == 0) {
		take(s, counter);
		return 0;
	}
	snprintf(why, size, "step counter %s: %s", wish->counter, cause);
	return -EOPNOTSUPP;
}

/* The first of the family that can. The others' causes are kept until then. */
static bool take_best(struct steps *s, enum step_unit family)
{
	for (size_t i = 0; step_counters[i]; i++) {
		const struct step_counter *counter = step_counters[i];
		char why[STEP_REASON_MAX] = "";

		if (counter->family != family || counter->is_only_by_name)
			continue;
		if (counter->probe(&s->session->step_host, &s->facts, why, sizeof(why)) == 0) {
			s->count->reason_count = 0;
			take(s, counter);
			return true;
		}
		step_count_doubt(s->count, "%s: %s", counter->name, why);
	}
	return false;
}

static int take_fitting(struct steps *s, const struct step_wish *wish, char *why, size_t size)
{
	enum step_unit family = family_of(wish, &s->facts);
	const struct interpreter *interpreter = s->facts.program.interpreter;

	if (take_best(s, family))
		return 0;
	if (family == STEP_UNIT_BYTECODE && s->count->reason_count == 0)
		step_count_doubt(s->count, "no counter of this build counts the bytecode of %s",
				 interpreter ? interpreter->name : "this program");
	if (wish->unit == STEP_UNIT_AUTO)
		return 0;
	snprintf(why, size, "step counter: %s", s->count->reasons[0]);
	return -EOPNOTSUPP;
}

static void gather_facts(struct steps *s, const char *path, const struct limits *limits)
{
	const struct session *session = s->session;

	(void)look_at(path, &s->facts.program);
	s->facts.budget = limits->steps;
	s->facts.wall_ms = limits->wall_ms;
	s->facts.block = session->mode == SANDBOX_AUDIT_ONLY ? NULL : session->block;
	s->facts.has_filter = session->layers.seccomp.enforced;
	s->facts.has_pid_namespace = session->layers.namespaces[NS_PID].enforced;
}

int steps_choose(struct steps *s, const struct step_wish *wish, const char *path,
		 const struct limits *limits, char *why, size_t size)
{
	bool is_wished = wish->counter || wish->unit != STEP_UNIT_AUTO;

	step_count_clear(s->count);
	s->tracer = s->fd = -1;
	if (limits->steps == LIMIT_NONE && !is_wished) {
		step_count_doubt(s->count, "not counted: there is no step budget");
		return 0;
	}
	if (wish->counter && strcmp(wish->counter, "none") == 0) {
		step_count_doubt(s->count, "not counted: --steps-counter none");
		return 0;
	}
	gather_facts(s, path, limits);
	return wish->counter ? take_named(s, wish, why, size) : take_fitting(s, wish, why, size);
}

int steps_prepare(struct steps *s, struct step_start *start)
{
	return s->counter && s->counter->prepare ? s->counter->prepare(s, start) : 0;
}

int steps_arm(struct steps *s)
{
	return s->counter && s->counter->arm ? s->counter->arm(s) : 0;
}

void steps_end(struct steps *s)
{
	if (!s->counter)
		return;
	s->count->is_exact = s->counter->is_exact;
	s->counter->read(s);
	s->counter->finish(s);
	if (s->count->is_exact)
		s->count->error_bound = 0;
	if (s->count->has_where)
		steps_name_where(s->session, &s->count->where);
	s->counter = NULL;
}
