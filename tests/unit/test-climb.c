/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths of descriptors without /proc, against those that made them. */
#include "shim/climb.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char base[] = "/tmp/stile-climb-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(base) || chdir(base) || mkdir("a", 0700) || mkdir("a/b", 0700) ||
	       mkdir("a/b/c", 0700) || mkdir("other", 0700);
}

static int tear_down(void **state)
{
	(void)state;
	return chdir(base) || rmdir("a/b/c") || rmdir("a/b") || rmdir("a") ||
	       rmdir("other") || chdir("/") || rmdir(base);
}

static void assert_climbs(const char *path, const char *wanted)
{
	struct resolved found = { .exists = false };
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(climb_to_path(fd, &found), 0);
	assert_string_equal(found.path, wanted);
	assert_true(found.exists);
	assert_int_equal(close(fd), 0);
}

static void a_folder_below_the_working_one_has_its_path(void **state)
{
	char wanted[128];

	(void)state;
	assert_int_equal(chdir(base), 0);
	snprintf(wanted, sizeof(wanted), "%s/a/b/c", base);
	assert_climbs("a/b/c", wanted);
}

static void the_working_folder_has_its_path(void **state)
{
	(void)state;
	assert_int_equal(chdir(base), 0);
	assert_climbs(".", base);
}

static void a_folder_beside_the_working_one_has_its_path(void **state)
{
	char wanted[128];

	(void)state;
	assert_int_equal(chdir(base) || chdir("a/b/c"), 0);
	snprintf(wanted, sizeof(wanted), "%s/other", base);
	assert_climbs("../../../other", wanted);
}

static void names_below_the_root_have_one_slash(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	assert_climbs("/usr/bin", "/usr/bin");
}

static void the_root_is_a_slash(void **state)
{
	(void)state;
	assert_climbs("/", "/");
}

static void what_is_no_folder_has_no_path(void **state)
{
	struct resolved found;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(climb_to_path(fd, &found), -ENOTDIR);
	assert_int_equal(close(fd), 0);
	assert_int_equal(climb_to_path(fd, &found), -EBADF);
}

static void a_removed_folder_has_no_path(void **state)
{
	struct resolved found;
	int fd;

	(void)state;
	assert_int_equal(chdir(base) || mkdir("gone", 0700), 0);
	fd = open("gone", O_PATH | O_CLOEXEC);
	assert_int_equal(rmdir("gone"), 0);
	assert_true(climb_to_path(fd, &found) < 0);
	assert_int_equal(close(fd), 0);
}

/* The next free number tells. */
static void no_descriptor_is_left_open(void **state)
{
	struct resolved found;
	int fd = open("/usr", O_PATH | O_CLOEXEC), before = dup(fd), after;

	(void)state;
	assert_int_equal(close(before), 0);
	assert_int_equal(climb_to_path(fd, &found), 0);
	after = dup(fd);
	assert_int_equal(after, before);
	assert_int_equal(close(after) || close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_below_the_working_one_has_its_path),
		cmocka_unit_test(the_working_folder_has_its_path),
		cmocka_unit_test(a_folder_beside_the_working_one_has_its_path),
		cmocka_unit_test(names_below_the_root_have_one_slash),
		cmocka_unit_test(the_root_is_a_slash),
		cmocka_unit_test(what_is_no_folder_has_no_path),
		cmocka_unit_test(a_removed_folder_has_no_path),
		cmocka_unit_test(no_descriptor_is_left_open),
	};

	return cmocka_run_group_tests_name("climb", tests, set_up, tear_down);
}
