/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shim's library: what cannot serve is named. */
#include "launcher/shim_file.h"

#include <elf.h>
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

struct made {
	char path[64], why[256];
};

static int set_up(void **state)
{
	struct made *m = calloc(1, sizeof(*m));

	strcpy(m->path, "/tmp/test-shim-file-XXXXXX");
	close(mkstemp(m->path));
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	struct made *m = *state;

	unlink(m->path);
	free(m);
	return 0;
}

static int check_header(struct made *m, unsigned char class, unsigned machine, unsigned type)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class },
			      .e_machine = (Elf64_Half)machine,
			      .e_type = (Elf64_Half)type };
	FILE *f = fopen(m->path, "we");

	assert_int_equal(fwrite(&header, sizeof(header), 1, f), 1);
	assert_int_equal(fclose(f), 0);
	return shim_file_check(m->path, m->why, sizeof(m->why));
}

#if defined(__aarch64__)
#define OURS EM_AARCH64
#else
#define OURS EM_X86_64
#endif

static void test_a_library_of_this_machine_serves(void **state)
{
	assert_int_equal(check_header(*state, ELFCLASS64, OURS, ET_DYN), 0);
}

static void test_others_are_named_with_what_is_wrong(void **state)
{
	struct made *m = *state;

	assert_int_equal(check_header(m, ELFCLASS32, OURS, ET_DYN), -ENOEXEC);
	assert_non_null(strstr(m->why, "another word size"));
	assert_int_equal(check_header(m, ELFCLASS64, EM_S390, ET_DYN), -ENOEXEC);
	assert_non_null(strstr(m->why, "another machine"));
	assert_int_equal(check_header(m, ELFCLASS64, OURS, ET_REL), -ENOEXEC);
	assert_non_null(strstr(m->why, "no shared library"));
	assert_non_null(strstr(m->why, m->path));
}

static void test_a_short_file_is_none(void **state)
{
	struct made *m = *state;

	assert_int_equal(truncate(m->path, 0), 0);
	assert_int_equal(shim_file_check(m->path, m->why, sizeof(m->why)), -ENOEXEC);
	assert_non_null(strstr(m->why, "no ELF file"));
}

static void test_a_missing_one_is_said(void **state)
{
	struct made *m = *state;

	assert_int_equal(shim_file_check("/no/such/library", m->why, sizeof(m->why)), -ENOENT);
	assert_non_null(strstr(m->why, "No such file"));
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_a_library_of_this_machine_serves),
		CLAIM(test_others_are_named_with_what_is_wrong),
		CLAIM(test_a_short_file_is_none),
		CLAIM(test_a_missing_one_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
