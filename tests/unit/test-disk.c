/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bounded look at a run folder. */
#include "launcher/disk.h"

#include "backends/cleanup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
	char path[64];
	int fd;
	struct disk_watch watch;
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	(void)snprintf(p->path, sizeof(p->path), "/tmp/stile-disk-XXXXXX");
	assert_non_null(mkdtemp(p->path));
	p->fd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	disk_watch_begin(&p->watch, p->fd);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	char command[128];

	disk_watch_end(&p->watch);
	(void)close(p->fd);
	(void)snprintf(command, sizeof(command), "rm -rf %s", p->path);
	free(p);
	return system(command) == 0 ? 0 : -1;
}

static void write_file(int folder, const char *name, size_t kb)
{
	_cleanup_fd_ int fd = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	const char block[1024] = { 1 };

	for (size_t i = 0; i < kb; i++)
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
}

static void write_files(int folder, int count)
{
	char name[16];

	for (int i = 0; i < count; i++) {
		(void)snprintf(name, sizeof(name), "f%d", i);
		write_file(folder, name, 0);
	}
}

static void a_file_over_the_limit_is_seen(void **state)
{
	struct place *p = *state;

	write_file(p->fd, "big", 256);
	assert_true(disk_watch_look(&p->watch, 100, 100 * 1024, UINT64_MAX));
}

static void a_file_within_it_is_not(void **state)
{
	struct place *p = *state;

	write_file(p->fd, "small", 16);
	assert_false(disk_watch_look(&p->watch, 100, 100 * 1024, UINT64_MAX));
}

static void a_sparse_file_counts_what_it_takes(void **state)
{
	struct place *p = *state;

	write_file(p->fd, "sparse", 1);
	assert_int_equal(truncate(strcat(p->path, "/sparse"), 1 << 30), 0);
	*strrchr(p->path, '/') = 0;
	assert_false(disk_watch_look(&p->watch, 100, 100 * 1024, UINT64_MAX));
}

static void inodes_are_counted_with_folders(void **state)
{
	struct place *p = *state;

	write_files(p->fd, 9);
	assert_int_equal(mkdirat(p->fd, "d", 0700), 0);
	assert_false(disk_watch_look(&p->watch, 100, UINT64_MAX, 10));
	disk_watch_end(&p->watch);
	assert_true(disk_watch_look(&p->watch, 100, UINT64_MAX, 9));
}

static void a_look_goes_on_where_the_last_one_stopped(void **state)
{
	struct place *p = *state;

	write_files(p->fd, 30);
	assert_false(disk_watch_look(&p->watch, 10, UINT64_MAX, 25));
	assert_false(disk_watch_look(&p->watch, 10, UINT64_MAX, 25));
	assert_true(disk_watch_look(&p->watch, 10, UINT64_MAX, 25));
}

static void no_link_is_followed(void **state)
{
	struct place *p = *state;

	assert_int_equal(symlinkat("/usr", p->fd, "link"), 0);
	assert_false(disk_watch_look(&p->watch, 1000, UINT64_MAX, 2));
}

static void a_depth_to_hide_in_is_over_the_limit(void **state)
{
	struct place *p = *state;
	int fd = dup(p->fd);

	for (int i = 0; i < DISK_DEPTH + 2; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "d", 0700), 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		(void)close(fd);
		fd = next;
	}
	(void)close(fd);
	assert_true(disk_watch_look(&p->watch, 1000, UINT64_MAX, UINT64_MAX - 1));
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(a_file_over_the_limit_is_seen),
		ROW(a_file_within_it_is_not),
		ROW(a_sparse_file_counts_what_it_takes),
		ROW(inodes_are_counted_with_folders),
		ROW(a_look_goes_on_where_the_last_one_stopped),
		ROW(no_link_is_followed),
		ROW(a_depth_to_hide_in_is_over_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
