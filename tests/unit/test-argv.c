/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The preflight: every known way around it is refused, every known false alarm has its
 * answer. */
#include "policy/block.h"
#include "policy/compile.h"
#include "policy/policy.h"
#include "policy/repr.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STR(text) ((char *)(uintptr_t)(text))
#define ARGV(...) ((char *[]){__VA_ARGS__, NULL})

/* The world as ask->follow tells it; what is not here does not exist. */
static const struct {
	const char *path, *real;
} world[] = {
	{"/", "/"},
	{"/proj", "/proj"},
	{"/proj/f", "/proj/f"},
	{"/proj/src", "/proj/src"},
	{"/proj/run", "/proj/run"},
	{"/proj/secret", "/tmp/secret"},
	{"/proj/out", "/etc"},
	{"/proj/out/passwd", "/etc/passwd"},
	{"/proj/notes", "/usr/bin/rm"},
	{"/proj/py", "/usr/bin/python3.11"},
	{"/etc", "/etc"},
	{"/etc/passwd", "/etc/passwd"},
	{"/usr", "/usr"},
	{"/usr/include", "/usr/include"},
	{"/usr/bin/ls", "/usr/bin/ls"},
	{"/bin/ls", "/usr/bin/ls"},
	{"/tmp", "/tmp"},
	{"/tmp/x", "/tmp/x"},
	{"/srv/tool", "/srv/tool"},
	{"/srv/data", "/srv/data"},
	{"/home", "/home"},
	{"/dev/stdin", "/dev/pts/3"},
	{"/proc/self/root/etc/passwd", "/etc/passwd"},
};

static int follow(void *ctx, const char *path, char *out, size_t size)
{
	char plain[PATH_MAX];

	(void)ctx;
	assert_true(policy_path_normalise("/", path, plain, sizeof(plain)) >= 0);
	for (size_t i = 0; i < sizeof(world) / sizeof(world[0]); i++) {
		if (strcmp(world[i].path, plain) != 0)
			continue;
		assert_true(strlen(world[i].real) < size);
		memcpy(out, world[i].real, strlen(world[i].real) + 1);
		return 0;
	}
	return -ENOENT;
}

#define RULE(where, what, who)                                               \
	{                                                                    \
		.path = STR(where), .written = STR(where), .rights = (what), \
		.origin = STR(who)                                           \
	}

/* Profile tool with its root, as the loader would have made it. */
static struct policy_block *make_block(struct policy change)
{
	struct path_rule rules[] = {
		RULE("/proj", PATH_READ | PATH_WRITE | PATH_EXEC, "profile tool"),
		RULE("/usr", PATH_READ | PATH_EXEC, "profile tool"),
		RULE("/tmp", PATH_READ | PATH_WRITE, "profile tool"),
		RULE("/etc/passwd", PATH_READ, "profile tool"),
		RULE("/srv/data", PATH_READ, "--read"),
	};
	char *denied[] = {STR("frobnicate"), STR("aaa")};
	struct policy_block *block = NULL;

	change.paths = rules;
	change.path_count = sizeof(rules) / sizeof(rules[0]);
	change.deny_argv0 = (struct string_list){.item = denied, .count = 2};
	change.limits = limits_default();
	assert_int_equal(policy_compile(&change, &block), 0);
	return block;
}

static struct policy tool(void)
{
	return (struct policy){
		.profile = STR("tool"), .root = STR("/proj"), .processes = true};
}

static struct policy tool_with_shell(void)
{
	struct policy p = tool();

	p.shell = true;
	return p;
}

static struct verdict_text said;

static struct verdict judge_in(struct policy p, const char *cwd, char **argv)
{
	struct policy_block *block = make_block(p);
	struct preflight ask = {
		.argv = argv, .cwd = cwd, .home = "/home/u", .follow = follow};
	struct verdict v;

	policy_preflight(block, &ask, &said, &v);
	free(block);
	return v;
}

static void assert_refused(char **argv, enum axis axis, const char *reason)
{
	struct verdict v = judge_in(tool(), "/proj", argv);

	assert_int_equal(v.action, ACTION_DENY);
	assert_int_equal(v.layer, LAYER_PREFLIGHT);
	assert_string_equal(v.reason, reason);
	assert_int_equal(v.axis, axis);
	assert_true(*v.fix);
}

static void assert_allowed(char **argv)
{
	struct verdict v = judge_in(tool(), "/proj", argv);

	assert_string_equal(v.reason, "");
	assert_int_equal(v.action, ACTION_ALLOW);
}

static void assert_inline(const char *name, const char *flag, char **argv)
{
	char reason[512];
	struct sentence s = sentence_begin(reason, sizeof(reason));

	sentence_add(&s, "interpreter '");
	sentence_add(&s, name);
	sentence_add(&s, "' invoked with refused flag '");
	sentence_add(&s, flag);
	sentence_add(&s, "'; use a script file instead of -c/-e");
	assert_refused(argv, AXIS_ARGV, reason);
}

static void assert_denied_name(const char *name, char **argv)
{
	char reason[512];
	struct sentence s = sentence_begin(reason, sizeof(reason));

	sentence_add(&s, "executable '");
	sentence_add(&s, name);
	sentence_add(&s, "' is on the denylist");
	assert_refused(argv, AXIS_EXECUTABLE, reason);
}

static void assert_outside(const char *argument, const char *real, char **argv)
{
	char reason[512];
	struct sentence s = sentence_begin(reason, sizeof(reason));

	sentence_add(&s, "path argument '");
	sentence_add(&s, argument);
	sentence_add(&s, "' resolves outside project root ('");
	sentence_add(&s, real);
	sentence_add(&s, "' not under '/proj')");
	assert_refused(argv, AXIS_PATH, reason);
}

#define A(...) ARGV(__VA_ARGS__)
#define S STR

/* --- order and texts
 * ------------------------------------------------------------------------ */

static void empty_argv_is_refused(void **state)
{
	(void)state;
	assert_refused((char *[]){NULL}, AXIS_ARGV, "empty argv");
}

static void name_without_basename_is_refused(void **state)
{
	(void)state;
	assert_refused(A(S("")), AXIS_EXECUTABLE, "executable '' has no basename");
	assert_refused(A(S("bin/")), AXIS_EXECUTABLE,
		       "executable 'bin/' has no basename");
}

static void denylist_comes_before_metachars(void **state)
{
	(void)state;
	assert_denied_name("rm", A(S("rm"), S("a;b")));
}

static void metachar_text_names_character_and_argument(void **state)
{
	struct verdict v;

	(void)state;
	assert_refused(
		A(S("echo"), S("a;b")), AXIS_SHELL,
		"argv contains shell metachar ';' in 'a;b'; set shell=True to opt in");
	v = judge_in(tool(), "/proj", A(S("echo"), S("a;b")));
	assert_string_equal(v.fix, "--shell");
}

static void first_metachar_of_the_order_is_named(void **state)
{
	(void)state;
	assert_refused(A(S("echo"), S("$(x)>y|z")), AXIS_SHELL,
		       "argv contains shell metachar '|' in '$(x)>y|z'; set shell=True "
		       "to opt in");
	assert_refused(
		A(S("echo"), S("$(x)")), AXIS_SHELL,
		"argv contains shell metachar '$(' in '$(x)'; set shell=True to opt in");
}

static void path_text_names_argument_target_and_root(void **state)
{
	struct verdict v;

	(void)state;
	assert_outside("../tmp/x", "/tmp/x", A(S("cat"), S("../tmp/x")));
	v = judge_in(tool(), "/proj", A(S("cat"), S("../tmp/x")));
	assert_string_equal(v.fix, "--read /tmp/x");
}

static void cwd_outside_the_root_is_refused(void **state)
{
	struct verdict v = judge_in(tool(), "/tmp", A(S("ls"), S("x")));

	(void)state;
	assert_int_equal(v.action, ACTION_DENY);
	assert_string_equal(v.reason, "cwd '/tmp' not under project root");
}

static void profile_without_root_skips_paths_cwd_and_metachars(void **state)
{
	struct policy p = {.profile = STR("code"), .metachars = METACHARS_OFF};
	struct verdict v = judge_in(p, "/tmp", A(S("ls"), S("/etc/passwd"), S("a;b")));

	(void)state;
	assert_int_equal(v.action, ACTION_ALLOW);
}

static void executable_outside_every_root_is_refused(void **state)
{
	struct verdict v;

	(void)state;
	assert_refused(A(S("/tmp/x")), AXIS_EXECUTABLE,
		       "executable '/tmp/x' is outside every executable root");
	v = judge_in(tool(), "/proj", A(S("/tmp/x")));
	assert_string_equal(v.fix, "--exec /tmp");
	assert_allowed(A(S("./run")));
	assert_allowed(A(S("/bin/ls")));
}

static void hostile_bytes_are_quoted_as_python_does(void **state)
{
	char out[128];

	(void)state;
	python_repr("it's", out, sizeof(out));
	assert_string_equal(out, "\"it's\"");
	python_repr("'\"", out, sizeof(out));
	assert_string_equal(out, "'\\'\"'");
	python_repr("a\\b\n\t\x1b\x7f", out, sizeof(out));
	assert_string_equal(out, "'a\\\\b\\n\\t\\x1b\\x7f'");
	python_repr("h\xc3\xa9 \xf0\x9f\x90\x84", out, sizeof(out));
	assert_string_equal(out, "'h\xc3\xa9 \xf0\x9f\x90\x84'");
	python_repr("\xff\xc3(\xed\xa0\x80", out, sizeof(out));
	assert_string_equal(out, "'\\xff\\xc3(\\xed\\xa0\\x80'");
	python_repr("\xe2\x80\xa8\xc2\xa0\xe2\x80\x8b", out, sizeof(out));
	assert_string_equal(out, "'\\u2028\\xa0\\u200b'");
}

static void sentence_is_cut_not_overrun(void **state)
{
	char out[6];

	(void)state;
	assert_int_equal(python_repr("a\xc3\xa9\n\n\n\n", out, sizeof(out)), 5);
	assert_int_equal(strlen(out), 5);
}

/* --- denylist
 * ------------------------------------------------------------------------------- */

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

/* --- inline code
 * ---------------------------------------------------------------------------- */

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

/* --- wrappers
 * ------------------------------------------------------------------------------- */

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

/* --- path arguments
 * ------------------------------------------------------------------------- */

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

/* --- the documented answers to false alarms
 * ------------------------------------------------- */

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

static void git_message_with_semicolon_needs_shell_or_metachars_off(void **state)
{
	struct policy off = tool();
	char **argv = A(S("git"), S("commit"), S("-m"), S("a; b"));

	(void)state;
	assert_refused(
		argv, AXIS_SHELL,
		"argv contains shell metachar ';' in 'a; b'; set shell=True to opt in");
	off.metachars = METACHARS_OFF;
	assert_int_equal(judge_in(tool_with_shell(), "/proj", argv).action, ACTION_ALLOW);
	assert_int_equal(judge_in(off, "/proj", argv).action, ACTION_ALLOW);
}

static void echo_with_parentheses_passes_with_shell(void **state)
{
	char **argv = A(S("echo"), S("costs 5 (five)"));

	(void)state;
	assert_refused(argv, AXIS_SHELL,
		       "argv contains shell metachar ')' in 'costs 5 (five)'; set "
		       "shell=True to opt in");
	assert_int_equal(judge_in(tool_with_shell(), "/proj", argv).action, ACTION_ALLOW);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_argv_is_refused),
		cmocka_unit_test(name_without_basename_is_refused),
		cmocka_unit_test(denylist_comes_before_metachars),
		cmocka_unit_test(metachar_text_names_character_and_argument),
		cmocka_unit_test(first_metachar_of_the_order_is_named),
		cmocka_unit_test(path_text_names_argument_target_and_root),
		cmocka_unit_test(cwd_outside_the_root_is_refused),
		cmocka_unit_test(profile_without_root_skips_paths_cwd_and_metachars),
		cmocka_unit_test(executable_outside_every_root_is_refused),
		cmocka_unit_test(hostile_bytes_are_quoted_as_python_does),
		cmocka_unit_test(sentence_is_cut_not_overrun),
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
		cmocka_unit_test(absolute_path_is_refused_though_programs_may_read_it),
		cmocka_unit_test(links_out_of_the_root_are_refused),
		cmocka_unit_test(values_glued_to_options_are_refused),
		cmocka_unit_test(tilde_is_judged_as_if_expanded),
		cmocka_unit_test(response_files_and_file_urls_are_refused),
		cmocka_unit_test(system_folders_devices_and_grants_pass),
		cmocka_unit_test(grep_e_and_sed_e_pass),
		cmocka_unit_test(gcc_c_and_tar_cf_pass),
		cmocka_unit_test(git_message_with_semicolon_needs_shell_or_metachars_off),
		cmocka_unit_test(echo_with_parentheses_passes_with_shell),
		cmocka_unit_test(urls_refs_and_delimiters_are_no_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
