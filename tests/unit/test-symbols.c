/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for addresses: of this very program, and of files that are none. */
#include "launcher/symbols.h"

#include "backends/cleanup.h"
#include "launcher/program_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* Behind what it needs. */
#include <cmocka.h>

static int open_it(void *ctx, const char *path)
{
	struct program_files files = { .anywhere = true };

	return *(bool *)ctx ? -EACCES : program_file_open(&files, path);
}

/* The load bias of the object this address is in. */
static uint64_t bias_of(const void *address)
{
	struct link_map *map = NULL;
	Dl_info info;

	assert_int_not_equal(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
	return map->l_addr;
}

__attribute__((noinline)) static int a_local_function_of_ours(int x)
{
	return x * 7 + getpid();
}

static struct denial_frame frame_of(const char *module, const void *address, uint64_t bias)
{
	struct denial_frame f = { .offset = (uint64_t)(uintptr_t)address - bias };
	snprintf(f.module, sizeof(f.module), "%s", module);
	return f;
}

static void own_path(char out[256])
{
	ssize_t n = readlink("/proc/self/exe", out, 255);

	assert_true(n > 0);
	out[n] = 0;
}

static void test_a_static_function_has_its_name(void **state)
{
	bool denied = false;
	struct symbols *s = symbols_new(open_it, &denied);
	struct denial_frame f;
	char path[256];

	(void)state;
	own_path(path);
	f = frame_of(path, (const char *)a_local_function_of_ours + 1,
		     bias_of(a_local_function_of_ours));
	symbols_name(s, &f);
	assert_string_equal(f.symbol, "a_local_function_of_ours");
	assert_int_equal(f.symbol_offset, 1);
	symbols_free(s);
}

static void test_a_library_without_symbol_table_gives_its_dynamic_ones(void **state)
{
	bool denied = false;
	struct symbols *s = symbols_new(open_it, &denied);
	const void *at = dlsym(RTLD_DEFAULT, "getpid");
	struct denial_frame f;
	Dl_info info;

	(void)state;
	assert_non_null(at);
	assert_int_not_equal(dladdr(at, &info), 0);
	f = frame_of(info.dli_fname, (const char *)at + 1, (uint64_t)(uintptr_t)info.dli_fbase);
	symbols_name(s, &f);
	assert_non_null(strstr(f.symbol, "getpid"));
	symbols_free(s);
}

static void test_what_may_not_be_read_stays_a_number(void **state)
{
	bool denied = true;
	struct symbols *s = symbols_new(open_it, &denied);
	struct denial_frame f;
	char path[256];

	(void)state;
	own_path(path);
	f = frame_of(path, a_local_function_of_ours, bias_of(a_local_function_of_ours));
	symbols_name(s, &f);
	assert_string_equal(f.symbol, "");
	symbols_free(s);
}

static void test_files_that_are_none_name_nothing(void **state)
{
	static const char *const paths[] = { "/dev/zero", "/etc/passwd", "/nowhere", "relative", "",
					     "/proc/self/mem", "/" };
	bool denied = false;
	struct symbols *s = symbols_new(open_it, &denied);

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct denial_frame f = frame_of(paths[i], (void *)0x1234, 0);

		symbols_name(s, &f);
		assert_string_equal(f.symbol, "");
	}
	symbols_free(s);
}

static void test_more_files_than_there_is_room_for_name_nothing(void **state)
{
	bool denied = false;
	struct symbols *s = symbols_new(open_it, &denied);

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct denial_frame f = { .offset = 4 };

		snprintf(f.module, sizeof(f.module), "/nowhere/%d", i);
		symbols_name(s, &f);
		assert_string_equal(f.symbol, "");
	}
	symbols_free(s);
}

/* A copy of this program in which one byte in `step` is another. */
static void write_damaged(const char *path, unsigned step)
{
	_cleanup_file_ FILE *in = fopen("/proc/self/exe", "re");
	_cleanup_file_ FILE *out = fopen(path, "we");
	unsigned at = 0;
	int c;

	assert_true(in && out);
	while ((c = fgetc(in)) != EOF)
		(void)fputc(++at % step ? c : c ^ 0xff, out);
}

static void test_damaged_files_do_no_harm(void **state)
{
	char folder[] = "/tmp/test-symbols-XXXXXX", path[64];
	bool denied = false;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/damaged", folder);
	for (unsigned step = 61; step < 4000; step = step * 5 / 3) {
		struct symbols *s = symbols_new(open_it, &denied);
		struct denial_frame f = frame_of(path, (void *)0x2345, 0);

		write_damaged(path, step);
		symbols_name(s, &f);
		assert_non_null(memchr(f.symbol, 0, sizeof(f.symbol)));
		symbols_free(s);
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_static_function_has_its_name),
		cmocka_unit_test(test_a_library_without_symbol_table_gives_its_dynamic_ones),
		cmocka_unit_test(test_what_may_not_be_read_stays_a_number),
		cmocka_unit_test(test_files_that_are_none_name_nothing),
		cmocka_unit_test(test_more_files_than_there_is_room_for_name_nothing),
		cmocka_unit_test(test_damaged_files_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
