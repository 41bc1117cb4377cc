/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the ring. Every byte of it may have been written by the program, at any moment, also between two
 * of our reads. So it is never mapped (a file that is cut under a mapping kills its reader); each row
 * is copied once with pread and checked in the copy; texts are ended, numbers brought into range, and the
 * work is bounded by the ring's size whatever stands in it.
 *
 * Runs in the launcher. What was never written to is not read: holes are skipped.
 */
#include "launcher/ring_read.h"

#include "launcher/clock.h"

#include "policy/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(RING_FRAMES <= 64, "a row of frames is small");

static uint64_t cut_count(uint64_t count)
{
	return count > INT64_MAX ? INT64_MAX : count;
}

/* Its size too is the program's to change, where no Landlock of today's kind keeps it. */
static int empty(int fd)
{
	struct stat st;

	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)RING_BYTES) < 0 &&
	    ftruncate(fd, 0) < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_size != (off_t)RING_BYTES && ftruncate(fd, (off_t)RING_BYTES) < 0 ? -errno : 0;
}

int ring_begin(int fd, uint32_t flags, bool is_new, uint64_t *start_ns)
{
	struct ring_header header = { .magic = RING_MAGIC,
				      .version = RING_VERSION,
				      .flags = flags,
				      .start_ns = clock_ns() };
	int r = is_new ? 0 : empty(fd);

	*start_ns = header.start_ns;
	if (r < 0)
		return r;
	return pwrite(fd, &header, sizeof(header), 0) == sizeof(header) ? 0 : -EIO;
}

int ring_look(int fd, struct ring_state *state)
{
	struct ring_header header;
	ssize_t n = pread(fd, &header, sizeof(header), 0);

	*state = (struct ring_state){ .is_damaged = true };
	if (n < 0)
		return -errno;
	if (n != sizeof(header) || header.magic != RING_MAGIC || header.version != RING_VERSION)
		return 0;
	*state = (struct ring_state){ .written = cut_count(header.written),
				      .records_lost = cut_count(header.records_lost),
				      .denials_lost = cut_count(header.denials_lost),
				      .processes_lost = cut_count(header.processes_lost) };
	return 0;
}

struct table {
	off_t at;
	size_t row_size, rows;
};

static bool read_row(int fd, void *row, size_t size, off_t at)
{
	return pread(fd, row, size, at) == (ssize_t)size;
}

/* The next row from `row` on of which anything was ever written; t->rows = there is none. */
static size_t skip_hole(int fd, const struct table *t, size_t row)
{
	off_t begin = t->at + (off_t)(row * t->row_size), at = lseek(fd, begin, SEEK_DATA);

	if (at < 0)
		return errno == ENXIO ? t->rows : row; /* a file system that knows no holes */
	if (at <= begin)
		return row;
	at = (at - t->at) / (off_t)t->row_size;
	return (size_t)at < t->rows ? (size_t)at : t->rows;
}

/* Copies rows into out[size], from *row on, which moves past a hole. How many; 0 = no more. */
static size_t read_rows(int fd, const struct table *t, size_t *row, void *out, size_t size)
{
	size_t most = size / t->row_size;
	ssize_t n;

	*row = *row < t->rows ? skip_hole(fd, t, *row) : t->rows;
	if (most > t->rows - *row)
		most = t->rows - *row;
	n = most ? pread(fd, out, most * t->row_size, t->at + (off_t)(*row * t->row_size)) : 0;
	return n > 0 ? (size_t)n / t->row_size : 0;
}

/* --- denials ----------------------------------------------------------------------------------- */

static void end_texts(struct ring_denial *d)
{
	d->script.file[sizeof(d->script.file) - 1] = 0;
	d->script.function[sizeof(d->script.function) - 1] = 0;
	d->call[sizeof(d->call) - 1] = 0;
	d->text[sizeof(d->text) - 1] = 0;
	if (d->frame_count > RING_FRAMES)
		d->frame_count = RING_FRAMES;
	for (uint32_t i = 0; i < d->frame_count; i++)
		d->frames[i].module[RING_MODULE_MAX - 1] = 0;
}

static void bound_record(struct ring_record *r)
{
	if (r->axis >= AXIS_COUNT)
		r->axis = AXIS_NONE;
	if (r->layer == LAYER_NONE || r->layer >= LAYER_COUNT)
		r->layer = LAYER_SHIM;
	if (r->action != ACTION_ALLOW)
		r->action = ACTION_DENY;
	if (r->error < 0 || r->error > 4095)
		r->error = 0;
}

static void check_denial(struct ring_told *told)
{
	struct ring_record *record = &told->denial.record;
	size_t length = record->length;

	end_texts(&told->denial);
	bound_record(record);
	told->is_cut = length > RING_TARGET_MAX;
	if (told->is_cut)
		length = RING_TARGET_MAX;
	memcpy(told->target, record->target, length);
	told->target[length] = 0;
}

/* Whoever wrote it was killed meanwhile: only its number is known, if that. */
static uint64_t count_half(const struct ring_denial *denial)
{
	uint64_t count = denial->count;

	return count && count < INT64_MAX / RING_DENIALS ? count : 1;
}

int ring_each_denial(int fd, void (*take)(void *ctx, const struct ring_told *told), void *ctx,
		     uint64_t *lost)
{
	const struct table table = { (off_t)RING_AT_DENIALS, sizeof(struct ring_denial),
				     RING_DENIALS };
	struct ring_denial rows[2];
	struct ring_told told;
	size_t count;

	for (size_t i = 0; (count = read_rows(fd, &table, &i, rows, sizeof(rows))) > 0; i += count) {
		for (size_t k = 0; k < count; k++) {
			if (rows[k].key && rows[k].whole != 1)
				*lost += count_half(&rows[k]);
			if (!rows[k].key || rows[k].whole != 1)
				continue;
			told.denial = rows[k];
			check_denial(&told);
			take(ctx, &told);
		}
	}
	return 0;
}

/* --- processes --------------------------------------------------------------------------------- */

int ring_each_process(int fd, void (*take)(void *ctx, const struct ring_process *process), void *ctx)
{
	const struct table table = { (off_t)RING_AT_PROCESSES, sizeof(struct ring_process),
				     RING_PROCESSES };
	struct ring_process rows[16];
	size_t count;

	for (size_t i = 0; (count = read_rows(fd, &table, &i, rows, sizeof(rows))) > 0; i += count) {
		for (size_t k = 0; k < count; k++) {
			if (rows[k].state == RING_FREE || rows[k].state > RING_EXEC_FAILED)
				continue;
			rows[k].exe[sizeof(rows[k].exe) - 1] = 0;
			take(ctx, &rows[k]);
		}
	}
	return 0;
}

/* --- records ----------------------------------------------------------------------------------- */

/* Is record `n` whole in its slot? Behind the write of `number` all else of it is there. */
static bool read_record(int fd, uint64_t n, struct ring_record *record)
{
	off_t at = (off_t)(RING_AT_RECORDS + n % RING_RECORDS * sizeof(*record));

	return read_row(fd, record, sizeof(*record), at) && record->number == n + 1;
}

static void append_target(struct ring_call *call, const struct ring_record *part, size_t *used,
			  size_t left)
{
	size_t most = left < RING_TARGET_MAX ? left : RING_TARGET_MAX;

	if (most > sizeof(call->target) - 1 - *used)
		most = sizeof(call->target) - 1 - *used;
	memcpy(call->target + *used, part->target, most);
	*used += most;
}

/* The target goes on in the records behind, each whole or the rest is missing. How many there were. */
static uint64_t read_rest(int fd, uint64_t n, uint64_t end, struct ring_call *call)
{
	size_t length = call->record.length, used = 0;
	uint64_t more = 0;

	append_target(call, &call->record, &used, length);
	while (used < length && used < sizeof(call->target) - 1 && n + more + 1 < end) {
		struct ring_record part;

		if (!read_record(fd, n + more + 1, &part) || part.hook != RING_MORE)
			break;
		append_target(call, &part, &used, length - used);
		more++;
	}
	call->target[used] = 0;
	call->is_cut = used < length;
	return more;
}

/* Takes one call at place->next; false: it is not whole yet. */
static bool take_call(int fd, struct ring_place *place, uint64_t end, struct ring_call *call)
{
	call->record.hook = RING_MORE;
	if (!read_record(fd, place->next, &call->record))
		return false;
	bound_record(&call->record);
	if (call->record.hook != RING_MORE)
		place->next += read_rest(fd, place->next, end, call);
	place->next++;
	return true;
}

static void tell_progress(int fd, uint64_t read)
{
	(void)!pwrite(fd, &read, sizeof(read), (off_t)offsetof(struct ring_header, read));
}

int ring_drain(int fd, struct ring_place *place, bool at_end,
	       void (*take)(void *ctx, const struct ring_call *call), void *ctx)
{
	struct ring_state state;
	struct ring_call call;
	uint64_t from = place->next, end;
	int r = ring_look(fd, &state);

	if (r < 0 || state.is_damaged || state.written <= from)
		return r;
	end = state.written;
	if (end - from > RING_RECORDS) {
		place->lost = cut_count(place->lost + (end - from - RING_RECORDS));
		place->next = end - RING_RECORDS;
	}
	while (place->next < end) {
		if (take_call(fd, place, end, &call)) {
			if (call.record.hook != RING_MORE)
				take(ctx, &call);
			continue;
		}
		if (!at_end && end - place->next < RING_RECORDS / 2)
			break; /* being written just now; it will be looked at again */
		place->lost++;
		place->next++;
	}
	tell_progress(fd, place->next);
	return 0;
}
