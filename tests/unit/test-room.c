/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The room as a folder. In a root of its own it is the warden's: tests/e2e/explain.sh. */
#include "backends/room.h"

#include "policy/compile.h"
#include "shim/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* Behind what it needs. */
#include <cmocka.h>

struct place {
	char folder[64], room[80], policy[96], ring[96], shim[96];
	struct room_plan plan;
	struct policy_block *block;
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	struct policy *policy = policy_new();

	strcpy(p->folder, "/tmp/test-room-XXXXXX");
	if (!mkdtemp(p->folder) || policy_compile(policy, &p->block) < 0)
		return -1;
	policy_free(policy);
	snprintf(p->room, sizeof(p->room), "%s/room", p->folder);
	snprintf(p->policy, sizeof(p->policy), "%s/" RING_POLICY_NAME, p->room);
	snprintf(p->ring, sizeof(p->ring), "%s/" RING_FILE_NAME, p->room);
	snprintf(p->shim, sizeof(p->shim), "%s/" RING_SHIM_NAME, p->room);
	p->plan = (struct room_plan){ .shim = "/bin/true", .block = p->block, .folder = p->room };
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	unlink(p->policy);
	unlink(p->ring);
	unlink(p->shim);
	rmdir(p->room);
	rmdir(p->folder);
	free(p->block);
	free(p);
	return 0;
}

static void test_it_holds_policy_ring_and_library(void **state)
{
	struct place *p = *state;
	int ring = room_make(&p->plan);
	struct stat st;

	assert_true(ring >= 0);
	assert_int_equal(fstat(ring, &st), 0);
	assert_int_equal(st.st_size, RING_BYTES);
	assert_true(st.st_blocks < 64);
	assert_int_equal(stat(p->policy, &st), 0);
	assert_int_equal(st.st_size, p->block->size);
	assert_int_equal(st.st_mode & 07777, 0444);
	assert_int_equal(stat(p->shim, &st), 0);
	assert_int_equal(fcntl(ring, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(ring);
}

static void test_what_is_there_already_is_not_taken(void **state)
{
	struct place *p = *state;

	assert_int_equal(mkdir(p->room, 0700), 0);
	assert_int_equal(room_make(&p->plan), -EEXIST);
}

static void test_it_is_found_again(void **state)
{
	struct place *p = *state;
	struct room room;
	int ring = room_make(&p->plan);

	assert_int_equal(room_open(&p->plan, &room), 0);
	assert_true(room.folder >= 0 && room.ring >= 0 && room.shim >= 0);
	room_close(&room);
	room_close(&room);
	close(ring);
}

static void test_one_that_is_not_there_is_said(void **state)
{
	struct place *p = *state;
	struct room room;

	assert_true(room_open(&p->plan, &room) < 0);
	assert_int_equal(room.folder, -1);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_it_holds_policy_ring_and_library),
		CLAIM(test_what_is_there_already_is_not_taken),
		CLAIM(test_it_is_found_again),
		CLAIM(test_one_that_is_not_there_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
