/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The preflight on path arguments: what leads out of the root is refused, every known false alarm
 * passes, and many words ask the world little. */
#include "tests/unit/preflight_world.h"

#include <string.h>

#include <cmocka.h>

static void path_text_names_argument_target_and_root(void **state)
{
	struct verdict v;

	(void)state;
	assert_outside("../tmp/x", "/tmp/x", A(S("cat"), S("../tmp/x")));
	v = judge_in(tool(), "/proj", A(S("cat"), S("../tmp/x")));
	assert_string_equal(v.fix, "--read /tmp/x");
}

static void absolute_path_is_refused_though_programs_may_read_it(void **state)
{
	(void)state;
	assert_outside("/etc/passwd", "/etc/passwd", A(S("cat"), S("/etc/passwd")));
	assert_outside("../../etc/passwd", "/etc/passwd",
		       A(S("cat"), S("../../etc/passwd")));
	assert_outside("//etc/./passwd", "/etc/passwd", A(S("cat"), S("//etc/./passwd")));
	assert_outside("..", "/", A(S("ls"), S("..")));
}

static void links_out_of_the_root_are_refused(void **state)
{
	(void)state;
	assert_outside("secret", "/tmp/secret", A(S("cat"), S("secret")));
	assert_outside("out/passwd", "/etc/passwd", A(S("cat"), S("out/passwd")));
	assert_outside("out/new", "/etc/new", A(S("touch"), S("out/new")));
	assert_outside("/proc/self/root/etc/passwd", "/etc/passwd",
		       A(S("cat"), S("/proc/self/root/etc/passwd")));
}

static void values_glued_to_options_are_refused(void **state)
{
	(void)state;
	assert_outside("--file=/etc/passwd", "/etc/passwd",
		       A(S("cat"), S("--file=/etc/passwd")));
	assert_outside("--file=secret", "/tmp/secret", A(S("cat"), S("--file=secret")));
	assert_outside("-I/etc", "/etc", A(S("gcc"), S("-I/etc"), S("f")));
	assert_outside("-f../x", "/x", A(S("make"), S("-f../x")));
	assert_outside("-xvf/etc/passwd", "/etc/passwd",
		       A(S("tar"), S("-xvf/etc/passwd")));
	assert_outside("-Wl,-rpath,/etc", "/etc", A(S("gcc"), S("-Wl,-rpath,/etc")));
	assert_outside("if=/etc/passwd", "/etc/passwd", A(S("x"), S("if=/etc/passwd")));
	assert_outside("--path=/usr:/etc", "/etc", A(S("x"), S("--path=/usr:/etc")));
}

static void tilde_is_judged_as_if_expanded(void **state)
{
	(void)state;
	assert_outside("~/.ssh/id_rsa", "/home/u/.ssh/id_rsa",
		       A(S("cat"), S("~/.ssh/id_rsa")));
	assert_outside("~", "/home/u", A(S("ls"), S("~")));
	assert_outside("~root/x", "/root/x", A(S("ls"), S("~root/x")));
	assert_outside("--key=~/k", "/home/u/k", A(S("x"), S("--key=~/k")));
}

static void response_files_and_file_urls_are_refused(void **state)
{
	(void)state;
	assert_outside("@/etc/passwd", "/etc/passwd", A(S("gcc"), S("@/etc/passwd")));
	assert_outside("--data=@/etc/passwd", "/etc/passwd",
		       A(S("x"), S("--data=@/etc/passwd")));
	assert_outside("file:///etc/passwd", "/etc/passwd",
		       A(S("x"), S("file:///etc/passwd")));
}

static void system_folders_devices_and_grants_pass(void **state)
{
	(void)state;
	assert_allowed(A(S("gcc"), S("-I/usr/include"), S("-L/usr/lib"), S("f")));
	assert_allowed(A(S("./run"), S("--prefix=/usr"), S("--shell=/bin/ls")));
	assert_allowed(A(S("cat"), S("/dev/null"), S("/dev/stdin"), S("/dev/fd/0")));
	assert_allowed(A(S("cat"), S("/tmp/x"), S("-o/tmp/y")));
	assert_allowed(A(S("cat"), S("/srv/data"), S("/srv/data/deep/f")));
	assert_allowed(A(S("cat"), S("/proj/f"), S("src/../f"), S("./src/new")));
}

static void grep_e_and_sed_e_pass(void **state)
{
	(void)state;
	assert_allowed(A(S("grep"), S("-e"), S("pattern"), S("file")));
	assert_allowed(A(S("sed"), S("-e"), S("s/a/b/"), S("f")));
	assert_allowed(A(S("sed"), S("/foo/d"), S("f")));
	assert_allowed(A(S("sed"), S("-e"), S("s/a=/b/"), S("f")));
}

static void gcc_c_and_tar_cf_pass(void **state)
{
	(void)state;
	assert_allowed(A(S("gcc"), S("-c"), S("main.c")));
	assert_allowed(
		A(S("gcc"), S("-Isrc/home/x"), S("-DX=\"a/b\""), S("-c"), S("main.c")));
	assert_allowed(A(S("tar"), S("-cf"), S("x.tar"), S(".")));
}

static void urls_refs_and_delimiters_are_no_paths(void **state)
{
	(void)state;
	assert_allowed(A(S("git"), S("clone"), S("https://a/../../b")));
	assert_allowed(A(S("x"), S("--registry=https://a/b")));
	assert_allowed(A(S("git"), S("diff"), S("origin/main..HEAD~1"), S("a..b")));
	assert_allowed(A(S("npm"), S("install"), S("@scope/pkg")));
	assert_allowed(A(S("cut"), S("-d/"), S("-f1"), S("f")));
	assert_allowed(A(S("date"), S("+%Y/%m/%d")));
	assert_allowed(A(S("git"), S("commit"), S("-m"), S("see /etc/passwd")));
}

#define MANY 1000

/* Questions about MANY arguments that all say this. */
static unsigned count_questions(const char *word)
{
	static char *argv[MANY + 2];

	argv[0] = S("true");
	for (size_t i = 1; i <= MANY; i++)
		argv[i] = S(word);
	assert_int_equal(judge_in(tool(), "/proj", argv).action, ACTION_ALLOW);
	return world_questions();
}

static void a_word_that_is_no_file_costs_one_question(void **state)
{
	(void)state;
	assert_in_range(count_questions("word"), MANY, MANY + 10);
}

static void a_missing_folder_answers_for_all_below_it(void **state)
{
	(void)state;
	assert_in_range(count_questions("no/such/file.c"), 1, 10);
}

static void a_missing_folder_says_nothing_of_its_neighbours(void **state)
{
	(void)state;
	assert_outside("out/passwd", "/etc/passwd",
		       A(S("cat"), S("outs/passwd"), S("no/file"), S("out/passwd")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_text_names_argument_target_and_root),
		cmocka_unit_test(absolute_path_is_refused_though_programs_may_read_it),
		cmocka_unit_test(links_out_of_the_root_are_refused),
		cmocka_unit_test(values_glued_to_options_are_refused),
		cmocka_unit_test(tilde_is_judged_as_if_expanded),
		cmocka_unit_test(response_files_and_file_urls_are_refused),
		cmocka_unit_test(system_folders_devices_and_grants_pass),
		cmocka_unit_test(grep_e_and_sed_e_pass),
		cmocka_unit_test(gcc_c_and_tar_cf_pass),
		cmocka_unit_test(urls_refs_and_delimiters_are_no_paths),
		cmocka_unit_test(a_word_that_is_no_file_costs_one_question),
		cmocka_unit_test(a_missing_folder_answers_for_all_below_it),
		cmocka_unit_test(a_missing_folder_says_nothing_of_its_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
