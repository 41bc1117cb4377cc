/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How programs are told apart by their use of address space. */
#include "launcher/memory_need.h"

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

static enum memory_need need_of_script(const char *text)
{
	char path[] = "/tmp/stile-need-XXXXXX";
	_cleanup_fd_ int fd = mkstemp(path);
	enum memory_need need;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	need = memory_need_of(path);
	(void)unlink(path);
	return need;
}

static void plain_programs_are_plain(void **state)
{
	(void)state;
	assert_int_equal(memory_need_of("/bin/sh"), MEMORY_PLAIN);
	assert_int_equal(memory_need_of("/nowhere/at/all"), MEMORY_PLAIN);
}

static void names_decide_for_interpreters(void **state)
{
	(void)state;
	assert_int_equal(memory_need_of("/usr/bin/node"), MEMORY_RESERVES);
	assert_int_equal(memory_need_of("/usr/bin/java"), MEMORY_MAPS);
}

static void a_script_is_what_interprets_it(void **state)
{
	(void)state;
	assert_int_equal(need_of_script("#!/usr/bin/env -S node --x\n"), MEMORY_RESERVES);
	assert_int_equal(need_of_script("#! /opt/node\n"), MEMORY_RESERVES);
	assert_int_equal(need_of_script("#!/bin/sh\nnode\n"), MEMORY_PLAIN);
	assert_int_equal(need_of_script("#!\n"), MEMORY_PLAIN);
	assert_int_equal(need_of_script("#!/usr/bin/env\n"), MEMORY_PLAIN);
}

/* This very test is one where it is built with a sanitizer. */
static void a_sanitizer_build_is_told_by_its_symbols(void **state)
{
#if defined(__SANITIZE_ADDRESS__)
	const enum memory_need wanted = MEMORY_SHADOWS;
#else
	const enum memory_need wanted = MEMORY_PLAIN;
#endif

	(void)state;
	assert_int_equal(memory_need_of("/proc/self/exe"), wanted);
}

static void a_damaged_file_is_plain(void **state)
{
	(void)state;
	assert_int_equal(need_of_script("\177ELF\2\1\1garbage"), MEMORY_PLAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_programs_are_plain),
		cmocka_unit_test(names_decide_for_interpreters),
		cmocka_unit_test(a_script_is_what_interprets_it),
		cmocka_unit_test(a_sanitizer_build_is_told_by_its_symbols),
		cmocka_unit_test(a_damaged_file_is_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
