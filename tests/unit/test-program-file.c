/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that a program named: opened only where it could read them, and only when they are files. */
#include "launcher/program_file.h"

#include "policy/compile.h"

#include <errno.h>
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
	char folder[64], granted[96], file[128], outside[96], link[128], fifo[128];
	struct policy_block *block;
};

static void write_file(const char *path)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs("text", f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	struct policy *policy = policy_new();

	strcpy(p->folder, "/var/tmp/test-program-file-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->granted, sizeof(p->granted), "%s/granted", p->folder);
	snprintf(p->file, sizeof(p->file), "%s/file", p->granted);
	snprintf(p->link, sizeof(p->link), "%s/link", p->granted);
	snprintf(p->fifo, sizeof(p->fifo), "%s/fifo", p->granted);
	snprintf(p->outside, sizeof(p->outside), "%s/outside", p->folder);
	assert_int_equal(mkdir(p->granted, 0700), 0);
	write_file(p->file);
	write_file(p->outside);
	assert_int_equal(symlink(p->outside, p->link), 0);
	assert_int_equal(mkfifo(p->fifo, 0600), 0);
	assert_int_equal(policy_add_path(policy, p->granted, "/", PATH_READ, "--read"), 0);
	assert_int_equal(policy_compile(policy, &p->block), 0);
	policy_free(policy);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	unlink(p->link);
	unlink(p->fifo);
	unlink(p->file);
	unlink(p->outside);
	rmdir(p->granted);
	rmdir(p->folder);
	free(p->block);
	free(p);
	return 0;
}

static int open_inside(const struct place *p, const char *path)
{
	struct program_files files = { .block = p->block };
	int fd = program_file_open(&files, path);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static void test_a_file_that_the_program_could_read_is_opened(void **state)
{
	struct place *p = *state;

	assert_int_equal(open_inside(p, p->file), 0);
}

static void test_one_that_it_could_not_is_not(void **state)
{
	struct place *p = *state;
	struct program_files anywhere = { .block = p->block, .anywhere = true };
	int fd = program_file_open(&anywhere, p->outside);

	assert_int_equal(open_inside(p, p->outside), -EACCES);
	assert_true(fd >= 0);
	close(fd);
}

static void test_a_link_does_not_lead_out(void **state)
{
	struct place *p = *state;

	assert_int_equal(open_inside(p, p->link), -EACCES);
}

static void test_only_files_are_files(void **state)
{
	struct place *p = *state;
	struct program_files anywhere = { .anywhere = true };

	assert_int_equal(open_inside(p, p->fifo), -EINVAL);
	assert_int_equal(open_inside(p, p->granted), -EINVAL);
	assert_int_equal(open_inside(p, "file"), -EINVAL);
	assert_int_equal(open_inside(p, ""), -EINVAL);
	assert_int_equal(program_file_open(&anywhere, "/dev/zero"), -EINVAL);
}

static void test_what_exists_is_seen_without_following(void **state)
{
	struct place *p = *state;

	assert_true(program_file_exists(p->outside));
	assert_true(program_file_exists(p->link));
	unlink(p->outside);
	assert_true(program_file_exists(p->link));
	assert_false(program_file_exists(p->outside));
	assert_false(program_file_exists("etc"));
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_a_file_that_the_program_could_read_is_opened),
		CLAIM(test_one_that_it_could_not_is_not),
		CLAIM(test_a_link_does_not_lead_out),
		CLAIM(test_only_files_are_files),
		CLAIM(test_what_exists_is_seen_without_following),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
