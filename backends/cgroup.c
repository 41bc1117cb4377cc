/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session's control groups: made, limited, read, removed. Every limit is set for every run, so that
 * nothing of one run's limits is left for the next; but the number of processes is written only when
 * it is another.
 *
 * Runs in the launcher; a program never sees these folders. Must never touch a group that does not
 * bear a name of ours.
 */
#include "backends/cgroup.h"

#include "backends/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>

#define PREFIX "stile-"
#define REMOVE_TRIES 200

static int write_text(int folder, const char *file, const char *text)
{
	_cleanup_fd_ int fd = openat(folder, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int write_number(int folder, const char *file, uint64_t value, const char *none)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_text(folder, file, value == UINT64_MAX ? none : text);
}

/* The number behind `key` ("" = the whole file is it), 0 when there is none. */
static uint64_t read_number(int folder, const char *file, const char *key)
{
	_cleanup_fd_ int fd = openat(folder, file, O_RDONLY | O_CLOEXEC);
	char text[2048], *at = text;
	size_t length = strlen(key);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = 0;
	while (length && at && (strncmp(at, key, length) != 0 || at[length] != ' ')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at + length, NULL, 10) : 0;
}

void cgroup_begin(struct cgroup *g, const char *sid)
{
	*g = (struct cgroup){ .exhausted = -1 };
	for (int use = 0; use < CGROUP_USES; use++)
		g->folders[use] = -1;
	snprintf(g->name, sizeof(g->name), PREFIX "%s", sid);
}

bool cgroup_has(const struct cgroup *g, enum cgroup_use use)
{
	return g->name[0] && g->folders[use] >= 0;
}

static bool is_made(const struct cgroup *g, const struct cgroup_host *host, const char *parent)
{
	for (int use = 0; use < CGROUP_USES; use++)
		if (g->folders[use] >= 0 && strcmp(host->places[use].parent, parent) == 0)
			return true;
	return false;
}

/* Controllers may share a hierarchy: then the folder is there already, and ours. */
static int make_folder(const struct cgroup *g, const struct cgroup_host *host, const char *parent)
{
	_cleanup_fd_ int above = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (above < 0)
		return -errno;
	if (!is_made(g, host, parent) && mkdirat(above, g->name, 0700) < 0)
		return -errno;
	fd = openat(above, g->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Version 1 tells of exhaustion through an eventfd; without it the counter at the end must do. */
static void listen_for_exhaustion(struct cgroup *g, int folder)
{
	_cleanup_fd_ int control = openat(folder, "memory.oom_control", O_RDONLY | O_CLOEXEC);
	_cleanup_fd_ int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	char text[32];

	snprintf(text, sizeof(text), "%d %d", event, control);
	if (control < 0 || event < 0 || write_text(folder, "cgroup.event_control", text) < 0)
		return;
	g->exhausted = take_fd(&event);
}

static void furnish(struct cgroup *g, enum cgroup_use use)
{
	if (use != CGROUP_MEMORY)
		return;
	if (g->unified[use])
		(void)write_text(g->folders[use], "memory.oom.group", "1");
	else
		listen_for_exhaustion(g, g->folders[use]);
}

/* Moving waits for the kernel's other processors, so it is done once a warden. */
static int move_in(struct cgroup *g, enum cgroup_use use, pid_t warden)
{
	char text[16];
	int r;

	if (g->unified[use] || warden <= 0 || g->members[use] == warden)
		return 0;
	snprintf(text, sizeof(text), "%d", (int)warden);
	r = write_text(g->folders[use], "cgroup.procs", text);
	if (r == 0)
		g->members[use] = warden;
	return r;
}

static void undo(struct cgroup *g, const struct cgroup_host *host, enum cgroup_use use)
{
	_cleanup_fd_ int above = open(host->places[use].parent, O_PATH | O_DIRECTORY | O_CLOEXEC);

	cleanup_fd(&g->folders[use]);
	g->folders[use] = -1;
	g->processes = 0;
	if (above >= 0 && !is_made(g, host, host->places[use].parent))
		(void)unlinkat(above, g->name, AT_REMOVEDIR);
}

static int make_group(struct cgroup *g, const struct cgroup_host *host, enum cgroup_use use)
{
	const struct cgroup_place *place = &host->places[use];
	int r;

	if (g->folders[use] >= 0)
		return 0;
	if (!place->parent[0])
		return -EOPNOTSUPP;
	r = make_folder(g, host, place->parent);
	if (r < 0)
		return r;
	g->folders[use] = r;
	g->unified[use] = place->unified;
	furnish(g, use);
	return 0;
}

int cgroup_require(struct cgroup *g, const struct cgroup_host *host, unsigned wanted, pid_t warden)
{
	for (int use = 0; use < CGROUP_USES; use++) {
		int r;

		if (!(wanted & CGROUP_BIT(use)))
			continue;
		r = make_group(g, host, (enum cgroup_use)use);
		if (r < 0)
			return r;
		r = move_in(g, (enum cgroup_use)use, warden);
		if (r < 0) {
			undo(g, host, (enum cgroup_use)use);
			return r;
		}
	}
	return 0;
}

int cgroup_birthplace(const struct cgroup *g)
{
	for (int use = 0; use < CGROUP_USES; use++)
		if (cgroup_has(g, (enum cgroup_use)use) && g->unified[use])
			return g->folders[use];
	return -1;
}

/* A kernel without swap accounting lacks the swap file: then there is nothing to limit by it. */
static int unless_missing(int r)
{
	return r == -ENOENT || r == -EOPNOTSUPP ? 0 : r;
}

static int limit_memory_unified(int folder, uint64_t bytes)
{
	int r = write_number(folder, "memory.max", bytes, "max");

	if (r < 0)
		return r;
	return unless_missing(write_text(folder, "memory.swap.max",
					 bytes == UINT64_MAX ? "max" : "0"));
}

/* Memory plus swap may never be below memory alone: both up first, then memory, then the sum. */
static int limit_memory_old(int folder, uint64_t bytes)
{
	int r = unless_missing(write_text(folder, "memory.memsw.limit_in_bytes", "-1"));

	if (r == 0)
		r = write_number(folder, "memory.limit_in_bytes", bytes, "-1");
	if (r == 0)
		r = unless_missing(
			write_number(folder, "memory.memsw.limit_in_bytes", bytes, "-1"));
	return r;
}

/* Between runs only the house's own processes are in it, and they do not count. */
static int limit_processes(struct cgroup *g, uint64_t processes)
{
	int folder = g->folders[CGROUP_PIDS], r;
	pid_t warden = g->members[CGROUP_PIDS];
	uint64_t house;

	/* Nobody else writes it, and the house is the same as long as its warden is. */
	if (g->processes == processes && g->processes_with == warden)
		return 0;
	house = read_number(folder, "pids.current", "");
	r = write_number(folder, "pids.max",
			 processes < UINT64_MAX - house ? processes + house : processes, "max");
	g->processes = r < 0 ? 0 : processes;
	g->processes_with = warden;
	return r;
}

static uint64_t count_kills(const struct cgroup *g)
{
	int folder = g->folders[CGROUP_MEMORY];

	if (!cgroup_has(g, CGROUP_MEMORY))
		return 0;
	return read_number(folder,
			   g->unified[CGROUP_MEMORY] ? "memory.events" : "memory.oom_control",
			   "oom_kill");
}

static uint64_t count_cpu_us(const struct cgroup *g)
{
	int folder = g->folders[CGROUP_CPU];

	if (!cgroup_has(g, CGROUP_CPU))
		return 0;
	return g->unified[CGROUP_CPU] ? read_number(folder, "cpu.stat", "usage_usec") :
					read_number(folder, "cpuacct.usage", "") / 1000;
}

int cgroup_set_limits(struct cgroup *g, uint64_t memory, uint64_t processes)
{
	uint64_t pending;
	int r = 0;

	if (cgroup_has(g, CGROUP_MEMORY))
		r = g->unified[CGROUP_MEMORY] ?
			    limit_memory_unified(g->folders[CGROUP_MEMORY], memory) :
			    limit_memory_old(g->folders[CGROUP_MEMORY], memory);
	if (r == 0 && cgroup_has(g, CGROUP_PIDS))
		r = limit_processes(g, processes);
	if (g->exhausted >= 0)
		(void)!read(g->exhausted, &pending, sizeof(pending));
	g->kills_before = count_kills(g);
	g->cpu_before_us = count_cpu_us(g);
	return r;
}

bool cgroup_ran_out(const struct cgroup *g)
{
	return count_kills(g) > g->kills_before;
}

uint64_t cgroup_cpu_us(const struct cgroup *g)
{
	uint64_t now = count_cpu_us(g);

	return now > g->cpu_before_us ? now - g->cpu_before_us : 0;
}

void cgroup_kill(const struct cgroup *g)
{
	int folder = cgroup_birthplace(g);

	if (folder >= 0)
		(void)write_text(folder, "cgroup.kill", "1");
}

/* The last process may still be on its way out. */
static int remove_group(const char *parent, const char *name, unsigned tries)
{
	_cleanup_fd_ int above = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (above < 0)
		return -errno;
	while (unlinkat(above, name, AT_REMOVEDIR) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || --tries == 0)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

void cgroup_end(struct cgroup *g, const struct cgroup_host *host)
{
	if (!g->name[0])
		return;
	for (int use = 0; use < CGROUP_USES; use++) {
		if (g->folders[use] < 0)
			continue;
		cleanup_fd(&g->folders[use]);
		(void)remove_group(host->places[use].parent, g->name, REMOVE_TRIES);
	}
	cleanup_fd(&g->exhausted);
	*g = (struct cgroup){ .exhausted = -1 };
}

/* As session_folder makes them: letters, digits and hyphens, so no dot and no slash. */
static bool is_sid(const char *sid)
{
	size_t length = strlen(sid);

	if (length < 18 || length >= CGROUP_NAME_MAX - sizeof(PREFIX))
		return false;
	for (; *sid; sid++)
		if (!islower((unsigned char)*sid) && !isdigit((unsigned char)*sid) && *sid != '-')
			return false;
	return true;
}

int cgroup_sweep(const struct cgroup_host *host, const char *sid)
{
	char name[CGROUP_NAME_MAX];
	int worst = 0;

	if (!is_sid(sid))
		return 0;
	snprintf(name, sizeof(name), PREFIX "%s", sid);
	for (int use = 0; use < CGROUP_USES; use++) {
		const char *parent = host->places[use].parent;

		if (parent[0] && remove_group(parent, name, 1) == -EBUSY)
			worst = -EBUSY;
	}
	return worst;
}
