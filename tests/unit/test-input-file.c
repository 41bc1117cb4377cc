/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may be read whole, and what is refused without waiting for it. */
#include "policy/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static int enter_folder(void **state)
{
	static char folder[32];

	snprintf(folder, sizeof(folder), "/tmp/input-XXXXXX");
	*state = mkdtemp(folder);
	return *state && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	(void)unlink("thing");
	(void)rmdir("thing");
	return chdir("/") == 0 ? rmdir(*state) : -1;
}

static void assert_refused(const char *path, int error, const char *words)
{
	const char *why = NULL;

	assert_int_equal(input_file_open(path, &why), error);
	assert_string_equal(why, words);
}

static void a_file_is_opened_and_waits_like_any(void **state)
{
	const char *why = NULL;
	int fd;

	(void)state;
	assert_int_equal(close(open("thing", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
	fd = input_file_open("thing", &why);
	assert_true(fd >= 0);
	assert_false(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(close(fd), 0);
}

static void what_is_missing_is_named_by_its_error(void **state)
{
	(void)state;
	assert_refused("thing", -ENOENT, "No such file or directory");
}

static void a_folder_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdir("thing", 0700), 0);
	assert_refused("thing", -EINVAL, "is a folder, where a file is expected");
}

static void a_fifo_is_refused_without_waiting(void **state)
{
	(void)state;
	assert_int_equal(mkfifo("thing", 0600), 0);
	assert_refused("thing", -EINVAL, "is a FIFO, where a file is expected");
}

static void a_socket_is_refused_by_its_kind(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "thing" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_refused("thing", -EINVAL, "is a socket, where a file is expected");
	assert_int_equal(close(fd), 0);
}

static void a_device_is_refused(void **state)
{
	(void)state;
	assert_refused("/dev/null", -EINVAL, "is a device, where a file is expected");
}

static void a_pipe_that_somebody_holds_is_opened(void **state)
{
	const char *why = NULL;
	char path[32];
	int ends[2], fd;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	fd = input_file_open(path, &why);
	assert_true(fd >= 0);
	assert_int_equal(close(fd) | close(ends[0]) | close(ends[1]), 0);
}

static void each_kind_has_a_name(void **state)
{
	(void)state;
	assert_null(input_file_kind(S_IFREG | 0644));
	assert_string_equal(input_file_kind(S_IFDIR | 0755), "a folder");
	assert_string_equal(input_file_kind(S_IFSOCK), "a socket");
	assert_string_equal(input_file_kind(S_IFBLK), "a device");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_file_is_opened_and_waits_like_any),
		IN_FOLDER(what_is_missing_is_named_by_its_error),
		IN_FOLDER(a_folder_is_refused),
		IN_FOLDER(a_fifo_is_refused_without_waiting),
		IN_FOLDER(a_socket_is_refused_by_its_kind),
		IN_FOLDER(a_device_is_refused),
		IN_FOLDER(a_pipe_that_somebody_holds_is_opened),
		cmocka_unit_test(each_kind_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
