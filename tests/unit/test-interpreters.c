/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of interpreters: names, versions, languages, recipes, and how options are
 * read. */
#include "policy/interpreters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *name_of(const char *program)
{
	const struct interpreter *row = interpreter_find(program);

	return row ? row->name : "";
}

static bool is_inline(const char *const *argv)
{
	const struct interpreter *row = interpreter_find(argv[0]);
	struct interpreter_inline found;

	assert_non_null(row);
	return interpreter_has_inline(&row->options, argv, &found);
}

static void versions_and_paths_are_part_of_no_name(void **state)
{
	(void)state;
	assert_string_equal(name_of("python3.11"), "python");
	assert_string_equal(name_of("python3.13t"), "python");
	assert_string_equal(name_of("/usr/bin/python3-dbg"), "python");
	assert_string_equal(name_of("lua5.4"), "lua");
	assert_string_equal(name_of("perl5.36.0"), "perl");
	assert_string_equal(name_of("perl5.36-x86_64-linux-gnu"), "perl");
	assert_string_equal(name_of("nodejs"), "node");
	assert_string_equal(name_of("php8.2"), "php");
	assert_string_equal(name_of("ruby3.1"), "ruby");
	assert_string_equal(name_of("tclsh8.6"), "tclsh");
	assert_string_equal(name_of("pypy3.10"), "pypy");
	assert_string_equal(name_of("PYTHON3"), "python");
}

static void other_programs_are_no_interpreters(void **state)
{
	(void)state;
	assert_string_equal(name_of("python3-config"), "");
	assert_string_equal(name_of("pythonista"), "");
	assert_string_equal(name_of("shasum"), "");
	assert_string_equal(name_of("perldoc"), "");
	assert_string_equal(name_of("luac5.4"), "");
	assert_string_equal(name_of("gofmt"), "");
	assert_string_equal(name_of("bin/"), "");
	assert_string_equal(name_of(""), "");
}

static void every_interpreter_of_the_original_is_known(void **state)
{
	(void)state;
	assert_string_equal(name_of("python"), "python");
	assert_string_equal(name_of("python3"), "python");
	assert_string_equal(name_of("bash"), "bash");
	assert_string_equal(name_of("sh"), "sh");
	assert_string_equal(name_of("zsh"), "zsh");
	assert_string_equal(name_of("fish"), "fish");
	assert_string_equal(name_of("node"), "node");
	assert_string_equal(name_of("deno"), "deno");
	assert_string_equal(name_of("perl"), "perl");
	assert_string_equal(name_of("ruby"), "ruby");
	assert_string_equal(name_of("lua"), "lua");
	assert_string_equal(name_of("awk"), "awk");
	assert_string_equal(name_of("tclsh"), "tclsh");
	assert_string_equal(name_of("php"), "php");
}

static void languages_lead_to_their_rows(void **state)
{
	(void)state;
	assert_string_equal(interpreter_for_language("python")->name, "python");
	assert_string_equal(interpreter_for_language("JavaScript")->name, "node");
	assert_string_equal(interpreter_for_language("js")->name, "node");
	assert_string_equal(interpreter_for_language("rb")->name, "ruby");
	assert_string_equal(interpreter_for_language("tcl")->name, "tclsh");
	assert_null(interpreter_for_language("cobol"));
	assert_null(interpreter_for_language(""));
	assert_null(interpreter_for_language("pyth"));
}

static void python_recipe_is_isolated_and_unbuffered(void **state)
{
	const struct interpreter *python = interpreter_for_language("python");

	(void)state;
	assert_string_equal(python->suffix, ".py");
	assert_string_equal(python->code_flags[0], "-I");
	assert_string_equal(python->code_flags[4], "-u");
	assert_null(python->code_flags[5]);
	assert_string_equal(python->ask_folders[2], "-c");
	assert_false(python->reserves_address_space);
}

static void runtimes_with_huge_address_spaces_say_so(void **state)
{
	(void)state;
	assert_true(interpreter_find("node")->reserves_address_space);
	assert_true(interpreter_find("java")->reserves_address_space);
	assert_true(interpreter_find("go")->reserves_address_space);
	assert_false(interpreter_find("perl")->reserves_address_space);
}

static void recipes_do_not_read_as_inline_code(void **state)
{
	(void)state;
	assert_false(
		is_inline(ARGV("python3", "-I", "-S", "-X", "utf8", "-u", "p.py", "-c")));
	assert_false(is_inline(ARGV("awk", "-f", "p.awk", "x")));
	assert_false(is_inline(ARGV("deno", "run", "--no-prompt", "p.ts", "-e")));
	assert_false(is_inline(ARGV("fish", "--no-config", "p.fish")));
}

static void interpreter_alone_has_no_inline_code(void **state)
{
	(void)state;
	assert_false(is_inline(ARGV("python3")));
	assert_false(is_inline(ARGV("bash", "-")));
	assert_false(is_inline(ARGV("awk")));
	assert_false(is_inline(ARGV("perl", "--")));
	assert_false(is_inline(ARGV("tclsh", "p.tcl", "-e")));
}

static void perl_letters_swallow_what_perl_lets_them(void **state)
{
	(void)state;
	assert_true(is_inline(ARGV("perl", "-de1")));
	assert_true(is_inline(ARGV("perl", "-0777ne", "1")));
	assert_true(is_inline(ARGV("perl", "-lane", "1")));
	assert_true(is_inline(ARGV("perl", "-pi", "-e", "1")));
	assert_false(is_inline(ARGV("perl", "-pie", "f")));
	assert_false(is_inline(ARGV("perl", "-d:Trace", "f")));
	assert_false(is_inline(ARGV("perl", "-MFile::Spec", "-Ilibe", "f")));
}

static void shells_take_their_options_apart(void **state)
{
	(void)state;
	assert_true(is_inline(ARGV("bash", "-euo", "pipefail", "-c", "x")));
	assert_true(is_inline(ARGV("bash", "+o", "posix", "-c", "x")));
	assert_true(is_inline(ARGV("bash", "-init-file", "f", "-c", "x")));
	assert_true(is_inline(ARGV("dash", "-xc", "x")));
	assert_false(is_inline(ARGV("bash", "-euo", "pipefail", "f", "-c")));
}

static void ruby_and_php_values_are_no_operands(void **state)
{
	(void)state;
	assert_true(is_inline(ARGV("ruby", "-C", "src", "-e", "1")));
	assert_true(is_inline(ARGV("ruby", "--disable", "gems", "-ne", "1")));
	assert_true(is_inline(ARGV("php", "-d", "x=1", "-r", "1")));
	assert_true(is_inline(ARGV("php", "-n", "-B", "1")));
	assert_true(
		is_inline(ARGV("php", "-d", "auto_prepend_file=1", "--process-end=1")));
	assert_false(is_inline(ARGV("php", "-f", "p.php")));
	assert_false(is_inline(ARGV("ruby", "-rset", "f")));
}

static void javascript_data_urls_are_code(void **state)
{
	(void)state;
	assert_true(is_inline(ARGV("deno", "run", "data:text/javascript,1")));
	assert_true(is_inline(ARGV("node", "--import=data:text/javascript,1", "f")));
	assert_true(
		is_inline(ARGV("node", "-r", "x", "--loader", "data:text/javascript,1")));
	assert_false(is_inline(ARGV("node", "f", "data:x")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_and_paths_are_part_of_no_name),
		cmocka_unit_test(other_programs_are_no_interpreters),
		cmocka_unit_test(every_interpreter_of_the_original_is_known),
		cmocka_unit_test(languages_lead_to_their_rows),
		cmocka_unit_test(python_recipe_is_isolated_and_unbuffered),
		cmocka_unit_test(runtimes_with_huge_address_spaces_say_so),
		cmocka_unit_test(recipes_do_not_read_as_inline_code),
		cmocka_unit_test(interpreter_alone_has_no_inline_code),
		cmocka_unit_test(perl_letters_swallow_what_perl_lets_them),
		cmocka_unit_test(shells_take_their_options_apart),
		cmocka_unit_test(ruby_and_php_values_are_no_operands),
		cmocka_unit_test(javascript_data_urls_are_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
