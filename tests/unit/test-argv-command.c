/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The preflight on commands: denied names and code on the command line, however wrapped. */
#include "tests/unit/preflight_world.h"

#include <string.h>

#include <cmocka.h>

static void denied_names_are_refused_in_any_case_and_by_path(void **state)
{
	(void)state;
	assert_denied_name("RM", A(S("RM"), S("-rf"), S(".")));
	assert_denied_name("Sudo", A(S("Sudo"), S("ls")));
	assert_denied_name("curl", A(S("/usr/bin/curl"), S("x")));
	assert_denied_name("mkfs.xfs", A(S("mkfs.xfs")));
	assert_denied_name("nc.openbsd", A(S("nc.openbsd")));
}

static void denied_name_behind_a_link_is_refused(void **state)
{
	(void)state;
	assert_denied_name("rm", A(S("./notes"), S("f")));
}

static void entries_of_the_policy_are_on_the_denylist(void **state)
{
	(void)state;
	assert_denied_name("frobnicate", A(S("frobnicate")));
	assert_denied_name("AAA", A(S("env"), S("AAA")));
}

static void names_that_only_begin_like_denied_ones_pass(void **state)
{
	(void)state;
	assert_allowed(A(S("rmdir"), S("f")));
	assert_allowed(A(S("ddd")));
	assert_allowed(A(S("killer")));
	assert_allowed(A(S("echo"), S("rm")));
}

static void plain_inline_flags_are_refused(void **state)
{
	(void)state;
	assert_inline("python3", "-c", A(S("python3"), S("-c"), S("1")));
	assert_inline("bash", "-c", A(S("bash"), S("-c"), S("x")));
	assert_inline("bash", "-ce", A(S("bash"), S("-ce"), S("x")));
	assert_inline("node", "-e", A(S("node"), S("-e"), S("1")));
	assert_inline("php", "-r", A(S("php"), S("-r"), S("1")));
	assert_inline("fish", "-c", A(S("fish"), S("-c"), S("1")));
}

static void clusters_are_refused(void **state)
{
	(void)state;
	assert_inline("python3", "-Ic", A(S("python3"), S("-Ic"), S("1")));
	assert_inline("bash", "-lc", A(S("bash"), S("-lc"), S("x")));
	assert_inline("perl", "-ne", A(S("perl"), S("-ne"), S("1")));
	assert_inline("bash", "-c",
		      A(S("bash"), S("-eo"), S("pipefail"), S("-c"), S("x")));
}

static void glued_code_is_refused(void **state)
{
	struct verdict v =
		judge_in(tool_with_shell(), "/proj", A(S("python3"), S("-cprint(1)")));

	(void)state;
	assert_string_equal(v.reason,
			    "interpreter 'python3' invoked with refused flag '-c'; "
			    "use a script file instead of -c/-e");
	assert_inline("perl", "-e", A(S("perl"), S("-eprint 1")));
	assert_inline("ruby", "-e", A(S("ruby"), S("-eputs 1")));
	assert_inline("lua", "-e", A(S("lua"), S("-eprint 1")));
}

static void long_flags_are_refused(void **state)
{
	(void)state;
	assert_inline("node", "--eval", A(S("node"), S("--eval=1")));
	assert_inline("node", "-p", A(S("node"), S("-p"), S("1")));
	assert_inline("node", "-p", A(S("node"), S("-pe"), S("1")));
	assert_inline("node", "--print", A(S("node"), S("--print"), S("1")));
	assert_inline("php", "--run", A(S("php"), S("--run"), S("1")));
	assert_inline("deno", "eval", A(S("deno"), S("eval"), S("1")));
	assert_inline("node", "--import", A(S("node"), S("--import"), S("data:text,1")));
	assert_inline("fish", "--comm", A(S("fish"), S("--comm=x")));
}

static void versioned_names_are_refused(void **state)
{
	(void)state;
	assert_inline("python3.11", "-c", A(S("python3.11"), S("-c"), S("1")));
	assert_inline("lua5.4", "-e", A(S("lua5.4"), S("-e"), S("1")));
	assert_inline("perl5.36.0", "-E", A(S("perl5.36.0"), S("-E"), S("1")));
	assert_inline("php8.2", "-r", A(S("/usr/bin/php8.2"), S("-r"), S("1")));
}

static void interpreter_behind_a_link_is_refused(void **state)
{
	(void)state;
	assert_inline("python3.11", "-c", A(S("./py"), S("-c"), S("1")));
}

static void awk_program_text_is_refused_and_its_file_passes(void **state)
{
	(void)state;
	assert_inline("awk", "{print $1}",
		      A(S("awk"), S("-F"), S(":"), S("{print $1}"), S("f")));
	assert_inline("gawk", "-e", A(S("gawk"), S("-e"), S("1")));
	assert_inline("mawk", "1", A(S("mawk"), S("--"), S("1")));
	assert_allowed(A(S("awk"), S("-f"), S("src/p.awk"), S("f")));
	assert_allowed(A(S("gawk"), S("--file=p.awk"), S("f")));
}

static void values_of_options_are_no_operands(void **state)
{
	(void)state;
	assert_inline("python3", "-c",
		      A(S("python3"), S("-X"), S("utf8"), S("-W"), S("error"), S("-c"),
			S("1")));
	assert_inline("node", "-e", A(S("node"), S("--title"), S("x"), S("-e"), S("1")));
	assert_inline("bash", "-c", A(S("bash"), S("--rcfile"), S("f"), S("-c"), S("x")));
	assert_inline("bash", "-c", A(S("bash"), S("-noprofile"), S("-c"), S("x")));
	assert_inline("perl", "-e", A(S("perl"), S("-I"), S("src"), S("-e"), S("1")));
}

static void arguments_of_the_script_are_its_own(void **state)
{
	(void)state;
	assert_allowed(A(S("python3"), S("f"), S("-c"), S("1")));
	assert_allowed(A(S("node"), S("build.js"), S("-e"), S("production")));
	assert_allowed(A(S("bash"), S("-e"), S("run")));
	assert_allowed(A(S("perl"), S("-c"), S("f")));
	assert_allowed(A(S("perl"), S("-i.backe"), S("f")));
	assert_allowed(A(S("python3"), S("-m"), S("pytest"), S("-c"), S("f")));
	assert_allowed(A(S("python3"), S("-Xfrozen_modules=off"), S("f")));
}

static void env_is_opened(void **state)
{
	(void)state;
	assert_inline("python3", "-c", A(S("env"), S("python3"), S("-c"), S("1")));
	assert_inline("python3", "-c",
		      A(S("env"), S("-i"), S("-u"), S("X"), S("A=b"), S("python3"),
			S("-c"), S("1")));
	assert_inline("sh", "-c",
		      A(S("/usr/bin/env"), S("--"), S("A=b"), S("sh"), S("-c"), S("x")));
	assert_denied_name("rm", A(S("env"), S("-C"), S("src"), S("rm"), S("f")));
}

static void env_split_strings_are_opened(void **state)
{
	(void)state;
	assert_inline("python3", "-c", A(S("env"), S("-S"), S("python3 -c 1")));
	assert_inline("python3", "-c", A(S("env"), S("-Spython3 -c 1")));
	assert_inline("python3", "-c",
		      A(S("env"), S("-vS"), S("-i A=b 'python3'\\_-c 1")));
	assert_inline("perl", "-e",
		      A(S("env"), S("--split-string=perl"), S("-e"), S("1")));
	assert_inline("sh", "-c", A(S("env"), S("-S"), S("env -S 'env -S \"sh -c x\"'")));
	assert_allowed(A(S("env"), S("-S"), S("python3 -I f")));
}

static void split_string_with_a_variable_is_refused(void **state)
{
	(void)state;
	assert_inline("env", "-S", A(S("env"), S("-S"), S("$X -c 1")));
}

static void process_wrappers_are_opened(void **state)
{
	(void)state;
	assert_inline("bash", "-c", A(S("timeout"), S("5"), S("bash"), S("-c"), S("x")));
	assert_inline("bash", "-c",
		      A(S("timeout"), S("-k"), S("1"), S("-s9"), S("5"), S("bash"),
			S("-c"), S("x")));
	assert_inline("sh", "-c",
		      A(S("nice"), S("-n"), S("5"), S("sh"), S("-c"), S("x")));
	assert_inline("sh", "-c", A(S("nice"), S("-10"), S("sh"), S("-c"), S("x")));
	assert_inline(
		"sh", "-c",
		A(S("ionice"), S("-c2"), S("-n"), S("7"), S("sh"), S("-c"), S("x")));
	assert_inline("sh", "-c", A(S("nohup"), S("sh"), S("-c"), S("x")));
	assert_inline("sh", "-c", A(S("setsid"), S("-f"), S("sh"), S("-c"), S("x")));
	assert_inline(
		"sh", "-c",
		A(S("stdbuf"), S("-oL"), S("-e"), S("0"), S("sh"), S("-c"), S("x")));
	assert_inline("sh", "-c",
		      A(S("time"), S("-f"), S("%e"), S("sh"), S("-c"), S("x")));
	assert_inline("sh", "-c",
		      A(S("chrt"), S("-r"), S("5"), S("sh"), S("-c"), S("x")));
	assert_inline("sh", "-c",
		      A(S("taskset"), S("-c"), S("0-3"), S("sh"), S("-c"), S("x")));
	assert_inline("sh", "-c", A(S("busybox"), S("sh"), S("-c"), S("x")));
	assert_denied_name("rm", A(S("busybox"), S("rm"), S("f")));
	assert_denied_name("rm", A(S("doas"), S("-u"), S("u"), S("rm"), S("f")));
}

static void argument_wrappers_are_opened(void **state)
{
	(void)state;
	assert_inline("bash", "-c",
		      A(S("xargs"), S("-0"), S("-n"), S("1"), S("-I{}"), S("bash"),
			S("-c"), S("x")));
	assert_denied_name("rm", A(S("xargs"), S("rm")));
	assert_inline("sh", "-c",
		      A(S("strace"), S("-f"), S("-o"), S("f"), S("sh"), S("-c"), S("x")));
	assert_inline("python3", "-c",
		      A(S("gdb"), S("-q"), S("--args"), S("python3"), S("-c"), S("1")));
	assert_inline("gdb", "-ex", A(S("gdb"), S("-ex"), S("shell x"), S("f")));
	assert_denied_name("rm", A(S("flock"), S("-w"), S("1"), S("f"), S("rm"), S("x")));
	assert_denied_name("rm",
			   A(S("/lib64/ld-linux-x86-64.so.2"), S("/bin/rm"), S("x")));
}

static void every_exec_of_find_is_opened(void **state)
{
	(void)state;
	assert_denied_name("rm",
			   A(S("find"), S("."), S("-exec"), S("rm"), S("{}"), S("+")));
	assert_inline("sh", "-c",
		      A(S("find"), S("."), S("-exec"), S("ls"), S("{}"), S("+"),
			S("-execdir"), S("sh"), S("-c"), S("x"), S("+")));
	assert_allowed(A(S("find"), S("."), S("-name"), S("rm"), S("-exec"), S("ls"),
			 S("{}"), S("+")));
}

static void command_lines_in_options_are_opened(void **state)
{
	(void)state;
	assert_denied_name("rm", A(S("script"), S("-qc"), S("rm x"), S("f")));
	assert_denied_name("rm", A(S("flock"), S("f"), S("-c"), S("A=b r\"m\" x")));
	assert_inline("python3", "-c", A(S("watch"), S("-n"), S("1"), S("python3 -c 1")));
	assert_inline("python3", "-c", A(S("watch"), S("python3"), S("-c"), S("1")));
	assert_denied_name("rm",
			   A(S("parallel"), S("-j"), S("2"), S("rm"), S(":::"), S("a")));
	assert_denied_name("rm", A(S("parallel"), S(":::"), S("ls"), S("rm x")));
	assert_inline("script", "-c", A(S("script"), S("-c"), S("$X")));
	assert_allowed(A(S("watch"), S("ls"), S("src")));
}

static void command_lines_are_opened_even_with_shell(void **state)
{
	struct verdict v = judge_in(tool_with_shell(), "/proj",
				    A(S("script"), S("-c"), S("ls; echo \"$(rm x)\"")));

	(void)state;
	assert_string_equal(v.reason, "executable 'rm' is on the denylist");
	v = judge_in(tool_with_shell(), "/proj",
		     A(S("script"), S("-c"), S("echo \"a`ls (b)`\" | kill 1")));
	assert_string_equal(v.reason, "executable 'kill' is on the denylist");
	v = judge_in(tool_with_shell(), "/proj",
		     A(S("script"), S("-c"), S("echo \"; rm x\" '$(rm x)' | cat")));
	assert_int_equal(v.action, ACTION_ALLOW);
}

static void wrappers_in_wrappers_are_opened(void **state)
{
	(void)state;
	assert_inline("python3", "-c",
		      A(S("nohup"), S("nice"), S("env"), S("timeout"), S("5"), S("xargs"),
			S("python3"), S("-c"), S("1")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(denied_names_are_refused_in_any_case_and_by_path),
		cmocka_unit_test(denied_name_behind_a_link_is_refused),
		cmocka_unit_test(entries_of_the_policy_are_on_the_denylist),
		cmocka_unit_test(names_that_only_begin_like_denied_ones_pass),
		cmocka_unit_test(plain_inline_flags_are_refused),
		cmocka_unit_test(clusters_are_refused),
		cmocka_unit_test(glued_code_is_refused),
		cmocka_unit_test(long_flags_are_refused),
		cmocka_unit_test(versioned_names_are_refused),
		cmocka_unit_test(interpreter_behind_a_link_is_refused),
		cmocka_unit_test(awk_program_text_is_refused_and_its_file_passes),
		cmocka_unit_test(values_of_options_are_no_operands),
		cmocka_unit_test(arguments_of_the_script_are_its_own),
		cmocka_unit_test(env_is_opened),
		cmocka_unit_test(env_split_strings_are_opened),
		cmocka_unit_test(split_string_with_a_variable_is_refused),
		cmocka_unit_test(process_wrappers_are_opened),
		cmocka_unit_test(argument_wrappers_are_opened),
		cmocka_unit_test(every_exec_of_find_is_opened),
		cmocka_unit_test(command_lines_in_options_are_opened),
		cmocka_unit_test(command_lines_are_opened_even_with_shell),
		cmocka_unit_test(wrappers_in_wrappers_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
