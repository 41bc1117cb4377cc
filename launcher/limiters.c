/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choosing who holds a run's limits. A control group where one is needed and can be had; else rlimits,
 * which hold for one process each, and the watch, which looks at the whole tree but only now and then.
 * What is chosen is named in the result, and whether it is exact.
 *
 * Runs in the launcher. Every run writes all limits of the session's groups, so none is carried over.
 */
#include "launcher/limiters.h"

#include "launcher/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

/* What not even the smallest program can start with. */
static const struct least_row {
	const char *flag, *why;
	size_t offset;
	uint64_t least;
} least_rows[] = {
	{ "--memory", "bytes", offsetof(struct limits, memory_bytes), 2 * MIB },
	{ "--open-files", "descriptors", offsetof(struct limits, open_files), 4 },
	{ "--processes", "process", offsetof(struct limits, processes), 1 },
	{ "--stack", "bytes", offsetof(struct limits, stack_bytes), 128 * 1024 },
	{ "--disk", "bytes", offsetof(struct limits, disk_bytes), 64 * 1024 },
	{ "--inodes", "files and folders", offsetof(struct limits, inodes), 8 },
};

bool limiters_refuse_too_small(struct result *r)
{
	for (size_t i = 0; i < sizeof(least_rows) / sizeof(*least_rows); i++) {
		const struct least_row *row = &least_rows[i];
		uint64_t value;

		memcpy(&value, (const char *)&r->limits + row->offset, sizeof(value));
		if (value >= row->least)
			continue;
		snprintf(r->reason, sizeof(r->reason),
			 "%s %" PRIu64 " is too small to start a program: it needs %" PRIu64 " %s",
			 row->flag, value, row->least, row->why);
		snprintf(r->fix, sizeof(r->fix), "%s %" PRIu64, row->flag, row->least);
		return true;
	}
	return false;
}

/* RLIMIT_NPROC counts all of a user's processes, and never root's: only in a user namespace of the
 * run's own does it count what it should. */
static bool rlimit_holds_processes(bool has_user_namespace)
{
	return has_user_namespace && geteuid() != 0;
}

static unsigned needed_groups(const struct limits *limits, bool has_user_namespace)
{
	unsigned uses = 0;

	if (limits->memory_bytes != LIMIT_NONE)
		uses |= CGROUP_BIT(CGROUP_MEMORY);
	if (limits->processes != LIMIT_NONE && !rlimit_holds_processes(has_user_namespace))
		uses |= CGROUP_BIT(CGROUP_PIDS);
	if (limits->cpu_ms != LIMIT_NONE)
		uses |= CGROUP_BIT(CGROUP_CPU);
	return uses;
}

static void look_once(struct session *s)
{
	if (s->has_looked_for_cgroups)
		return;
	s->has_looked_for_cgroups = true;
	cgroup_find("/proc/self", &s->cgroup_host);
	cgroup_begin(&s->cgroup, s->folder.sid);
}

/* Makes those of `uses` that can be had; one that cannot does not keep the others from being. Says why. */
static void make_groups(struct session *s, unsigned uses, pid_t warden)
{
	struct layer_state *state = &s->layers.cgroup;

	*state = (struct layer_state){ .enforced = true };
	for (int use = 0; use < CGROUP_USES; use++) {
		const struct cgroup_place *place = &s->cgroup_host.places[use];
		int r;

		if (!(uses & CGROUP_BIT(use)))
			continue;
		r = cgroup_require(&s->cgroup, &s->cgroup_host, CGROUP_BIT(use), warden);
		if (r == 0)
			continue;
		state->enforced = false;
		snprintf(state->why, sizeof(state->why), "%s%s%s",
			 place->parent[0] ? place->parent : place->why, place->parent[0] ? ": " : "",
			 place->parent[0] ? strerror(-r) : "");
	}
	if (uses)
		return;
	state->enforced = false;
	snprintf(state->why, sizeof(state->why), "%s",
		 "not needed: what this run is limited in, rlimits and the clock hold");
}

void limiters_foresee(struct session *s, pid_t warden)
{
	/* Whether there will be a user namespace is not known yet; mostly there is. */
	unsigned uses = needed_groups(&s->policy->limits, s->mode != SANDBOX_AUDIT_ONLY);

	if (!uses)
		return;
	look_once(s);
	make_groups(s, uses, warden);
}

int limiters_require_cgroup(struct session *s)
{
	look_once(s);
	make_groups(s, (1u << CGROUP_USES) - 1, s->warden.pid);
	return s->layers.cgroup.enforced ? 0 : -EOPNOTSUPP;
}

/* The groups this run needs, with its limits written into them. */
static int set_groups(struct session *s, unsigned uses, struct limiters *l, struct result *r)
{
	const struct limits *limits = &r->limits;
	bool required = s->layers.cgroup.enforced && s->requires_cgroup;
	int e = 0;

	if (uses)
		look_once(s);
	if (!required)
		make_groups(s, uses, s->warden.pid);
	r->layers.cgroup = s->layers.cgroup;
	if (!s->has_looked_for_cgroups)
		return 0;
	e = cgroup_set_limits(&s->cgroup, limits->memory_bytes, limits->processes);
	l->cgroup = &s->cgroup;
	return e;
}

static void warn(struct result *r, const char *text)
{
	if (r->warning_count < RESULT_WARNINGS_MAX)
		r->warnings[r->warning_count++] = text;
}

/* Without a group: what can be limited per process is, and where there may be more than one, their sum
 * is watched. The children of a tool may be anything, so their address space is left alone. */
static void choose_memory(struct session *s, enum memory_need need, struct limiters *l,
			  struct result *r)
{
	struct warden_area *area = s->warden.area;
	bool many = s->policy->processes;

	area->memory_rlimit = -1;
	area->dies_first = false;
	if (r->limits.memory_bytes == LIMIT_NONE)
		return;
	if (l->cgroup && cgroup_has(l->cgroup, CGROUP_MEMORY)) {
		area->dies_first = !l->cgroup->unified[CGROUP_MEMORY];
		r->memory_limiter = "cgroup";
		r->memory_exact = true;
		return;
	}
	if (need == MEMORY_MAPS || need == MEMORY_SHADOWS) {
		l->watch_memory = true;
		r->memory_limiter = "watch";
		return;
	}
	area->memory_rlimit = many || need == MEMORY_RESERVES ? RLIMIT_DATA : RLIMIT_AS;
	l->watch_memory = area->memory_rlimit == RLIMIT_DATA;
	r->memory_limiter = area->memory_rlimit == RLIMIT_AS ? "address-space" : "data-segment";
	r->memory_exact = area->memory_rlimit == RLIMIT_AS && !many;
	if (many)
		warn(r, "memory is limited for each process by its data segment, and their sum is watched: there is no cgroup. A Java or sanitizer build that the program starts may refuse to; --memory none lets it");
}

static void choose_processes(struct session *s, struct limiters *l, struct result *r)
{
	struct warden_area *area = s->warden.area;

	area->processes_rlimit = false;
	if (r->limits.processes == LIMIT_NONE)
		return;
	if (l->cgroup && cgroup_has(l->cgroup, CGROUP_PIDS)) {
		r->processes_limiter = "cgroup";
		return;
	}
	if (rlimit_holds_processes(s->layers.namespaces[NS_USER].enforced)) {
		area->processes_rlimit = true;
		r->processes_limiter = "rlimit";
		return;
	}
	l->watch_processes = true;
	r->processes_limiter = "watch";
	warn(r, "the number of processes is only watched: RLIMIT_NPROC holds only for an ordinary user in a user namespace of the run's own, and there is no cgroup; past the limit everything is killed");
}

static void choose_rest(struct session *s, struct limiters *l, const struct result *r)
{
	const struct limits *limits = &r->limits;

	l->watch_cpu = limits->cpu_ms != LIMIT_NONE;
	l->watch_disk = limits->disk_bytes != LIMIT_NONE || limits->inodes != LIMIT_NONE;
	l->work = s->folder.work_fd;
	/* No single file, not even a deleted one, may be larger than all together. */
	if (limits->disk_bytes < limits->file_bytes)
		s->warden.area->limits.file_bytes = limits->disk_bytes;
	s->warden.area->private_bytes = s->warden.area->private_inodes = 0;
}

int limiters_choose(struct session *s, enum memory_need need, struct limiters *l,
		    struct result *r)
{
	unsigned uses = needed_groups(&r->limits, s->layers.namespaces[NS_USER].enforced);
	int e;

	*l = (struct limiters){ .work = -1 };
	s->warden.area->limits = r->limits;
	e = set_groups(s, uses, l, r);
	if (e < 0)
		return e;
	if (need == MEMORY_SHADOWS)
		warn(r, "the program is a sanitizer build: its leak check needs ptrace, which is refused; --set-env ASAN_OPTIONS=detect_leaks=0 turns that check off");
	choose_memory(s, need, l, r);
	choose_processes(s, l, r);
	choose_rest(s, l, r);
	if (l->watch_memory || l->watch_processes || l->watch_cpu)
		l->house = tree_house(s->warden.pid);
	return 0;
}

void limiters_watch_cpu(const struct session *s, uint64_t cpu_ms, struct watch *w)
{
	if (cpu_ms >= w->limits.cpu_ms)
		return;
	w->limits.cpu_ms = cpu_ms;
	w->limiters.watch_cpu = true;
	w->limiters.house = tree_house(s->warden.pid);
}
