/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes the reader of the ring: whatever a program writes into it, every text that comes out is ended
 * within its room, every number is in its range, and the reader comes to an end. The input's first two
 * bytes choose where the rest is written; what is left of the tables stays empty, as in life.
 */
#include "launcher/ring_read.h"
#include "policy/verdict.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void take_denial(void *ctx, const struct ring_told *told)
{
	const struct ring_denial *d = &told->denial;

	(*(size_t *)ctx)++;
	check(strlen(told->target) <= RING_TARGET_MAX);
	check(memchr(d->call, 0, sizeof(d->call)) && memchr(d->text, 0, sizeof(d->text)));
	check(memchr(d->script.file, 0, sizeof(d->script.file)) != NULL);
	check(memchr(d->script.function, 0, sizeof(d->script.function)) != NULL);
	check(d->frame_count <= RING_FRAMES && d->record.axis < AXIS_COUNT);
	check(d->record.layer < LAYER_COUNT && d->record.error >= 0);
	for (uint32_t i = 0; i < d->frame_count; i++)
		check(memchr(d->frames[i].module, 0, RING_MODULE_MAX) != NULL);
}

static void take_process(void *ctx, const struct ring_process *process)
{
	(*(size_t *)ctx)++;
	check(process->state != RING_FREE && process->state <= RING_EXEC_FAILED);
	check(memchr(process->exe, 0, sizeof(process->exe)) != NULL);
}

static void take_call(void *ctx, const struct ring_call *call)
{
	(*(size_t *)ctx)++;
	check(memchr(call->target, 0, sizeof(call->target)) != NULL);
	check(call->record.hook != RING_MORE && call->record.axis < AXIS_COUNT);
}

/* One file for all inputs, emptied by the very function that empties it between runs. */
static int fresh_ring(void)
{
	static int fd = -1;
	uint64_t start;

	if (fd < 0)
		fd = memfd_create("ring", MFD_CLOEXEC);
	check(fd >= 0 && ring_begin(fd, 0, false, &start) == 0);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const off_t places[] = { 0, (off_t)RING_AT_PROCESSES, (off_t)RING_AT_DENIALS,
				 (off_t)RING_AT_RECORDS };
	struct ring_place place = { 0 };
	struct ring_state state;
	size_t count = 0;
	uint64_t lost = 0;
	int fd;

	if (size < 2)
		return 0;
	fd = fresh_ring();
	check(pwrite(fd, data + 2, size - 2, places[data[0] % 4] + data[1]) == (ssize_t)size - 2);
	check(ring_look(fd, &state) == 0 && state.denials_lost <= INT64_MAX);
	check(ring_each_denial(fd, take_denial, &count, &lost) == 0 && count <= RING_DENIALS);
	check(ring_each_process(fd, take_process, &count) == 0);
	check(ring_drain(fd, &place, data[0] & 4, take_call, &count) == 0);
	check(count <= RING_DENIALS + RING_PROCESSES + RING_RECORDS && place.lost <= INT64_MAX);
	return 0;
}
