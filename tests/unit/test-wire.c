/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages with descriptors: all arrive, or none; none is leaked. */
#include "backends/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* Behind what it needs. */
#include <cmocka.h>

static int set_up(void **state)
{
	int *ends = calloc(2, sizeof(*ends));

	*state = ends;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int tear_down(void **state)
{
	int *ends = *state;

	close(ends[0]);
	close(ends[1]);
	free(ends);
	return 0;
}

/* The lowest free number tells whether anything stayed open. */
static int next_number(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void test_a_message_brings_its_descriptors(void **state)
{
	const int *ends = *state;
	const int sent[2] = { 0, 2 };
	char data[4] = "";
	int came[3];

	assert_int_equal(wire_send(ends[0], "ab", 2, sent, 2), 0);
	assert_int_equal(wire_receive(ends[1], data, sizeof(data), came, 3), 2);
	assert_memory_equal(data, "ab", 2);
	assert_true(came[0] > 2 && came[1] > 2);
	assert_int_equal(came[2], -1);
	assert_int_equal(fcntl(came[0], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(came[0]);
	close(came[1]);
}

static void test_a_message_alone_brings_none(void **state)
{
	const int *ends = *state;
	char data[4];
	int came[1] = { 77 };

	assert_int_equal(wire_send(ends[0], "a", 1, NULL, 0), 0);
	assert_int_equal(wire_receive(ends[1], data, sizeof(data), came, 1), 1);
	assert_int_equal(came[0], -1);
}

static void test_more_than_wished_are_closed(void **state)
{
	const int *ends = *state;
	const int sent[2] = { 0, 2 };
	int before = next_number(), came[1];
	char data[4];

	assert_int_equal(wire_send(ends[0], "a", 1, sent, 2), 0);
	assert_int_equal(wire_receive(ends[1], data, sizeof(data), came, 1), 1);
	assert_int_equal(came[0], -1);
	assert_int_equal(next_number(), before);
}

static void test_an_end_that_is_gone_is_said(void **state)
{
	int *ends = *state;
	char data[4];

	close(ends[0]);
	assert_int_equal(wire_receive(ends[1], data, sizeof(data), NULL, 0), -EPIPE);
	assert_int_equal(wire_send(ends[1], "a", 1, NULL, 0), -EPIPE);
	ends[0] = dup(0);
}

static void test_too_many_are_not_sent(void **state)
{
	const int *ends = *state;
	const int sent[WIRE_FDS_MAX + 1] = { 0 };

	assert_int_equal(wire_send(ends[0], "a", 1, sent, WIRE_FDS_MAX + 1), -EINVAL);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_a_message_brings_its_descriptors),
		CLAIM(test_a_message_alone_brings_none),
		CLAIM(test_more_than_wished_are_closed),
		CLAIM(test_an_end_that_is_gone_is_said),
		CLAIM(test_too_many_are_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
