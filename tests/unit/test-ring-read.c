/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring's reader: a mapping of ours plays the shim, and then the program that hates it. */
#include "launcher/ring_read.h"
#include "policy/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* Behind what it needs. */
#include <cmocka.h>

struct ring {
	int fd;
	char *map;
	struct ring_header *header;
	struct ring_process *processes;
	struct ring_denial *denials;
	struct ring_record *records;
	/* what the reader told */
	size_t told, whole_calls;
	struct ring_told last;
	struct ring_process last_process;
	struct ring_call last_call;
	uint64_t lost;
	struct ring_place place;
};

static int set_up(void **state)
{
	struct ring *r = calloc(1, sizeof(*r));
	uint64_t start;

	r->fd = memfd_create("ring", MFD_CLOEXEC);
	if (ftruncate(r->fd, (off_t)RING_BYTES) < 0)
		return -1;
	r->map = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	r->header = (void *)r->map;
	r->processes = (void *)(r->map + RING_AT_PROCESSES);
	r->denials = (void *)(r->map + RING_AT_DENIALS);
	r->records = (void *)(r->map + RING_AT_RECORDS);
	*state = r;
	return ring_begin(r->fd, RING_WALLS, true, &start);
}

static int tear_down(void **state)
{
	struct ring *r = *state;

	munmap(r->map, RING_BYTES);
	close(r->fd);
	free(r);
	return 0;
}

static void take_denial(void *ctx, const struct ring_told *told)
{
	struct ring *r = ctx;

	r->told++;
	r->last = *told;
}

static void take_process(void *ctx, const struct ring_process *process)
{
	struct ring *r = ctx;

	r->told++;
	r->last_process = *process;
}

static void take_call(void *ctx, const struct ring_call *call)
{
	struct ring *r = ctx;

	r->told++;
	r->last_call = *call;
}

static void write_denial(struct ring *r, size_t i, const char *target)
{
	struct ring_denial *d = &r->denials[i];

	d->count = 1;
	d->record = (struct ring_record){ .pid = 2,
					  .axis = AXIS_PATH,
					  .action = ACTION_DENY,
					  .layer = LAYER_LANDLOCK,
					  .error = 13,
					  .length = (uint16_t)strlen(target) };
	memcpy(d->record.target, target, strlen(target));
	snprintf(d->call, sizeof(d->call), "open");
	d->key = 77 + i;
	d->whole = 1;
}

static void write_record(struct ring *r, uint64_t n, uint16_t hook, const char *part, size_t length)
{
	struct ring_record *record = &r->records[n % RING_RECORDS];

	record->hook = hook;
	record->length = (uint16_t)length;
	memset(record->target, 0, sizeof(record->target));
	memcpy(record->target, part, strlen(part) < RING_TARGET_MAX ? strlen(part) : RING_TARGET_MAX);
	record->number = n + 1;
	r->header->written = n + 1;
}

static void test_nothing_written_is_nothing_told(void **state)
{
	struct ring *r = *state;
	struct ring_state seen;

	assert_int_equal(ring_look(r->fd, &seen), 0);
	assert_false(seen.is_damaged);
	assert_int_equal(ring_each_denial(r->fd, take_denial, r, &r->lost), 0);
	assert_int_equal(ring_each_process(r->fd, take_process, r), 0);
	assert_int_equal(ring_drain(r->fd, &r->place, true, take_call, r), 0);
	assert_int_equal(r->told, 0);
	assert_int_equal(r->lost, 0);
}

static void test_a_denial_is_read_as_it_was_told(void **state)
{
	struct ring *r = *state;

	write_denial(r, 300, "/etc/shadow");
	r->denials[300].count = 1000000;
	r->denials[300].frame_count = 1;
	r->denials[300].script.line = 12;
	assert_int_equal(ring_each_denial(r->fd, take_denial, r, &r->lost), 0);
	assert_int_equal(r->told, 1);
	assert_string_equal(r->last.target, "/etc/shadow");
	assert_false(r->last.is_cut);
	assert_int_equal(r->last.denial.count, 1000000);
	assert_int_equal(r->last.denial.script.line, 12);
	assert_int_equal(r->last.denial.record.layer, LAYER_LANDLOCK);
}

static void test_every_place_of_the_table_is_read(void **state)
{
	struct ring *r = *state;

	for (size_t i = 0; i < RING_DENIALS; i++)
		write_denial(r, i, "/x");
	assert_int_equal(ring_each_denial(r->fd, take_denial, r, &r->lost), 0);
	assert_int_equal(r->told, RING_DENIALS);
}

static void test_a_half_written_denial_is_lost_not_read(void **state)
{
	struct ring *r = *state;

	write_denial(r, 0, "/x");
	r->denials[0].whole = 0;
	r->denials[0].count = 5;
	assert_int_equal(ring_each_denial(r->fd, take_denial, r, &r->lost), 0);
	assert_int_equal(r->told, 0);
	assert_int_equal(r->lost, 5);
}

static void test_bytes_of_hate_are_bounded(void **state)
{
	struct ring *r = *state;
	struct ring_state seen;

	memset(r->map, 0xff, RING_BYTES);
	for (size_t i = 0; i < RING_DENIALS; i++)
		r->denials[i].whole = 1;
	assert_int_equal(ring_look(r->fd, &seen), 0);
	assert_true(seen.is_damaged);
	assert_int_equal(ring_each_denial(r->fd, take_denial, r, &r->lost), 0);
	assert_int_equal(r->told, RING_DENIALS);
	assert_true(r->last.is_cut);
	assert_int_equal(strlen(r->last.target), RING_TARGET_MAX);
	assert_int_equal(strlen(r->last.denial.call), sizeof(r->last.denial.call) - 1);
	assert_int_equal(strlen(r->last.denial.script.file), sizeof(r->last.denial.script.file) - 1);
	assert_int_equal(r->last.denial.frame_count, RING_FRAMES);
	assert_int_equal(strlen(r->last.denial.frames[15].module), RING_MODULE_MAX - 1);
	assert_int_equal(r->last.denial.record.axis, AXIS_NONE);
	assert_int_equal(r->last.denial.record.layer, LAYER_SHIM);
	assert_int_equal(r->last.denial.record.error, 0);
}

static void test_half_written_hate_does_not_wrap_the_lost(void **state)
{
	struct ring *r = *state;

	memset(r->map, 0xff, RING_BYTES);
	assert_int_equal(ring_each_denial(r->fd, take_denial, r, &r->lost), 0);
	assert_int_equal(r->told, 0);
	assert_int_equal(r->lost, RING_DENIALS);
}

static void test_a_process_is_read_with_its_text_ended(void **state)
{
	struct ring *r = *state;

	memset(r->processes[9].exe, 'x', sizeof(r->processes[9].exe));
	r->processes[9].pid = 42;
	r->processes[9].state = RING_ATTACHED;
	r->processes[10].state = 99;
	assert_int_equal(ring_each_process(r->fd, take_process, r), 0);
	assert_int_equal(r->told, 1);
	assert_int_equal(r->last_process.pid, 42);
	assert_int_equal(strlen(r->last_process.exe), sizeof(r->last_process.exe) - 1);
}

static void test_a_ring_that_was_cut_is_damaged(void **state)
{
	struct ring *r = *state;
	struct ring_state seen;

	write_denial(r, 0, "/x");
	assert_int_equal(ftruncate(r->fd, 100), 0);
	assert_int_equal(ring_each_denial(r->fd, take_denial, r, &r->lost), 0);
	assert_int_equal(ring_each_process(r->fd, take_process, r), 0);
	assert_int_equal(r->told, 0);
	assert_int_equal(ftruncate(r->fd, 10), 0);
	assert_int_equal(ring_look(r->fd, &seen), 0);
	assert_true(seen.is_damaged);
}

static void test_a_new_run_finds_nothing_of_the_last(void **state)
{
	struct ring *r = *state;
	uint64_t start;

	memset(r->map, 0xff, RING_BYTES);
	assert_int_equal(ftruncate(r->fd, 2 * (off_t)RING_BYTES), 0);
	assert_int_equal(ring_begin(r->fd, RING_OBSERVE, false, &start), 0);
	assert_int_equal(lseek(r->fd, 0, SEEK_END), RING_BYTES);
	assert_int_equal(lseek(r->fd, 4096, SEEK_DATA), -1);
	assert_int_equal(r->header->flags, RING_OBSERVE);
	assert_int_equal(r->header->start_ns, start);
	assert_int_equal(r->header->denials_lost, 0);
}

static void test_counts_are_what_json_can_hold(void **state)
{
	struct ring *r = *state;
	struct ring_state seen;

	r->header->denials_lost = UINT64_MAX;
	r->header->processes_lost = 3;
	assert_int_equal(ring_look(r->fd, &seen), 0);
	assert_int_equal(seen.denials_lost, INT64_MAX);
	assert_int_equal(seen.processes_lost, 3);
}

static void test_records_are_drained_once(void **state)
{
	struct ring *r = *state;

	write_record(r, 0, 1, "/a", 2);
	write_record(r, 1, 2, "/b", 2);
	assert_int_equal(ring_drain(r->fd, &r->place, false, take_call, r), 0);
	assert_int_equal(r->told, 2);
	assert_string_equal(r->last_call.target, "/b");
	assert_int_equal(r->header->read, 2);
	assert_int_equal(ring_drain(r->fd, &r->place, false, take_call, r), 0);
	assert_int_equal(r->told, 2);
}

static void test_a_long_target_is_put_together(void **state)
{
	struct ring *r = *state;
	char path[1001];

	memset(path, 'p', 1000);
	path[999] = 'q';
	path[1000] = 0;
	write_record(r, 0, 1, path, 1000);
	write_record(r, 1, RING_MORE, path + RING_TARGET_MAX, 0);
	write_record(r, 2, RING_MORE, path + 2 * RING_TARGET_MAX, 0);
	write_record(r, 3, 2, "/b", 2);
	assert_int_equal(ring_drain(r->fd, &r->place, true, take_call, r), 0);
	assert_int_equal(r->told, 2);
	assert_int_equal(r->place.next, 4);
	assert_string_equal(r->last_call.target, "/b");
}

static void test_a_target_whose_rest_is_missing_is_cut(void **state)
{
	struct ring *r = *state;
	char path[1001];

	memset(path, 'p', 1000);
	path[1000] = 0;
	write_record(r, 0, 1, path, 1000);
	assert_int_equal(ring_drain(r->fd, &r->place, true, take_call, r), 0);
	assert_int_equal(r->told, 1);
	assert_true(r->last_call.is_cut);
	assert_int_equal(strlen(r->last_call.target), RING_TARGET_MAX);
}

static void test_what_was_overwritten_is_counted_as_lost(void **state)
{
	struct ring *r = *state;

	for (uint64_t n = 0; n < RING_RECORDS + 100; n++)
		write_record(r, n, 1, "/a", 2);
	assert_int_equal(ring_drain(r->fd, &r->place, true, take_call, r), 0);
	assert_int_equal(r->told, RING_RECORDS);
	assert_int_equal(r->place.lost, 100);
}

static void test_a_record_being_written_is_waited_for_until_the_end(void **state)
{
	struct ring *r = *state;

	write_record(r, 0, 1, "/a", 2);
	r->header->written = 2;
	assert_int_equal(ring_drain(r->fd, &r->place, false, take_call, r), 0);
	assert_int_equal(r->place.next, 1);
	assert_int_equal(r->place.lost, 0);
	assert_int_equal(ring_drain(r->fd, &r->place, true, take_call, r), 0);
	assert_int_equal(r->place.next, 2);
	assert_int_equal(r->place.lost, 1);
}

static void test_a_claim_of_endless_records_ends(void **state)
{
	struct ring *r = *state;

	r->header->written = UINT64_MAX;
	assert_int_equal(ring_drain(r->fd, &r->place, true, take_call, r), 0);
	assert_int_equal(r->told, 0);
	assert_true(r->place.lost > RING_RECORDS);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_nothing_written_is_nothing_told),
		CLAIM(test_a_denial_is_read_as_it_was_told),
		CLAIM(test_every_place_of_the_table_is_read),
		CLAIM(test_a_half_written_denial_is_lost_not_read),
		CLAIM(test_bytes_of_hate_are_bounded),
		CLAIM(test_half_written_hate_does_not_wrap_the_lost),
		CLAIM(test_a_process_is_read_with_its_text_ended),
		CLAIM(test_a_ring_that_was_cut_is_damaged),
		CLAIM(test_a_new_run_finds_nothing_of_the_last),
		CLAIM(test_counts_are_what_json_can_hold),
		CLAIM(test_records_are_drained_once),
		CLAIM(test_a_long_target_is_put_together),
		CLAIM(test_a_target_whose_rest_is_missing_is_cut),
		CLAIM(test_what_was_overwritten_is_counted_as_lost),
		CLAIM(test_a_record_being_written_is_waited_for_until_the_end),
		CLAIM(test_a_claim_of_endless_records_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
