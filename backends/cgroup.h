/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control groups of a session: one group in each hierarchy that is needed, made below the caller's own
 * group (so that his limits go on holding), version 2 where the controllers are there, else version 1.
 *
 * Version 2: programs are born into the group (clone3), the warden stays outside, and killing the
 * group kills the run. Version 1: the warden is moved in once, and what it starts is born there.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum cgroup_use { CGROUP_MEMORY, CGROUP_PIDS, CGROUP_CPU, CGROUP_USES };

#define CGROUP_BIT(use) (1u << (use))
#define CGROUP_NAME_MAX 80

/* Where a group for one use can be made, or why not. */
struct cgroup_place {
	char parent[PATH_MAX]; /* "" = nowhere */
	bool unified;          /* version 2 */
	char why[160];         /* when nowhere */
};

struct cgroup_host {
	struct cgroup_place places[CGROUP_USES];
};

/* Looks at `proc` ("/proc/self": its mountinfo and cgroup) and at what they name. Changes nothing. */
void cgroup_find(const char *proc, struct cgroup_host *host);

struct cgroup {
	char name[CGROUP_NAME_MAX];  /* "stile-<sid>"; "" = not begun */
	int folders[CGROUP_USES];    /* O_PATH, -1 = none */
	bool unified[CGROUP_USES];
	pid_t members[CGROUP_USES];  /* the warden, where it was moved in */
	int exhausted;               /* eventfd of version 1: memory ran out; -1 = none */
	uint64_t processes;          /* as last written with this warden within, 0 = not yet */
	pid_t processes_with;
	uint64_t kills_before, cpu_before_us; /* at the start of the run */
};

void cgroup_begin(struct cgroup *g, const char *sid);

/* Makes the groups of `uses` that are not there yet and moves `warden` into those of version 1.
 * 0 or -errno; then what was made before is as it was. */
int cgroup_require(struct cgroup *g, const struct cgroup_host *host, unsigned uses, pid_t warden);

/* Is there a group for this use? */
bool cgroup_has(const struct cgroup *g, enum cgroup_use use);

/* The folder programs are born into (version 2), -1 = none. Borrowed. */
int cgroup_birthplace(const struct cgroup *g);

/* The limits of the next run; UINT64_MAX lifts one. Also remembers the counters. 0 or -errno. */
int cgroup_set_limits(struct cgroup *g, uint64_t memory, uint64_t processes);

/* Did the kernel kill for memory since cgroup_set_limits()? */
bool cgroup_ran_out(const struct cgroup *g);

/* CPU time of all that ran in it since then, also of the dead; 0 when it is not known. */
uint64_t cgroup_cpu_us(const struct cgroup *g);

/* Kills everything in a group of version 2; elsewhere nothing happens. */
void cgroup_kill(const struct cgroup *g);

/* Closes and removes. Idempotent. */
void cgroup_end(struct cgroup *g, const struct cgroup_host *host);

/* Removes what a dead session of that name left; -EBUSY: something still lives in it. `sid` is taken as
 * hostile: what is no name of ours names nothing. */
int cgroup_sweep(const struct cgroup_host *host, const char *sid);
