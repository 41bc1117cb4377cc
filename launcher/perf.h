/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting instructions by the processor's own counters: the kinds of processors a host has, one counter a
 * thread over all of them, and how far a thread may run before it has to be looked at again. The counters
 * come through a struct of callbacks, so that a host without any can test what is done with them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_PMUS_MAX 8
#define PERF_SIGNAL SIGSTKFLT /* of an overflow, to the thread that ran over */

/* One kind of processor: where a host has several, each counts only what runs on it. */
struct perf_pmu {
	char name[32];
	uint32_t type; /* of perf_event_attr; 0 = the only kind */
};

struct perf_source {
	unsigned pmu_count; /* how many counters one thread has */
	uint64_t margin;    /* a thread runs on for at most so long after its counter ran over */
	/* A handle (0 and up) of what this thread executes from now on (0 = the caller), or -errno. */
	int (*open)(struct perf_source *source, pid_t tid);
	/* What it has executed; -EAGAIN: not counted all the time, so nobody knows. */
	int (*read)(struct perf_source *source, int handle, uint64_t *count);
	/* Each of the handle's counters runs over after `period` more; 0 or -errno. */
	int (*arm)(struct perf_source *source, int handle, uint64_t period);
	void (*close)(struct perf_source *source, int handle);
	void *own;
};

/* The kinds of processors under a tree like /sys/devices. How many, at least 1. */
size_t perf_find_pmus(const char *devices, struct perf_pmu *pmus, size_t room);

/* After how many more instructions each of `counters` counters has to run over, so that together they
 * cannot pass the `remaining`; 0: too near, the rest is for single steps. */
uint64_t perf_next_period(uint64_t remaining, size_t counters, uint64_t margin);

/* Does the source count a known loop within a ten thousandth? 0, or -errno and a sentence. `loop` runs
 * the rounds of two instructions (tracee_known_loop). */
int perf_prove(struct perf_source *source, void (*loop)(uint64_t rounds), char *why, size_t size);

/* The kernel's counters of these kinds; freed with perf_source_free. NULL = no memory. */
struct perf_source *perf_source_new(const struct perf_pmu *pmus, size_t count, uint64_t margin);
void perf_source_free(struct perf_source *source);

/* How far a processor of this vendor may run past an overflow, in instructions. */
uint64_t perf_margin_of(const char *vendor);
