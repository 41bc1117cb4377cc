/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * empty_folder against what a hostile program can leave behind. Each test gets a fresh folder; what
 * must survive stands in a second one beside it. What needs root is skipped without it.
 */
#include "backends/empty.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534 };

struct fixture {
	char path[64];
	int top;     /* holds the two others */
	int fd;      /* what is emptied */
	int outside; /* what must survive: a file "secret" */
	struct empty_report report;
};

static void make_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
}

static int make_folder(int dir, const char *name, mode_t mode)
{
	int fd;

	assert_int_equal(mkdirat(dir, name, 0700), 0);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	return fd;
}

static void make_closed_folder(int dir, const char *name, mode_t mode)
{
	assert_int_equal(close(make_folder(dir, name, mode)), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->path, sizeof(f->path), "/tmp/test-empty-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->top = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->fd = make_folder(f->top, "work", 0700);
	f->outside = make_folder(f->top, "outside", 0700);
	make_file(f->outside, "secret");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	(void)empty_folder(f->top, &f->report);
	(void)close(f->fd);
	(void)close(f->outside);
	(void)close(f->top);
	(void)rmdir(f->path);
	free(f);
	return 0;
}

static void make_chain(int dir, int depth)
{
	int fd = dup(dir);

	for (int i = 0; i < depth; i++) {
		int next = make_folder(fd, "d", 0700);

		make_file(next, "f");
		assert_int_equal(close(fd), 0);
		fd = next;
	}
	assert_int_equal(close(fd), 0);
}

static void make_many(int dir, int count)
{
	char name[32];

	for (int i = 0; i < count; i++) {
		(void)snprintf(name, sizeof(name), "file-%d", i);
		make_file(dir, name);
	}
}

static int count_entries(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = -2;
	DIR *d = fdopendir(fd);

	assert_non_null(d);
	while (readdir(d))
		count++;
	assert_int_equal(closedir(d), 0);
	return count;
}

static void assert_secret_survives(const struct fixture *f)
{
	assert_int_equal(faccessat(f->outside, "secret", F_OK, 0), 0);
}

/* Runs in a child as an ordinary user, with few descriptors and a small stack: 0 = emptied. */
static int empty_as(uid_t uid, int fd)
{
	struct rlimit files = { 32, 32 };
	struct empty_report report;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setrlimit(RLIMIT_NOFILE, &files) < 0 || (geteuid() == 0 && setuid(uid) < 0))
			_exit(100);
		_exit(empty_folder(fd, &report) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void an_empty_folder_is_empty_at_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(f->report.removed, 0);
	assert_int_equal(f->report.left, 0);
}

static void a_folder_can_be_emptied_twice_through_one_descriptor(void **state)
{
	struct fixture *f = *state;

	make_many(f->fd, 3);
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	make_many(f->fd, 4);
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(f->report.removed, 4);
	assert_int_equal(count_entries(f->fd), 0);
}

static void a_tree_deeper_than_path_max_goes(void **state)
{
	struct fixture *f = *state;

	make_chain(f->fd, 10000);
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(f->report.removed, 20000);
	assert_int_equal(count_entries(f->fd), 0);
}

static void a_hundred_thousand_files_go(void **state)
{
	struct fixture *f = *state;

	make_many(f->fd, 50000);
	make_closed_folder(f->fd, "wide", 0700);
	int wide = openat(f->fd, "wide", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make_many(wide, 50000);
	assert_int_equal(close(wide), 0);
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(f->report.removed, 100001);
	assert_int_equal(count_entries(f->fd), 0);
}

static void few_descriptors_do_for_a_deep_tree_as_ordinary_user(void **state)
{
	struct fixture *f = *state;

	make_chain(f->fd, 300);
	assert_int_equal(empty_as(geteuid(), f->fd), 0);
	assert_int_equal(count_entries(f->fd), 0);
}

static void symlinks_are_removed_and_not_followed(void **state)
{
	struct fixture *f = *state;
	int deep = make_folder(f->fd, "deep", 0700), deeper = make_folder(deep, "deeper", 0700);

	assert_int_equal(symlinkat("../outside", f->fd, "a"), 0);
	assert_int_equal(symlinkat("../../outside", deep, "b"), 0);
	assert_int_equal(symlinkat("../../../outside", deeper, "c"), 0);
	assert_int_equal(symlinkat("loop", deeper, "loop"), 0);
	assert_int_equal(symlinkat("/", deeper, "d"), 0);
	assert_int_equal(close(deep) | close(deeper), 0);
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(count_entries(f->fd), 0);
	assert_secret_survives(f);
}

static void sockets_fifos_and_hard_links_go_without_blocking(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/work/socket", f->path);
	assert_int_equal(bind(s, (void *)&address, sizeof(address)), 0);
	assert_int_equal(close(s), 0);
	assert_int_equal(mkfifoat(f->fd, "fifo", 0600), 0);
	assert_int_equal(linkat(f->outside, "secret", f->fd, "link", 0), 0);
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(f->report.removed, 3);
	assert_secret_survives(f);
}

static void names_like_our_own_do_no_harm(void **state)
{
	struct fixture *f = *state;
	int used = make_folder(f->fd, ".e-0", 0700);

	make_file(f->fd, ".e-1");
	make_closed_folder(f->fd, ".e-2", 0700);
	make_chain(used, 5);
	make_chain(f->fd, 5);
	assert_int_equal(close(used), 0);
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(count_entries(f->fd), 0);
}

static void odd_names_go(void **state)
{
	struct fixture *f = *state;
	char name[256];

	memset(name, 'x', 255);
	name[255] = '\0';
	make_file(f->fd, name);
	make_file(f->fd, "a\nb");
	make_file(f->fd, "%s%n");
	make_file(f->fd, "\xff\xfe");
	make_file(f->fd, "...");
	make_file(f->fd, "..a");
	assert_int_equal(empty_folder(f->fd, &f->report), 0);
	assert_int_equal(f->report.removed, 6);
}

static void forbid_deep(int dir)
{
	int a = make_folder(dir, "a", 0700), b = make_folder(a, "b", 0700);
	int c = make_folder(b, "c", 0700), d = make_folder(c, "d", 0700);

	make_file(a, "f");
	make_file(c, "f");
	make_closed_folder(d, "empty", 0);
	assert_int_equal(fchmod(d, 0) | fchmod(c, 0) | fchmod(b, 0500) | fchmod(a, 0), 0);
	assert_int_equal(close(a) | close(b) | close(c) | close(d), 0);
}

static void chown_all(const struct fixture *f)
{
	char command[256];

	(void)snprintf(command, sizeof(command), "chown -R %d '%s/work' && chmod 711 '%s'", NOBODY,
		       f->path, f->path);
	assert_int_equal(system(command), 0);
}

static void folders_of_mode_000_go_as_ordinary_user(void **state)
{
	struct fixture *f = *state;

	forbid_deep(f->fd);
	if (geteuid() == 0)
		chown_all(f);
	assert_int_equal(empty_as(NOBODY, f->fd), 0);
	assert_int_equal(count_entries(f->fd), 0);
}

static void a_root_of_mode_000_is_repaired_as_ordinary_user(void **state)
{
	struct fixture *f = *state;

	make_chain(f->fd, 3);
	if (geteuid() == 0)
		chown_all(f);
	assert_int_equal(fchmod(f->fd, 0), 0);
	assert_int_equal(empty_as(NOBODY, f->fd), 0);
	assert_int_equal(count_entries(f->fd), 0);
}

static int set_immutable(int dir, const char *name, int is_immutable)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	int flags = is_immutable ? FS_IMMUTABLE_FL : 0;
	int r = ioctl(fd, FS_IOC_SETFLAGS, &flags);

	(void)close(fd);
	return r;
}

static void an_immutable_file_is_reported_and_the_rest_goes(void **state)
{
	struct fixture *f = *state;
	int deep = make_folder(f->fd, "deep", 0700), in = make_folder(deep, "in", 0700);

	make_many(f->fd, 10);
	make_file(in, "rock");
	make_file(in, "sand");
	if (set_immutable(in, "rock", 1) < 0)
		skip();
	int r = empty_folder(f->fd, &f->report);
	assert_int_equal(set_immutable(in, "rock", 0), 0);
	assert_int_equal(r, -EPERM);
	assert_int_equal(f->report.left, 1);
	assert_int_equal(f->report.first_error, -EPERM);
	assert_string_equal(f->report.first_left, "rock");
	assert_int_equal(f->report.removed, 12);
	assert_int_equal(close(deep) | close(in), 0);
}

static void below_an_immutable_folder_what_can_go_goes(void **state)
{
	struct fixture *f = *state;
	int deep = make_folder(f->fd, "deep", 0700), rock = make_folder(deep, "rock", 0700);
	int in = make_folder(rock, "in", 0700);

	make_chain(in, 30);
	if (set_immutable(deep, "rock", 1) < 0)
		skip();
	int r = empty_folder(f->fd, &f->report);
	int left = count_entries(in);
	assert_int_equal(set_immutable(rock, ".", 0), 0);
	assert_int_equal(r, -EPERM);
	assert_int_equal(f->report.left, 1);
	assert_string_equal(f->report.first_left, "in");
	assert_int_equal(left, 0);
	assert_int_equal(close(deep) | close(rock) | close(in), 0);
}

/* In a child with its own mount namespace: the error, or 100 when there can be no mounts here. */
static int empty_around_mount(const struct fixture *f, const char *source, unsigned long flags)
{
	char work[80], target[96];
	struct empty_report report;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		(void)snprintf(work, sizeof(work), "%s/work", f->path);
		(void)snprintf(target, sizeof(target), "%s/a/b/mnt", work);
		if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		    mount(source, target, "tmpfs", flags, NULL) < 0)
			_exit(100);
		/* Opened anew: the fixture's descriptors are in the namespace without the mount. */
		int fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (flags == 0)
			make_file(fd, "kept");
		int r = empty_folder(open(work, O_RDONLY | O_DIRECTORY | O_CLOEXEC), &report);
		_exit(report.left == 1 && !strcmp(report.first_left, "mnt") &&
				      count_entries(fd) == 1
			      ? -r
			      : 101);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void make_mount_point(const struct fixture *f)
{
	int a = make_folder(f->fd, "a", 0700), b = make_folder(a, "b", 0700);

	make_closed_folder(b, "mnt", 0700);
	make_file(b, "f");
	assert_int_equal(close(a) | close(b), 0);
}

static void a_mounted_file_system_is_not_entered(void **state)
{
	struct fixture *f = *state;

	make_mount_point(f);
	int r = empty_around_mount(f, "tmpfs", 0);
	if (r == 100)
		skip();
	assert_int_equal(r, EBUSY);
}

static void a_bind_mount_of_the_same_file_system_is_not_entered(void **state)
{
	struct fixture *f = *state;
	char source[128];

	(void)snprintf(source, sizeof(source), "%s/outside", f->path);
	make_mount_point(f);
	int r = empty_around_mount(f, source, MS_BIND);
	if (r == 100)
		skip();
	assert_int_equal(r, EBUSY);
	assert_secret_survives(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_folder_is_empty_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_folder_can_be_emptied_twice_through_one_descriptor,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_tree_deeper_than_path_max_goes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_hundred_thousand_files_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_descriptors_do_for_a_deep_tree_as_ordinary_user,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(symlinks_are_removed_and_not_followed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(sockets_fifos_and_hard_links_go_without_blocking,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_like_our_own_do_no_harm, set_up, tear_down),
		cmocka_unit_test_setup_teardown(odd_names_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(folders_of_mode_000_go_as_ordinary_user, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_root_of_mode_000_is_repaired_as_ordinary_user, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_immutable_file_is_reported_and_the_rest_goes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(below_an_immutable_folder_what_can_go_goes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_mounted_file_system_is_not_entered, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_bind_mount_of_the_same_file_system_is_not_entered,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
