/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The root a program sees, built for real: each claim in a child with namespaces of its own, which
 * answers by an errno. A host that gives none skips with that reason.
 */
#include "backends/empty.h"
#include "backends/root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NO_NAMESPACES 250
#define NOT_BUILT 251

struct fixture {
	char base[64], open[96], closed[128], shut[96], point[96], work[96];
	struct policy *policy;
};

static void make_folder(char *path, size_t size, const char *above, const char *name)
{
	snprintf(path, size, "%s/%s", above, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void make_file(const char *folder, const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
}

/* open/ writable, open/closed/ denied, shut/ readable; point/ and work/ as a session has them. */
static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->base, sizeof(f->base), "/tmp/test-root-XXXXXX");
	assert_non_null(mkdtemp(f->base));
	make_folder(f->open, sizeof(f->open), f->base, "open");
	make_folder(f->closed, sizeof(f->closed), f->open, "closed");
	make_folder(f->shut, sizeof(f->shut), f->base, "shut");
	make_folder(f->point, sizeof(f->point), f->base, "point");
	make_folder(f->work, sizeof(f->work), f->base, "work");
	make_file(f->closed, "secret");
	make_file(f->shut, "text");
	make_file(f->base, "outside");
	f->policy = policy_new();
	assert_int_equal(policy_add_path(f->policy, f->open, NULL, PATH_READ | PATH_WRITE, "test"),
			 0);
	assert_int_equal(policy_add_path(f->policy, f->closed, NULL, PATH_DENY, "test"), 0);
	assert_int_equal(policy_add_path(f->policy, f->shut, NULL, PATH_READ, "test"), 0);
	assert_int_equal(policy_add_path(f->policy, "/dev/null", NULL, PATH_READ | PATH_WRITE,
					 "test"),
			 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	struct empty_report report;
	int fd = open(f->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)empty_folder(fd, &report);
	(void)close(fd);
	(void)rmdir(f->base);
	policy_free(f->policy);
	free(f);
	return 0;
}

static int write_map(const char *path, unsigned id)
{
	char text[64];
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int n = snprintf(text, sizeof(text), "%u %u 1\n", id, id);

	return fd < 0 || write(fd, text, (size_t)n) != n;
}

static int enter_namespaces(void)
{
	unsigned uid = geteuid(), gid = getegid();
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -1;
	fd = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)!write(fd, "deny", 4);
	return write_map("/proc/self/uid_map", uid) || write_map("/proc/self/gid_map", gid) ? -1 :
											       0;
}

/* What `look` answers in the new root. */
static int inside(const struct fixture *f, int (*look)(const struct fixture *f))
{
	struct root_plan plan = { .policy = f->policy, .mount_point = f->point, .work = f->work };
	const char *step;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (enter_namespaces() < 0)
			_exit(NO_NAMESPACES);
		if (root_build(&plan, &step) < 0)
			_exit(NOT_BUILT);
		_exit(look(f));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_NAMESPACES)
		skip();
	return WEXITSTATUS(status);
}

static int error_of(int r)
{
	return r < 0 ? errno : 0;
}

static int make_below(const char *folder)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/new", folder);
	return error_of(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static int stat_etc(const struct fixture *f)
{
	struct stat st;

	(void)f;
	return error_of(stat("/etc/passwd", &st));
}

static int stat_outside(const struct fixture *f)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/outside", f->base);
	return error_of(stat(path, &st));
}

static int stat_old_root(const struct fixture *f)
{
	struct stat st;

	(void)f;
	return chdir("/..") < 0 ? errno : error_of(stat("etc/passwd", &st));
}

static int read_shut(const struct fixture *f)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/text", f->shut);
	return error_of(open(path, O_RDONLY | O_CLOEXEC));
}

static int write_shut(const struct fixture *f)
{
	return make_below(f->shut);
}

static int write_open(const struct fixture *f)
{
	return make_below(f->open);
}

static int write_work(const struct fixture *f)
{
	return make_below(f->work);
}

static int write_top(const struct fixture *f)
{
	(void)f;
	return make_below("");
}

static int stat_closed(const struct fixture *f)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof(path), "%s/secret", f->closed);
	return error_of(stat(path, &st));
}

static int rename_closed(const struct fixture *f)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/moved", f->open);
	return error_of(rename(f->closed, path));
}

static int write_null(const struct fixture *f)
{
	(void)f;
	return error_of(open("/dev/null", O_WRONLY | O_CLOEXEC));
}

static void what_the_policy_does_not_name_is_not_there(void **state)
{
	assert_int_equal(inside(*state, stat_etc), ENOENT);
	assert_int_equal(inside(*state, stat_outside), ENOENT);
}

static void the_old_root_is_gone(void **state)
{
	assert_int_equal(inside(*state, stat_old_root), ENOENT);
}

static void readable_is_not_writable(void **state)
{
	assert_int_equal(inside(*state, read_shut), 0);
	assert_int_equal(inside(*state, write_shut), EROFS);
}

static void writable_places_are_writable(void **state)
{
	assert_int_equal(inside(*state, write_open), 0);
	assert_int_equal(inside(*state, write_work), 0);
}

static void the_top_is_read_only(void **state)
{
	assert_int_equal(inside(*state, write_top), EROFS);
}

static void a_denied_folder_is_covered_and_stays(void **state)
{
	int seen = inside(*state, stat_closed);

	assert_true(seen == ENOENT || seen == EACCES);
	assert_int_equal(inside(*state, rename_closed), EBUSY);
}

static void a_device_file_stays_one(void **state)
{
	assert_int_equal(inside(*state, write_null), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_the_policy_does_not_name_is_not_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_old_root_is_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(readable_is_not_writable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(writable_places_are_writable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_top_is_read_only, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_denied_folder_is_covered_and_stays, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_device_file_stays_one, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
