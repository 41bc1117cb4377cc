/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the processes below the warden use, read from /proc: the measure where there is no cgroup. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tree_use {
	uint64_t resident_kb; /* shared pages counted once a process */
	uint64_t cpu_ms;      /* of the living and of the children they waited for */
	uint64_t threads;
};

/* The warden's first child, 0 = none: before a run, that is the house's own (init). */
pid_t tree_house(pid_t warden);

/* Sums over everything below `warden` but `house` itself. Bounded. */
void tree_measure(pid_t warden, pid_t house, struct tree_use *use);
