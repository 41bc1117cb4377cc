/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's hardware counters, and the arithmetic of stopping early. Runs in the launcher (to prove the
 * counters) and in the tracer. That a counter can be opened proves nothing: virtual machines have ones that
 * stand still.
 */
#include "launcher/perf.h"

#include "backends/cleanup.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define PROOF_ROUNDS 1000000u
#define PROOF_TOLERANCE 10000u /* one part in so many */
#define SHORTEST_PERIOD 1000u  /* below it an overflow costs more than the steps it saves */

/* Where a host has one kind the folder is "cpu"; each of several has a folder and a type of its own. */
static const char *const pmu_names[] = { "cpu_core", "cpu_atom", "cpu_lowpower" };

/* From rr's table of how late the interrupt comes (in branches; here ten times as many instructions). */
static const struct {
	const char *vendor;
	uint64_t margin;
} margins[] = {
	{ "GenuineIntel", 1250 },
	{ "AuthenticAMD", 100000 },
};

uint64_t perf_margin_of(const char *vendor)
{
	for (size_t i = 0; i < sizeof(margins) / sizeof(*margins); i++)
		if (strcmp(margins[i].vendor, vendor) == 0)
			return margins[i].margin;
	return 100000;
}

static bool read_type(const char *devices, const char *name, uint32_t *type)
{
	_cleanup_file_ FILE *f = NULL;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/type", devices, name);
	f = fopen(path, "re");
	return f && fscanf(f, "%" SCNu32, type) == 1;
}

size_t perf_find_pmus(const char *devices, struct perf_pmu *pmus, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < sizeof(pmu_names) / sizeof(*pmu_names) && count < room; i++) {
		if (!read_type(devices, pmu_names[i], &pmus[count].type))
			continue;
		snprintf(pmus[count].name, sizeof(pmus[count].name), "%s", pmu_names[i]);
		count++;
	}
	if (count)
		return count;
	pmus[0] = (struct perf_pmu){ .name = "cpu" };
	return 1;
}

/* Each counter may run its whole period, and on for the margin, before anybody looks at the others. */
uint64_t perf_next_period(uint64_t remaining, size_t counters, uint64_t margin)
{
	uint64_t period = counters ? remaining / counters : 0;

	return period < margin + SHORTEST_PERIOD ? 0 : period - margin;
}

int perf_prove(struct perf_source *source, void (*loop)(uint64_t rounds), char *why, size_t size)
{
	const uint64_t wanted = 2 * (uint64_t)PROOF_ROUNDS;
	uint64_t before = 0, after = 0, seen;
	int handle = source->open(source, 0), r;

	if (handle < 0) {
		snprintf(why, size, "perf_event_open: %s", strerror(-handle));
		return handle;
	}
	r = source->read(source, handle, &before);
	loop(PROOF_ROUNDS);
	if (r == 0)
		r = source->read(source, handle, &after);
	source->close(source, handle);
	seen = after - before;
	if (r < 0)
		snprintf(why, size, "the counter does not count all the time");
	else if (seen < wanted || seen - wanted > wanted / PROOF_TOLERANCE) {
		snprintf(why, size, "a loop of %" PRIu64 " instructions was counted as %" PRIu64, wanted,
			 seen);
		r = -ERANGE;
	}
	return r;
}

/* ---- the kernel's ---- */

struct kernel_counters {
	struct perf_pmu pmus[PERF_PMUS_MAX];
	int (*handles)[PERF_PMUS_MAX]; /* descriptors, -1 = none */
	size_t used;
};

static int open_counter(const struct perf_pmu *pmu, pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		/* Since 5.14 the upper half says which kind of processor. */
		.config = (uint64_t)pmu->type << 32 | PERF_COUNT_HW_INSTRUCTIONS,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_period = (uint64_t)1 << 62, /* so that it can be given one */
		.wakeup_events = 1,
	};
	struct f_owner_ex owner = { F_OWNER_TID, tid };
	int fd = sys_perf_event_open(&attr, tid);

	if (fd < 0)
		return -errno;
	if (tid && (fcntl(fd, F_SETOWN_EX, &owner) < 0 || fcntl(fd, F_SETSIG, PERF_SIGNAL) < 0 ||
		    fcntl(fd, F_SETFL, O_ASYNC) < 0)) {
		int error = errno;

		(void)close(fd);
		return -error;
	}
	return fd;
}

static void close_kernel(struct perf_source *source, int handle)
{
	struct kernel_counters *own = source->own;

	for (size_t i = 0; i < source->pmu_count; i++) {
		cleanup_fd(&own->handles[handle][i]);
		own->handles[handle][i] = -1;
	}
}

static int free_handle(struct kernel_counters *own)
{
	void *grown;

	for (size_t i = 0; i < own->used; i++)
		if (own->handles[i][0] < 0)
			return (int)i;
	grown = reallocarray(own->handles, own->used + 1, sizeof(*own->handles));
	if (!grown)
		return -ENOMEM;
	own->handles = grown;
	return (int)own->used++;
}

static int open_kernel(struct perf_source *source, pid_t tid)
{
	struct kernel_counters *own = source->own;
	int handle = free_handle(own);

	if (handle < 0)
		return handle;
	memset(own->handles[handle], 0xff, sizeof(own->handles[handle]));
	for (size_t i = 0; i < source->pmu_count; i++) {
		int fd = open_counter(&own->pmus[i], tid);

		own->handles[handle][i] = fd < 0 ? -1 : fd;
		if (fd >= 0)
			continue;
		close_kernel(source, handle);
		return fd;
	}
	return handle;
}

/* A counter of several kinds stands still while its thread runs on another kind: only where there is one
 * kind must it have run all the time. */
static int read_kernel(struct perf_source *source, int handle, uint64_t *count)
{
	struct kernel_counters *own = source->own;
	struct {
		uint64_t value, enabled, running;
	} seen;

	*count = 0;
	for (size_t i = 0; i < source->pmu_count; i++) {
		if (read(own->handles[handle][i], &seen, sizeof(seen)) != sizeof(seen))
			return -EIO;
		if (source->pmu_count == 1 && seen.enabled != seen.running)
			return -EAGAIN;
		*count += seen.value;
	}
	return 0;
}

static int arm_kernel(struct perf_source *source, int handle, uint64_t period)
{
	struct kernel_counters *own = source->own;

	for (size_t i = 0; i < source->pmu_count; i++)
		if (ioctl(own->handles[handle][i], PERF_EVENT_IOC_PERIOD, &period) < 0)
			return -errno;
	return 0;
}

struct perf_source *perf_source_new(const struct perf_pmu *pmus, size_t count, uint64_t margin)
{
	struct perf_source *source = calloc(1, sizeof(*source));
	struct kernel_counters *own = calloc(1, sizeof(*own));

	if (!source || !own) {
		free(source);
		free(own);
		return NULL;
	}
	memcpy(own->pmus, pmus, count * sizeof(*pmus));
	*source = (struct perf_source){ .pmu_count = (unsigned)count,
					.margin = margin,
					.open = open_kernel,
					.read = read_kernel,
					.arm = arm_kernel,
					.close = close_kernel,
					.own = own };
	return source;
}

void perf_source_free(struct perf_source *source)
{
	struct kernel_counters *own = source ? source->own : NULL;

	for (size_t i = 0; own && i < own->used; i++)
		close_kernel(source, (int)i);
	if (own)
		free(own->handles);
	free(own);
	free(source);
}
