/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the ring become denials: reasons ours, places the program's, nothing trusted. */
#include "launcher/shim_told.h"

#include "launcher/ring_read.h"
#include "policy/compile.h"

#include <errno.h>
#include <sys/mman.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* Behind what it needs. */
#include <cmocka.h>

struct run {
	int fd;
	struct ring_denial *rows;
	struct ring_header *header;
	struct denials *list;
	struct program_files files;
	struct policy_block *block;
	uint64_t start;
};

static int set_up(void **state)
{
	struct run *r = calloc(1, sizeof(*r));
	struct policy *policy = policy_new();

	r->fd = memfd_create("ring", MFD_CLOEXEC);
	if (ftruncate(r->fd, (off_t)RING_BYTES) < 0 || policy_compile(policy, &r->block) < 0)
		return -1;
	policy_free(policy);
	r->header = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	r->rows = (void *)((char *)r->header + RING_AT_DENIALS);
	r->list = denials_new();
	r->files.block = r->block;
	*state = r;
	return ring_begin(r->fd, 0, true, &r->start);
}

static int tear_down(void **state)
{
	struct run *r = *state;

	denials_free(r->list);
	munmap(r->header, RING_BYTES);
	close(r->fd);
	free(r->block);
	free(r);
	return 0;
}

static void write_row(struct run *r, const char *target, int error)
{
	struct ring_denial *d = r->rows;

	d->record = (struct ring_record){ .pid = 2,
					  .at_ns = r->start + 5000000,
					  .axis = AXIS_PATH,
					  .action = ACTION_DENY,
					  .layer = LAYER_LANDLOCK,
					  .access = PATH_READ,
					  .error = error,
					  .length = (uint16_t)strlen(target) };
	memcpy(d->record.target, target, strlen(target));
	snprintf(d->call, sizeof(d->call), "open");
	snprintf(d->text, sizeof(d->text), "words of the program");
	d->count = 4;
	d->key = 1;
	d->whole = 1;
}

static const struct denial *take(struct run *r)
{
	const struct shim_told_ask ask = { .ring = r->fd,
					   .start_ns = r->start,
					   .end_ns = r->start + 1000000000,
					   .program = "/bin/true",
					   .files = &r->files };

	shim_told_take(r->list, &ask);
	return denials_count(r->list) ? denials_at(r->list, 0) : NULL;
}

static void test_the_reason_and_the_fix_are_ours(void **state)
{
	struct run *r = *state;
	const struct denial *d;

	write_row(r, "/etc/shadow", EACCES);
	d = take(r);
	assert_non_null(d);
	assert_string_equal(d->reason, "path '/etc/shadow' is not readable under this policy");
	assert_string_equal(d->fix, "--read /etc/shadow");
	assert_false(d->trusted);
	assert_int_equal(d->at_ms, 5);
	assert_int_equal(d->count, 4);
	assert_int_equal(d->layer, LAYER_LANDLOCK);
}

static void test_what_is_absent_on_the_host_is_no_denial(void **state)
{
	struct run *r = *state;

	write_row(r, "/no/such/thing", ENOENT);
	assert_null(take(r));
	assert_int_equal(denials_total(r->list), 0);
	write_row(r, "/etc/passwd", ENOENT);
	assert_non_null(take(r));
}

static void test_what_the_policy_allows_keeps_the_programs_words_alone(void **state)
{
	struct run *r = *state;
	const struct denial *d;

	write_row(r, "relative", EACCES);
	d = take(r);
	assert_string_equal(d->reason, "words of the program");
	assert_string_equal(d->fix, "");
}

static void test_a_moment_outside_of_the_run_is_not_known(void **state)
{
	struct run *r = *state;

	write_row(r, "/etc/shadow", EACCES);
	r->rows->record.at_ns = 1;
	assert_int_equal(take(r)->at_ms, DENIAL_UNKNOWN);
}

static void test_frames_and_script_are_taken_over(void **state)
{
	struct run *r = *state;
	const struct denial *d;

	write_row(r, "/etc/shadow", EACCES);
	r->rows->frame_count = 2;
	r->rows->frames[0].offset = 0x10;
	snprintf(r->rows->frames[1].module, RING_MODULE_MAX, "/lib/x.so");
	snprintf(r->rows->script.file, sizeof(r->rows->script.file), "p.py");
	r->rows->script.line = 9;
	d = take(r);
	assert_int_equal(d->frame_count, 2);
	assert_string_equal(d->frames[0].module, "/bin/true");
	assert_int_equal(d->frames[0].offset, 0x10);
	assert_string_equal(d->frames[1].module, "/lib/x.so");
	assert_string_equal(d->script->file, "p.py");
	assert_int_equal(d->script->line, 9);
}

static void test_the_lost_are_counted(void **state)
{
	struct run *r = *state;

	write_row(r, "/etc/shadow", EACCES);
	r->rows->whole = 0;
	r->header->denials_lost = 6;
	assert_null(take(r));
	assert_int_equal(denials_lost(r->list), 10);
	assert_int_equal(denials_total(r->list), 10);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_the_reason_and_the_fix_are_ours),
		CLAIM(test_what_is_absent_on_the_host_is_no_denial),
		CLAIM(test_what_the_policy_allows_keeps_the_programs_words_alone),
		CLAIM(test_a_moment_outside_of_the_run_is_not_known),
		CLAIM(test_frames_and_script_are_taken_over),
		CLAIM(test_the_lost_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
