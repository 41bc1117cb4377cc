/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unwinder against libc's own backtrace(), and against tables and stacks that lie. */
#include "shim/cfi.h"
#include "shim/peek.h"
#include "shim/shim.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define DEPTH 64

/* What both walkers saw from one place. */
static struct seen {
	struct ring_frame frames[DEPTH];
	unsigned count;
	void *truth[DEPTH];
	int truths;
} seen;

/* As a hook would: its own caller is frame 0. */
__attribute__((noinline)) static void hook(void)
{
	seen.truths = backtrace(seen.truth, DEPTH);
	seen.count = unwind_frames(__builtin_return_address(0),
				   __builtin_frame_address(0), seen.frames, DEPTH);
}

static void assert_same_frames(void)
{
	int first = 0; /* backtrace() counts hook() too, and a sanitizer's wrapper of itself */

	while (first < seen.truths && (uintptr_t)seen.truth[first] != seen.frames[0].address)
		first++;
	assert_in_range(first, 1, 2);
	assert_true(seen.count > 3);
	assert_int_equal(seen.count, seen.truths - first);
	for (unsigned i = 0; i < seen.count; i++)
		assert_true(seen.frames[i].address == (uintptr_t)seen.truth[first + (int)i]);
}

/* --- honest programs ---------------------------------------------------------------- */

/* A frame whose size nobody knows before. */
__attribute__((noinline)) static void dig(int depth)
{
	char *room = __builtin_alloca((size_t)depth * 40 + 16);

	room[0] = (char)depth;
	if (depth)
		dig(depth - 1);
	else
		hook();
	__asm__ volatile("" : : "r"(room) : "memory");
}

static int compare(const void *a, const void *b)
{
	dig(2);
	return *(const char *)a - *(const char *)b;
}

/* lfind: it calls back, and no sanitizer puts itself in its place. */
static void search(void)
{
	size_t count = 1;

	(void)lfind("a", "b", &count, 1, compare);
}

static void frames_are_those_of_backtrace(void **state)
{
	(void)state;
	dig(5);
	assert_same_frames();
}

static void frames_lead_through_libc(void **state)
{
	(void)state;
	search();
	assert_same_frames();
}

static void on_signal(int number)
{
	(void)number;
	dig(1);
}

static void frames_lead_through_a_signal_handler(void **state)
{
	(void)state;
	(void)signal(SIGUSR1, on_signal);
	(void)raise(SIGUSR1);
	assert_same_frames();
}

static void frames_lead_from_an_alternate_stack_to_the_other(void **state)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	(void)state;
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	assert_int_equal(sigaction(SIGUSR2, &act, NULL), 0);
	(void)raise(SIGUSR2);
	stack.ss_flags = SS_DISABLE;
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	free(stack.ss_sp);
	assert_same_frames();
}

static void a_frame_names_its_module_and_the_offset_in_it(void **state)
{
	Dl_info libc;
	unsigned i = 0;

	(void)state;
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "lfind"), &libc));
	search();
	while (i < seen.count && !strstr(seen.frames[i].module, "libc"))
		i++;
	assert_true(i < seen.count);
	assert_string_equal(seen.frames[i].module, libc.dli_fname);
	assert_int_equal(seen.frames[i].offset,
			 seen.frames[i].address - (uintptr_t)libc.dli_fbase);
}

static void no_more_frames_are_written_than_there_is_room_for(void **state)
{
	struct ring_frame frames[3] = { { .address = 0 } };

	(void)state;
	assert_int_equal(unwind_frames(__builtin_return_address(0),
				       __builtin_frame_address(0), frames, 2),
			 2);
	assert_int_equal(frames[2].address, 0);
}

static void without_a_frame_the_caller_alone_is_told(void **state)
{
	struct ring_frame frames[4];

	(void)state;
	assert_int_equal(unwind_frames(__builtin_return_address(0), NULL, frames, 4), 1);
	assert_ptr_equal((void *)(uintptr_t)frames[0].address,
			 __builtin_return_address(0));
}

static void a_caller_that_never_called_is_told_alone(void **state)
{
	struct ring_frame frames[4] = { { .address = 0 } };

	(void)state;
	assert_int_equal(unwind_frames(&frames, __builtin_frame_address(0), frames, 4),
			 1);
	assert_string_equal(frames[0].module, "[unknown]");
}

/* --- memory that is not there ------------------------------------------------------- */

static uintptr_t map_two_pages(int second)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(mprotect(at + page, page, second), 0);
	return (uintptr_t)at + page;
}

static void what_cannot_be_read_is_not_read(void **state)
{
	uintptr_t edge = map_two_pages(PROT_NONE);
	struct peek peek = { { 0 } };
	uint64_t value;

	(void)state;
	assert_true(peek_read(&peek, edge - 8, &value, 8));
	assert_false(peek_read(&peek, edge - 4, &value, 8));
	assert_false(peek_read(&peek, edge, &value, 1));
	assert_false(peek_read(&peek, 0, &value, 8));
	assert_false(peek_read(&peek, 0x7000000000000000u, &value, 8));
	assert_false(peek_can_read(&peek, UINTPTR_MAX - 2, 8));
}

static void a_number_that_never_ends_ends_at_the_edge(void **state)
{
	uintptr_t edge = map_two_pages(PROT_NONE);
	struct peek peek = { { 0 } };
	struct cursor c = { &peek, edge - 6, edge + 4096, false };

	(void)state;
	memset((void *)(edge - 6), 0xff, 6);
	(void)cursor_uleb(&c);
	assert_true(c.is_bad);
}

/* --- tables that lie ---------------------------------------------------------------- */

/* This program's unwind tables, copied: all their pointers are relative, so the copy is
 * about code that lies `shift` farther. */
struct copy {
	struct fde_tables tables;
	uintptr_t pc, end;
	size_t size;
};

/* No object of ours, so no sanitizer may judge it. */
__attribute__((no_sanitize("address"))) static void copy_bytes(char *to, uintptr_t from,
							       size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = ((const volatile char *)from)[i];
}

static void copy_tables(struct copy *out)
{
	struct dl_find_object found;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), from;
	uintptr_t header, last;
	char *to;

	assert_int_equal(_dl_find_object((void *)(uintptr_t)dig, &found), 0);
	header = (uintptr_t)found.dlfo_eh_frame;
	from = header & ~(page - 1);
	last = ((uintptr_t)found.dlfo_map_end) & ~(page - 1);
	/* the tables' own segment: up to where reading stops */
	for (struct peek peek = { { 0 } };
	     out->size < last - from && peek_can_read(&peek, from + out->size, 1);
	     out->size += page)
		;
	to = mmap(NULL, out->size + page, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(to, MAP_FAILED);
	copy_bytes(to, from, out->size);
	assert_int_equal(mprotect(to + out->size, page, PROT_NONE), 0);
	out->end = (uintptr_t)to + out->size;
	out->pc = (uintptr_t)dig + 1 + ((uintptr_t)to - from);
	out->tables = (struct fde_tables){ .low = (uintptr_t)to,
					   .high = out->end,
					   .header = header + ((uintptr_t)to - from) };
}

static void tables_can_be_read_from_a_copy(void **state)
{
	struct copy copy = { .size = 0 };
	struct peek peek = { { 0 } };
	struct fde fde;

	(void)state;
	copy_tables(&copy);
	assert_true(fde_find(&peek, &copy.tables, copy.pc, &fde));
	assert_int_equal(fde.start, copy.pc - 1);
}

/* How many of all places to cut at still give the right answer; a wrong one fails. */
static unsigned cut_everywhere(struct copy *copy)
{
	unsigned right = 0;

	for (uintptr_t high = copy->tables.header; high < copy->end; high += 7) {
		struct fde_tables cut = copy->tables;
		struct peek peek = { { 0 } };
		struct fde fde;

		cut.high = high;
		if (!fde_find(&peek, &cut, copy->pc, &fde))
			continue;
		assert_int_equal(fde.start, copy->pc - 1);
		right++;
	}
	return right;
}

static void a_truncated_table_is_none(void **state)
{
	struct copy copy = { .size = 0 };
	struct peek peek = { { 0 } };
	struct fde_tables cut;
	struct fde fde;

	(void)state;
	copy_tables(&copy);
	cut = copy.tables;
	cut.high = cut.header + 11;
	assert_false(fde_find(&peek, &cut, copy.pc, &fde));
	assert_true(cut_everywhere(&copy) < (copy.end - copy.tables.header) / 7);
}

/* The table says there is more of it than there is: the page behind is not readable. */
static void a_table_longer_than_its_mapping_faults_nobody(void **state)
{
	struct copy copy = { .size = 0 };
	struct peek peek = { { 0 } };
	struct fde fde;
	uint32_t count = 0x1fffffff;

	(void)state;
	copy_tables(&copy);
	memcpy((char *)copy.tables.header + 8, &count, sizeof(count));
	copy.tables.high = UINTPTR_MAX;
	assert_false(fde_find(&peek, &copy.tables, UINTPTR_MAX / 2, &fde));
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Walks with scribbled tables; only that it comes back is claimed. */
static void scribble(const struct copy *copy, uint32_t seed)
{
	char *bytes = (char *)copy->tables.header;
	size_t size = copy->end - copy->tables.header;
	struct peek peek = { { 0 } };
	struct registers r = { .pc = copy->pc, .is_signal = true };
	struct fde fde;

	for (unsigned i = 0; i < 64; i++)
		bytes[next_random(&seed) % size] = (char)next_random(&seed);
	r.known = ~0ull >> (64 - CFI_COLUMNS);
	for (unsigned i = 0; i < CFI_COLUMNS; i++)
		r.value[i] = i & 1 ? (uintptr_t)&r : next_random(&seed);
	if (fde_find(&peek, &copy->tables, copy->pc, &fde))
		(void)cfi_step(&peek, &fde, &r);
}

static void scribbled_tables_fault_nobody(void **state)
{
	struct copy copy = { .size = 0 };

	(void)state;
	copy_tables(&copy);
	for (uint32_t seed = 1; seed <= 3000; seed++)
		scribble(&copy, seed);
}

/* Instructions and expressions alone, of any bytes at all. */
static void run_random_instructions(uint32_t seed)
{
	unsigned char bytes[96];
	struct peek peek = { { 0 } };
	struct registers r = { .pc = 1000, .is_signal = true, .known = 0x1ffff };
	struct fde fde = { .start = 900,
			   .end = 1100,
			   .code_align = 1,
			   .data_align = -8,
			   .return_column = CFI_RETURN };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)next_random(&seed);
	for (unsigned i = 0; i < CFI_COLUMNS; i++)
		r.value[i] = (uintptr_t)bytes + i;
	fde.common = (struct cursor){ &peek, (uintptr_t)bytes, (uintptr_t)bytes + 8,
				      false };
	fde.own = (struct cursor){ &peek, (uintptr_t)bytes + 8, (uintptr_t)bytes + 96,
				   false };
	bytes[0] = 0x0c; /* a CFA to begin with, so that more is reached */
	bytes[1] = CFI_SP;
	memset(bytes + 2, 0, 6);
	(void)cfi_step(&peek, &fde, &r);
}

static void random_instructions_fault_nobody(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 20000; seed++)
		run_random_instructions(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_backtrace),
		cmocka_unit_test(frames_lead_through_libc),
		cmocka_unit_test(frames_lead_through_a_signal_handler),
		cmocka_unit_test(frames_lead_from_an_alternate_stack_to_the_other),
		cmocka_unit_test(a_frame_names_its_module_and_the_offset_in_it),
		cmocka_unit_test(no_more_frames_are_written_than_there_is_room_for),
		cmocka_unit_test(without_a_frame_the_caller_alone_is_told),
		cmocka_unit_test(a_caller_that_never_called_is_told_alone),
		cmocka_unit_test(what_cannot_be_read_is_not_read),
		cmocka_unit_test(a_number_that_never_ends_ends_at_the_edge),
		cmocka_unit_test(tables_can_be_read_from_a_copy),
		cmocka_unit_test(a_truncated_table_is_none),
		cmocka_unit_test(a_table_longer_than_its_mapping_faults_nobody),
		cmocka_unit_test(scribbled_tables_fault_nobody),
		cmocka_unit_test(random_instructions_fault_nobody),
	};

	return cmocka_run_group_tests_name("unwind", tests, NULL, NULL);
}
