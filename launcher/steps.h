/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting a run's steps: one row for each counter, one table of them, and the choice among them. A counter
 * inside an interpreter and one outside the program are the same thing here: made ready before the start,
 * armed at it, read after the death of all.
 */
#pragma once

#include "launcher/look.h"
#include "launcher/step_count.h"
#include "policy/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct session;
struct policy;
struct policy_block;
struct tracer_page;
struct perf_source;

/* Two families, never mixed silently. */
enum step_unit {
	STEP_UNIT_AUTO, /* bytecode of what has a counter inside, else instructions */
	STEP_UNIT_BYTECODE,
	STEP_UNIT_INSTRUCTIONS
};

/* What the caller asks for; all zero: whatever fits, if there is a budget. */
struct step_wish {
	enum step_unit unit;
	const char *counter; /* this one or none; NULL = choose */
};

/* What the choice rests on. */
struct step_facts {
	struct look_facts program;
	uint64_t budget;  /* LIMIT_NONE = only count */
	uint64_t wall_ms; /* LIMIT_NONE = no clock */
	const struct policy_block *block; /* what the program will find; NULL = all of the host */
	bool has_filter;  /* system calls are filtered: nobody is born uncounted */
	bool has_pid_namespace;
};

/* What was measured of this host, when first needed; all zero: nothing yet. */
struct step_host {
	uint64_t step_ns; /* of one single step */
	int step_error;   /* errno: there are none */
	bool has_tried_perf;
	char perf_why[STEP_REASON_MAX]; /* no hardware counter proved itself; "" = one did */
	double clock_rate; /* instructions a nanosecond of the known loop */
};

/* How the program is started; a counter may put another program in front. */
struct step_start {
	const char *program;
	char *const *argv;
	char *const *env;
	const char *folder; /* the run's own, the same inside and outside */
};

struct steps {
	const struct step_counter *counter; /* NULL = nobody counts */
	struct session *session;
	struct step_facts facts;
	struct step_count *count;    /* the result's */
	struct tracer_page *page;    /* of counters that trace */
	pid_t tracer;
	uint64_t cpu_ms;             /* of processor time, after which the run is to be ended; 0 = not */
	bool needs_space;            /* what is started in the program's place maps far more than it uses */
	char **list;                 /* owned, with its first text: a command line made longer */
	struct perf_source *perf;    /* owned */
	int fd;                      /* -1 = none: a page in a file */
};

struct step_counter {
	const char *name;
	const char *unit;       /* as results name it */
	enum step_unit family;
	const char *scope, *start;
	bool is_exact;          /* unless something is seen that makes it not so */
	bool is_only_by_name;   /* never chosen, only asked for */
	/* Can it count this program on this host? 0, or -errno and one sentence in `why`. */
	int (*probe)(struct step_host *host, const struct step_facts *facts, char *why, size_t size);
	/* What one step costs here, by measuring it: nanoseconds more than without, 0 = none to speak of.
	 * NULL = not measured. */
	int (*measure)(struct step_host *host, double *ns);
	/* Before the start, once it is chosen: may change how the program is started. NULL = nothing to do. */
	int (*prepare)(struct steps *s, struct step_start *start);
	/* The last thing before the order to start: the request stands in the warden's area. */
	int (*arm)(struct steps *s);
	/* After all are dead: into s->count. */
	void (*read)(struct steps *s);
	/* Gives back what the others took; also where they failed or were never called. */
	void (*finish)(struct steps *s);
};
extern const struct step_counter *const step_counters[]; /* best first; ends with NULL */

/* NULL: there is none of that name. */
const struct step_counter *steps_find_counter(const char *name);

/* Chooses for a run of the program at `path` with these limits; s->session and s->count are the caller's,
 * the rest is zero. 0, also when nobody counts; or -EOPNOTSUPP and a sentence in `why`: what was asked
 * for cannot be had. */
int steps_choose(struct steps *s, const struct step_wish *wish, const char *path,
		 const struct limits *limits, char *why, size_t size);

/* The other callbacks of the one chosen. The first two: 0 or -errno. steps_end() reads and finishes, and
 * may be called at any time after steps_choose(), once. */
int steps_prepare(struct steps *s, struct step_start *start);
int steps_arm(struct steps *s);
void steps_end(struct steps *s);

/* For rows that trace: forks the tracer, which holds the program once it starts; its findings come with
 * read. `perf` NULL: single steps. */
int steps_tracer_arm(struct steps *s, struct perf_source *perf);
void steps_tracer_read(struct steps *s);
void steps_tracer_finish(struct steps *s);

/* From an offset in the module's file to the address it was linked for, and its symbol: as far as they can
 * be found out. */
void steps_name_where(const struct session *session, struct step_where *where);

/* The cost of one single step on this host, measured once. 0 or -errno. */
int steps_measure_step(struct step_host *host);

/* A run that the wish or its limits may want counted by qemu must find it inside the walls: allows the
 * policy what that takes, if it is installed. 0 or -errno. */
int steps_allow_qemu(struct policy *policy);

/* The rows. */
extern const struct step_counter step_counter_perf;
extern const struct step_counter step_counter_qemu;
extern const struct step_counter step_counter_ptrace;
extern const struct step_counter step_counter_clock;
