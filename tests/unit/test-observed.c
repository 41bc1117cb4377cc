/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls counted: the same one is one, all of them are bounded. */
#include "launcher/observed.h"

#include "launcher/ring_read.h"
#include "policy/compile.h"
#include "shim/hooks.h"

#include <errno.h>
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
	struct policy_block *block;
	struct observed *o;
};

static int set_up(void **state)
{
	struct ring *r = calloc(1, sizeof(*r));
	struct policy *policy;
	uint64_t start;

	r->fd = memfd_create("ring", MFD_CLOEXEC);
	if (ftruncate(r->fd, (off_t)RING_BYTES) < 0)
		return -1;
	r->map = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	policy = policy_new();
	if (policy_compile(policy, &r->block) < 0)
		return -1;
	policy_free(policy);
	r->o = observed_new(r->block);
	*state = r;
	return ring_begin(r->fd, 0, true, &start);
}

static int tear_down(void **state)
{
	struct ring *r = *state;

	observed_free(r->o);
	free(r->block);
	munmap(r->map, RING_BYTES);
	close(r->fd);
	free(r);
	return 0;
}

static void write_call(struct ring *r, unsigned hook, const char *target, int error)
{
	struct ring_header *header = (void *)r->map;
	struct ring_record *records = (void *)(r->map + RING_AT_RECORDS);
	uint64_t n = header->written++;
	struct ring_record *record = &records[n % RING_RECORDS];

	record->hook = (uint16_t)hook;
	record->axis = AXIS_PATH;
	record->error = error;
	record->length = (uint16_t)strlen(target);
	memcpy(record->target, target, strlen(target));
	record->number = n + 1;
}

static void test_the_same_call_is_one(void **state)
{
	struct ring *r = *state;

	write_call(r, HOOK_openat, "/etc/passwd", 0);
	write_call(r, HOOK_unlink, "/etc/passwd", EACCES);
	write_call(r, HOOK_openat, "/etc/passwd", 0);
	observed_drain(r->o, r->fd, true);
	assert_int_equal(observed_count(r->o), 2);
	assert_string_equal(observed_at(r->o, 0)->call, "openat");
	assert_string_equal(observed_at(r->o, 0)->target, "/etc/passwd");
	assert_int_equal(observed_at(r->o, 0)->count, 2);
	assert_string_equal(observed_at(r->o, 1)->call, "unlink");
	assert_int_equal(observed_at(r->o, 1)->error, EACCES);
	assert_int_equal(observed_at(r->o, 0)->action, ACTION_DENY);
	assert_int_equal(observed_lost(r->o), 0);
}

static void test_another_end_is_another(void **state)
{
	struct ring *r = *state;

	write_call(r, HOOK_openat, "/x", 0);
	write_call(r, HOOK_openat, "/x", ENOENT);
	observed_drain(r->o, r->fd, true);
	assert_int_equal(observed_count(r->o), 2);
}

static void test_draining_goes_on_where_it_was(void **state)
{
	struct ring *r = *state;

	for (int i = 0; i < 5; i++) {
		write_call(r, HOOK_openat, "/x", 0);
		observed_drain(r->o, r->fd, i == 4);
	}
	assert_int_equal(observed_at(r->o, 0)->count, 5);
}

static void test_more_than_there_is_room_for_is_lost(void **state)
{
	struct ring *r = *state;

	for (int i = 0; i < OBSERVED_MAX + 1000; i++) {
		char target[32];

		snprintf(target, sizeof(target), "/x/%d", i);
		write_call(r, HOOK_openat, target, 0);
		if (i % 4096 == 0)
			observed_drain(r->o, r->fd, false);
	}
	observed_drain(r->o, r->fd, true);
	assert_int_equal(observed_count(r->o), OBSERVED_MAX);
	assert_int_equal(observed_lost(r->o), 1000);
}

static void test_what_nobody_read_in_time_is_lost(void **state)
{
	struct ring *r = *state;

	for (unsigned i = 0; i < RING_RECORDS + 7; i++)
		write_call(r, HOOK_openat, "/x", 0);
	observed_drain(r->o, r->fd, true);
	assert_int_equal(observed_at(r->o, 0)->count, RING_RECORDS);
	assert_int_equal(observed_lost(r->o), 7);
}

static void test_a_hook_that_is_none_has_no_name(void **state)
{
	struct ring *r = *state;

	write_call(r, RING_NO_HOOK, "/x", 0);
	observed_drain(r->o, r->fd, true);
	assert_string_equal(observed_at(r->o, 0)->call, "");
}

static void test_clear_begins_anew(void **state)
{
	struct ring *r = *state;
	uint64_t start;

	write_call(r, HOOK_openat, "/x", 0);
	observed_drain(r->o, r->fd, true);
	observed_clear(r->o);
	assert_int_equal(ring_begin(r->fd, 0, false, &start), 0);
	write_call(r, HOOK_openat, "/y", 0);
	observed_drain(r->o, r->fd, true);
	assert_int_equal(observed_count(r->o), 1);
	assert_string_equal(observed_at(r->o, 0)->target, "/y");
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_the_same_call_is_one),
		CLAIM(test_another_end_is_another),
		CLAIM(test_draining_goes_on_where_it_was),
		CLAIM(test_more_than_there_is_room_for_is_lost),
		CLAIM(test_what_nobody_read_in_time_is_lost),
		CLAIM(test_a_hook_that_is_none_has_no_name),
		CLAIM(test_clear_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
