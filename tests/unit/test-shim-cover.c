/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the shim covered: rows of a ring that we write, and program files that we make. */
#include "launcher/shim_cover.h"

#include "launcher/ring_read.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* Behind what it needs. */
#include <cmocka.h>

struct ring {
	int fd;
	struct ring_process *rows;
	struct shim_cover cover;
	struct program_files files;
	char own[256], made[64];
};

static int set_up(void **state)
{
	struct ring *r = calloc(1, sizeof(*r));
	uint64_t start;
	ssize_t n = readlink("/proc/self/exe", r->own, sizeof(r->own) - 1);

	if (n < 0)
		return -1;
	r->files.anywhere = true;
	strcpy(r->made, "/tmp/test-shim-cover-XXXXXX");
	close(mkstemp(r->made));
	r->fd = memfd_create("ring", MFD_CLOEXEC);
	if (ftruncate(r->fd, (off_t)RING_BYTES) < 0)
		return -1;
	r->rows = mmap(NULL, RING_PROCESSES * sizeof(*r->rows), PROT_READ | PROT_WRITE, MAP_SHARED,
		       r->fd, (off_t)RING_AT_PROCESSES);
	*state = r;
	return ring_begin(r->fd, 0, true, &start);
}

static int tear_down(void **state)
{
	struct ring *r = *state;

	munmap(r->rows, RING_PROCESSES * sizeof(*r->rows));
	close(r->fd);
	unlink(r->made);
	free(r);
	return 0;
}

static void write_row(struct ring *r, unsigned pid, enum ring_process_state state, const char *exe)
{
	struct ring_process *row = &r->rows[pid % RING_PROCESSES];

	row->pid = pid;
	snprintf(row->exe, sizeof(row->exe), "%s", exe);
	row->state = state;
}

static void take(struct ring *r, bool is_thorough)
{
	struct shim_cover_ask ask = { .ring = r->fd,
				      .program = r->own,
				      .cwd = "/tmp",
				      .inside = 2,
				      .files = &r->files,
				      .is_thorough = is_thorough };

	shim_cover_take(&r->cover, &ask);
}

/* A program file: a header, one segment that may name an ELF interpreter. */
static void make_program(const struct ring *r, unsigned char class, unsigned machine,
			 const char *interpreter)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		char interpreter[64];
	} file = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class, ELFDATA2LSB,
					 EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = (Elf64_Half)machine,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 },
		.segment = { .p_type = interpreter ? PT_INTERP : PT_LOAD,
			     .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			     .p_filesz = interpreter ? strlen(interpreter) + 1 : 1 },
	};
	FILE *f = fopen(r->made, "we");

	snprintf(file.interpreter, sizeof(file.interpreter), "%s", interpreter ? interpreter : "");
	assert_non_null(f);
	assert_int_equal(fwrite(&file, 1, sizeof(file), f), sizeof(file));
	assert_int_equal(fclose(f), 0);
}

static enum shim_cause cause_of(const struct ring *r, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum shim_cause cause = shim_cover_cause(&r->files, fd);

	close(fd);
	return cause;
}

#if defined(__aarch64__)
#define OURS EM_AARCH64
#define OTHER EM_X86_64
#else
#define OURS EM_X86_64
#define OTHER EM_AARCH64
#endif

static void test_attached_processes_are_covered(void **state)
{
	struct ring *r = *state;

	write_row(r, 2, RING_ATTACHED, r->own);
	write_row(r, 3, RING_ATTACHED, "/bin/ls");
	write_row(r, 4, RING_EXEC_FAILED, "/no/such");
	take(r, false);
	assert_int_equal(r->cover.processes, 3);
	assert_int_equal(r->cover.blind_count, 0);
	assert_string_equal(r->cover.why, "");
	assert_true(shim_cover_has(&r->cover, 3));
	assert_false(shim_cover_has(&r->cover, 5));
	assert_false(shim_cover_has(&r->cover, 0));
}

static void test_a_program_that_never_attached_is_blind(void **state)
{
	struct ring *r = *state;

	make_program(r, ELFCLASS64, OURS, NULL);
	write_row(r, 2, RING_ATTACHED, r->own);
	write_row(r, 7, RING_EXEC, r->made);
	take(r, false);
	assert_int_equal(r->cover.processes, 1);
	assert_int_equal(r->cover.blind_count, 1);
	assert_int_equal(r->cover.blind[0].pid, 7);
	assert_string_equal(r->cover.blind[0].exe, r->made);
	assert_int_equal(r->cover.blind[0].cause, SHIM_CAUSE_STATIC);
}

static void test_the_first_program_is_blind_when_nothing_was_heard(void **state)
{
	struct ring *r = *state;

	take(r, false);
	assert_int_equal(r->cover.processes, 0);
	assert_int_equal(r->cover.blind_count, 1);
	assert_int_equal(r->cover.blind[0].pid, 2);
	assert_string_equal(r->cover.blind[0].exe, r->own);
	assert_int_equal(r->cover.blind[0].cause, SHIM_CAUSE_NONE);
}

static void test_a_program_that_is_gone_is_not_guessed_at(void **state)
{
	struct ring *r = *state;

	write_row(r, 2, RING_ATTACHED, r->own);
	write_row(r, 8, RING_EXEC, "/no/such/program");
	take(r, false);
	assert_int_equal(r->cover.blind[0].cause, SHIM_CAUSE_UNREADABLE);
}

static void test_a_relative_name_is_looked_for_where_the_run_began(void **state)
{
	struct ring *r = *state;

	make_program(r, ELFCLASS64, OURS, NULL);
	write_row(r, 2, RING_ATTACHED, r->own);
	write_row(r, 7, RING_EXEC, strrchr(r->made, '/') + 1);
	take(r, false);
	assert_int_equal(r->cover.blind[0].cause, SHIM_CAUSE_STATIC);
}

static void test_a_header_says_why(void **state)
{
	struct ring *r = *state;

	make_program(r, ELFCLASS64, OTHER, "/lib64/ld-linux-x86-64.so.2");
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_MACHINE);
	make_program(r, ELFCLASS64, OURS, "/opt/strange/loader.so");
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_LIBC);
	make_program(r, ELFCLASS64, OURS, "/lib/ld-musl-x86_64.so.1");
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_NONE);
	make_program(r, ELFCLASSNONE, OURS, NULL);
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_UNREADABLE);
	assert_int_equal(cause_of(r, r->own), SHIM_CAUSE_NONE);
}

static void write_script(const struct ring *r, const char *text)
{
	FILE *f = fopen(r->made, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void test_a_script_is_what_its_interpreter_is(void **state)
{
	struct ring *r = *state;
	char text[300];

	snprintf(text, sizeof(text), "#! %s -x\necho\n", r->own);
	write_script(r, text);
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_NONE);
	write_script(r, "#!/no/such/interpreter\n");
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_UNREADABLE);
	snprintf(text, sizeof(text), "#!%s\n", r->made);
	write_script(r, text);
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_UNREADABLE);
	write_script(r, "");
	assert_int_equal(cause_of(r, r->made), SHIM_CAUSE_UNREADABLE);
}

static void test_more_blind_ones_than_there_is_room_for_are_counted(void **state)
{
	struct ring *r = *state;

	for (unsigned pid = 2; pid < 102; pid++)
		write_row(r, pid, RING_EXEC, "/no/such");
	take(r, false);
	assert_int_equal(r->cover.blind_count, SHIM_BLIND_MAX);
	assert_int_equal(r->cover.blind_lost, 100 - SHIM_BLIND_MAX);
}

static void test_a_ring_written_over_is_said(void **state)
{
	struct ring *r = *state;

	assert_int_equal(pwrite(r->fd, "x", 1, 0), 1);
	take(r, false);
	assert_non_null(strstr(r->cover.why, "wrote over the ring"));
}

static void test_a_full_table_of_lies_is_bounded(void **state)
{
	struct ring *r = *state;

	for (unsigned i = 0; i < RING_PROCESSES; i++)
		write_row(r, UINT32_MAX - i, RING_ATTACHED, "/x");
	take(r, true);
	assert_int_equal(r->cover.processes, RING_PROCESSES);
	assert_false(shim_cover_has(&r->cover, 0));
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(test_attached_processes_are_covered),
		CLAIM(test_a_program_that_never_attached_is_blind),
		CLAIM(test_the_first_program_is_blind_when_nothing_was_heard),
		CLAIM(test_a_program_that_is_gone_is_not_guessed_at),
		CLAIM(test_a_relative_name_is_looked_for_where_the_run_began),
		CLAIM(test_a_header_says_why),
		CLAIM(test_a_script_is_what_its_interpreter_is),
		CLAIM(test_more_blind_ones_than_there_is_room_for_are_counted),
		CLAIM(test_a_ring_written_over_is_said),
		CLAIM(test_a_full_table_of_lies_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
