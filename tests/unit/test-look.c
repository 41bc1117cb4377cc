/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding a program, and saying why one does not start: files of every wrong kind in a new folder. */
#include "launcher/look.h"

#include "policy/compile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char base[64], text[512], out[PATH_MAX];
};

static const char *at(const struct fixture *f, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", f->base, name);
	return path;
}

static void make(const struct fixture *f, const char *name, mode_t mode, const void *data, size_t size)
{
	int fd = open(at(f, name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->base, sizeof(f->base), "/tmp/test-look-XXXXXX");
	assert_non_null(mkdtemp(f->base));
	make(f, "text", 0755, "echo hello\n", 11);
	make(f, "plain", 0644, "#!/bin/sh\n", 10);
	make(f, "script", 0755, "#! /no/such/sh -e\n", 18);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	(void)unlink(at(f, "text"));
	(void)unlink(at(f, "plain"));
	(void)unlink(at(f, "script"));
	(void)unlink(at(f, "binary"));
	(void)rmdir(f->base);
	free(f);
	return 0;
}

static void assert_explains(struct fixture *f, const char *path, int error, const char *words)
{
	look_explain_exec(path, error, f->text, sizeof(f->text));
	if (!strstr(f->text, words))
		fail_msg("'%s' does not say '%s'", f->text, words);
	assert_null(strchr(f->text, '\n'));
}

static int find(struct fixture *f, const char *name, const char *path, const struct policy_block *block)
{
	char variable[PATH_MAX];
	char *env[] = { (char *)"HOME=/", variable, NULL };
	struct look_for what = { .name = name, .cwd = f->base, .env = env, .block = block };

	snprintf(variable, sizeof(variable), "PATH=%s", path);
	return look_find_program(&what, f->out, sizeof(f->out));
}

static void a_name_is_found_by_path(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "text", "/nowhere:/usr/bin", NULL), -ENOENT);
	assert_int_equal(find(f, "text", f->base, NULL), 0);
	assert_string_equal(f->out, at(f, "text"));
}

static void what_cannot_be_executed_is_passed_over(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "plain", f->base, NULL), -ENOENT);
}

static void an_empty_part_of_path_is_not_the_current_folder(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(chdir(f->base), 0);
	assert_int_equal(find(f, "text", "::", NULL), -ENOENT);
	assert_int_equal(chdir("/"), 0);
}

static void a_name_with_a_slash_is_taken_from_the_runs_folder(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "./text", "/usr/bin", NULL), 0);
	assert_int_equal(find(f, "./none", "/usr/bin", NULL), -ENOENT);
	assert_int_equal(find(f, at(f, "script"), "/usr/bin", NULL), 0);
}

static void a_place_without_exec_does_not_exist_for_the_run(void **state)
{
	struct fixture *f = *state;
	struct policy *policy = policy_new();
	struct policy_block *block;

	assert_int_equal(policy_add_path(policy, f->base, NULL, PATH_READ, "test"), 0);
	assert_int_equal(policy_add_path(policy, "/usr/bin", NULL, PATH_READ | PATH_EXEC, "test"), 0);
	assert_int_equal(policy_compile(policy, &block), 0);
	make(f, "binary", 0755, "", 0);
	assert_int_equal(find(f, "binary", f->base, block), -EACCES);
	assert_string_equal(f->out, at(f, "binary"));
	assert_int_equal(find(f, "env", "/usr/bin", block), 0);
	free(block);
	policy_free(policy);
}

static void each_wrong_kind_of_file_has_its_sentence(void **state)
{
	struct fixture *f = *state;

	assert_explains(f, at(f, "none"), ENOENT, "executable not found");
	assert_explains(f, f->base, EACCES, "is a folder");
	assert_explains(f, "/dev/null", EACCES, "is not a regular file");
	assert_explains(f, at(f, "plain"), EACCES, "has no execute permission");
	assert_explains(f, at(f, "text"), ENOEXEC, "without a #! line");
}

static void a_missing_interpreter_of_a_script_is_named(void **state)
{
	struct fixture *f = *state;

	assert_explains(f, at(f, "script"), ENOENT, "the interpreter '/no/such/sh -e'");
}

static void a_damaged_elf_file_is_told(void **state)
{
	struct fixture *f = *state;

	make(f, "binary", 0755, "\177ELF\377\377\377\377", 8);
	assert_explains(f, at(f, "binary"), ENOEXEC, "damaged ELF file");
}

static void another_machines_elf_file_is_told(void **state)
{
	struct fixture *f = *state;
	Elf64_Ehdr header = { .e_ident = ELFMAG "\2\1\1", .e_type = ET_EXEC, .e_version = 1,
			      .e_machine = EM_S390, .e_ehsize = sizeof(header) };

	make(f, "binary", 0755, &header, sizeof(header));
	assert_explains(f, at(f, "binary"), ENOEXEC, "another machine");
}

static void any_cut_of_a_real_elf_file_is_survived(void **state)
{
	struct fixture *f = *state;
	unsigned char head[4096];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(fd, head, sizeof(head)), sizeof(head));
	assert_int_equal(close(fd), 0);
	for (size_t size = 4; size < sizeof(head); size += 37) {
		(void)unlink(at(f, "binary"));
		make(f, "binary", 0755, head, size);
		look_explain_exec(at(f, "binary"), ENOENT, f->text, sizeof(f->text));
		assert_true(f->text[0]);
	}
}

#define LOOK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOK(a_name_is_found_by_path),
		LOOK(what_cannot_be_executed_is_passed_over),
		LOOK(an_empty_part_of_path_is_not_the_current_folder),
		LOOK(a_name_with_a_slash_is_taken_from_the_runs_folder),
		LOOK(a_place_without_exec_does_not_exist_for_the_run),
		LOOK(each_wrong_kind_of_file_has_its_sentence),
		LOOK(a_missing_interpreter_of_a_script_is_named),
		LOOK(a_damaged_elf_file_is_told),
		LOOK(another_machines_elf_file_is_told),
		LOOK(any_cut_of_a_real_elf_file_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
