/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interpreters: one table for everybody who must know one.
 *
 * The preflight asks which of their arguments carry code, the recipes which file and
 * flags a language needs, the step counters which runtime a program is. The rows are
 * facts of the interpreters' own manuals; how an option is written is a fact too: python
 * glues code to -c and a shell does not, perl's -i swallows the rest of its cluster and
 * -n does not. Read-only data, no memory of its own; the reading of command lines is in
 * command_line.c.
 */
#include "policy/interpreters.h"

#include <string.h>
#include <strings.h>

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define PYTHON_ASK                                                                \
	"import sys, sysconfig\n"                                                 \
	"print('\\n'.join(dict.fromkeys([p for p in sys.path if p] +"             \
	" [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix] +" \
	" [v for k, v in sysconfig.get_paths().items() if k != 'data'])))"

#define LUA_ASK                                                               \
	"for p in (package.path .. ';' .. package.cpath):gmatch('[^;]+') do " \
	"local d = p:match('^(/[^?]*)/') if d then print(d) end end"

#define PHP_ASK                                                                     \
	"foreach ([ini_get('extension_dir'), PHP_EXTENSION_DIR, PEAR_INSTALL_DIR,"  \
	" PHP_CONFIG_FILE_PATH, PHP_CONFIG_FILE_SCAN_DIR] as $d) if ($d) echo $d, " \
	"\"\\n\";"

#define NODE_VALUES                                                                     \
	"--require --import --loader --experimental-loader --conditions --title "       \
	"--input-type --env-file --env-file-if-exists --disable-warning "               \
	"--disable-proto "                                                              \
	"--icu-data-dir --openssl-config --redirect-warnings --trace-event-categories " \
	"--trace-event-file-pattern --tls-cipher-list --tls-keylog --tls-min-v1.0 "     \
	"--unhandled-rejections --dns-result-order --diagnostic-dir --report-dir "      \
	"--report-directory --report-filename --report-signal --debug-port "            \
	"--inspect-port --inspect-publish-uid --heapsnapshot-signal "                   \
	"--heapsnapshot-near-heap-limit --cpu-prof-dir --cpu-prof-name "                \
	"--cpu-prof-interval --heap-prof-dir --heap-prof-name --heap-prof-interval "    \
	"--secure-heap --secure-heap-min --snapshot-blob --build-snapshot-config "      \
	"--experimental-default-type --experimental-policy --policy-integrity "         \
	"--experimental-sea-config --allow-fs-read --allow-fs-write "                   \
	"--max-http-header-size --network-family-autoselection-attempt-timeout "        \
	"--test-concurrency --test-name-pattern --test-skip-pattern --test-reporter "   \
	"--test-reporter-destination --test-shard --test-timeout "                      \
	"--trace-require-module "                                                       \
	"--use-largepages --v8-pool-size --watch-path --localstorage-file "             \
	"--security-revert --stack-trace-limit --es-module-specifier-resolution"

/* Every shell reads its command from the argument behind the cluster that has the c. */
#define SHELL_OPTIONS .inline_short = "c", .plus = true

const struct interpreter interpreters[] = {
	{
		.name = "python",
		.kind = INTERPRETER_CPYTHON,
		.programs = "python3 python python2 ipython ipython3 micropython jython",
		.languages = "python python3 py",
		.suffix = ".py",
		/* No user folders, no site packages, the same text encoding everywhere,
		 * and output that is there even when the clock ends the run. */
		.code_flags = WORDS("-I", "-S", "-X", "utf8", "-u"),
		.ask_folders = WORDS("-I", "-S", "-c", PYTHON_ASK),
		.options = {.inline_short = "c",
			    .value_short = "XWQ",
			    .last_short = "m",
			    .value_long = "--check-hash-based-pycs"},
	},
	{
		.name = "pypy",
		.kind = INTERPRETER_PYPY,
		.programs = "pypy3 pypy graalpy graalpython",
		.languages = "pypy",
		.suffix = ".py",
		.reserves_address_space = true,
		.code_flags = WORDS("-I", "-S", "-u"),
		.ask_folders = WORDS("-I", "-S", "-c", PYTHON_ASK),
		.options = {.inline_short = "c",
			    .value_short = "XWQ",
			    .last_short = "m",
			    .value_long = "--jit --check-hash-based-pycs"},
	},
	{
		.name = "perl",
		.kind = INTERPRETER_PERL,
		.programs = "perl",
		.languages = "perl pl",
		.suffix = ".pl",
		.code_flags = WORDS(NULL),
		.ask_folders = WORDS("-e", "print join(\"\\n\", @INC), \"\\n\""),
		/* -d, -V and -m take ":…" or a name; -i, -C, -D, -F, -M, -m swallow the
		   rest. */
		.options = {.inline_short = "eE",
			    .value_short = "I",
			    .glued_short = "iCDFMm"},
	},
	{
		.name = "node",
		.kind = INTERPRETER_NODE,
		.programs = "node nodejs iojs",
		.languages = "javascript js node",
		.suffix = ".js",
		.reserves_address_space = true,
		.code_flags = WORDS(NULL),
		.ask_folders = WORDS("-p", "process.execPath"),
		.options = {.inline_short = "ep",
			    .value_short = "rC",
			    .inline_long = "--eval --print",
			    .value_long = NODE_VALUES,
			    .data_urls = true},
	},
	{
		.name = "deno",
		.programs = "deno",
		.languages = "deno typescript ts",
		.suffix = ".ts",
		.reserves_address_space = true,
		.code_flags = WORDS("run", "--no-prompt"),
		.options =
			{.inline_short = "e",
			 .value_short = "Lc",
			 .inline_long = "--eval",
			 .value_long =
				 "--config --import-map --lock --location --seed --cert "
				 "--log-level --preload",
			 .inline_words = "eval",
			 .more_words = "run repl test bench serve cache check compile",
			 .data_urls = true},
	},
	{
		.name = "bun",
		.programs = "bun bunx",
		.languages = "bun",
		.suffix = ".js",
		.reserves_address_space = true,
		.code_flags = WORDS("run"),
		.options =
			{.inline_short = "ep",
			 .value_short = "rc",
			 .inline_long = "--eval --print",
			 .value_long =
				 "--preload --require --config --cwd --env-file --port "
				 "--conditions --define --loader",
			 .inline_words = "exec",
			 .more_words = "run test x",
			 .data_urls = true},
	},
	{
		.name = "ruby",
		.kind = INTERPRETER_RUBY,
		.programs = "ruby jruby truffleruby mruby",
		.languages = "ruby rb",
		.suffix = ".rb",
		.code_flags = WORDS(NULL),
		.ask_folders = WORDS("-e", "puts $:"),
		.options =
			{.inline_short = "e",
			 .value_short = "ICXrE",
			 .glued_short = "iFKx",
			 .value_long =
				 "--encoding --external-encoding --internal-encoding "
				 "--disable --enable --backtrace-limit --dump --parser"},
	},
	{
		.name = "php",
		.kind = INTERPRETER_PHP,
		.programs = "php php-cli php-cgi phpdbg",
		.languages = "php",
		.suffix = ".php",
		.code_flags = WORDS(NULL),
		.ask_folders = WORDS("-r", PHP_ASK),
		.options =
			{.inline_short = "rBRE",
			 .value_short = "cdStzT",
			 .file_short = "fF",
			 .inline_long =
				 "--run --process-begin --process-code --process-end",
			 .value_long =
				 "--php-ini --define --server --docroot --zend-extension "
				 "--rf --rc --re --rz --ri",
			 .file_long = "--file --process-file",
			 .data_urls = true},
	},
	{
		.name = "lua",
		.kind = INTERPRETER_LUA,
		.programs = "lua texlua",
		.languages = "lua",
		.suffix = ".lua",
		.code_flags = WORDS(NULL),
		.ask_folders = WORDS("-e", LUA_ASK),
		.options = {.inline_short = "e", .value_short = "l"},
	},
	{
		.name = "luajit",
		.kind = INTERPRETER_LUAJIT,
		.programs = "luajit",
		.languages = "luajit",
		.suffix = ".lua",
		.code_flags = WORDS(NULL),
		.ask_folders = WORDS("-e", LUA_ASK),
		.options = {.inline_short = "e", .value_short = "lj", .glued_short = "O"},
	},
	{
		.name = "bash",
		.kind = INTERPRETER_SHELL,
		.programs = "bash rbash",
		.languages = "bash",
		.suffix = ".sh",
		.code_flags = WORDS(NULL),
		.options = {SHELL_OPTIONS, .next_short = "oO",
			    .value_long = "--rcfile --init-file -rcfile -init-file"},
	},
	{
		.name = "sh",
		.kind = INTERPRETER_SHELL,
		.programs = "sh dash ash yash posh",
		.languages = "sh shell",
		.suffix = ".sh",
		.code_flags = WORDS(NULL),
		.options = {SHELL_OPTIONS, .next_short = "oO"},
	},
	{
		.name = "zsh",
		.kind = INTERPRETER_SHELL,
		.programs = "zsh rzsh",
		.languages = "zsh",
		.suffix = ".zsh",
		.code_flags = WORDS(NULL),
		.options = {SHELL_OPTIONS, .next_short = "o", .value_long = "--emulate"},
	},
	{
		.name = "ksh",
		.kind = INTERPRETER_SHELL,
		.programs = "ksh ksh93 rksh mksh lksh pdksh oksh",
		.languages = "ksh",
		.suffix = ".sh",
		.code_flags = WORDS(NULL),
		.options = {SHELL_OPTIONS, .next_short = "oTR"},
	},
	{
		.name = "csh",
		.kind = INTERPRETER_SHELL,
		.programs = "csh tcsh",
		.languages = "",
		.options = {.inline_short = "c"},
	},
	{
		.name = "fish",
		.kind = INTERPRETER_SHELL,
		.programs = "fish",
		.languages = "fish",
		.suffix = ".fish",
		.code_flags = WORDS("--no-config"),
		.options = {.inline_short = "cC",
			    .value_short = "dofpD",
			    .inline_long = "--command --init-command",
			    .value_long = "--debug --debug-output --features --profile "
					  "--profile-startup --debug-stack-frames",
			    .abbreviates = true},
	},
	{
		.name = "awk",
		.kind = INTERPRETER_AWK,
		.programs = "awk gawk mawk nawk original-awk bwk goawk frawk",
		.languages = "awk",
		.suffix = ".awk",
		.code_flags = WORDS("-f"),
		.options = {.inline_short = "e",
			    .value_short = "vFilW",
			    .glued_short = "dDoLp",
			    .file_short = "fE",
			    .inline_long = "--source",
			    .value_long = "--assign --field-separator --include --load",
			    .file_long = "--file",
			    .abbreviates = true,
			    .text_operand = true},
	},
	{
		.name = "tclsh",
		.kind = INTERPRETER_TCL,
		.programs = "tclsh wish jimsh",
		.languages = "tcl tclsh",
		.suffix = ".tcl",
		.code_flags = WORDS(NULL),
		.ask_folders = WORDS(NULL),
		/* It has no flag for code: the question goes in through standard input. */
		.ask_script = "puts [info library]\nforeach d $auto_path { puts $d }\n",
		.options = {.value_long = "-encoding", .single_dash = true},
	},
	{
		.name = "expect",
		.programs = "expect",
		.languages = "",
		.options = {.inline_short = "c", .value_short = "Db", .file_short = "f"},
	},
	{
		.name = "julia",
		.programs = "julia",
		.languages = "julia",
		.suffix = ".jl",
		.reserves_address_space = true,
		.code_flags = WORDS("--startup-file=no"),
		.options =
			{.inline_short = "eE",
			 .value_short = "JHCLpt",
			 .inline_long = "--eval --print",
			 .value_long =
				 "--project --sysimage --threads --procs --load --home",
			 .abbreviates = true},
	},
	{
		.name = "Rscript",
		.programs = "Rscript littler",
		.languages = "",
		.options = {.inline_short = "e"},
	},
	{
		.name = "guile",
		.programs = "guile",
		.languages = "",
		.reserves_address_space = true,
		.options = {.inline_short = "c", .value_short = "LCxlse"},
	},
	{
		.name = "elixir",
		.programs = "elixir iex",
		.languages = "",
		.reserves_address_space = true,
		.options = {.inline_short = "e",
			    .value_short = "rS",
			    .inline_long = "--eval --rpc-eval",
			    .value_long =
				    "--cookie --name --sname --erl --app --require"},
	},
	{
		.name = "erl",
		.programs = "erl",
		.languages = "",
		.reserves_address_space = true,
		.options = {.inline_long = "-eval", .single_dash = true},
	},
	{
		.name = "powershell",
		.programs = "pwsh powershell",
		.languages = "",
		.reserves_address_space = true,
		.options = {.inline_long = "-c -command -Command -e -ec -EncodedCommand "
					   "-encodedcommand",
			    .single_dash = true},
	},
	{
		.name = "java",
		.programs = "java",
		.languages = "",
		.reserves_address_space = true,
		.options = {.value_long = "-cp -classpath --class-path",
			    .single_dash = true},
	},
	{
		.name = "go",
		.programs = "go",
		.languages = "",
		.reserves_address_space = true,
		.options = {.single_dash = true},
	},
	{.name = NULL},
};

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What may stand behind a program's name: "3", "3.11", "3.13t", "-5.4",
 * "5.36-x86_64-linux-gnu",
 * "-dbg", "8.2-cli", or nothing. */
static bool is_version(const char *text)
{
	if (!*text || !strcmp(text, "-dbg"))
		return true;
	if (*text == '-')
		text++;
	if (!is_digit(*text))
		return false;
	text += strspn(text, "0123456789.");
	for (int letters = 0; letters < 3 && *text >= 'a' && *text <= 'z'; letters++)
		text++;
	return !*text || !strcmp(text, "-dbg") || !strcmp(text, "-cli") ||
	       !strcmp(text, "-cgi") || (*text == '-' && strstr(text, "linux"));
}

static bool is_started_by(const struct interpreter *row, const char *base)
{
	for (const char *p = row->programs; *p;) {
		size_t length = strcspn(p, " ");

		if (!strncasecmp(p, base, length) && is_version(base + length))
			return true;
		p += length;
		p += strspn(p, " ");
	}
	return false;
}

const struct interpreter *interpreter_find(const char *program)
{
	const char *base = path_basename(program);

	for (const struct interpreter *row = interpreters; row->name; row++)
		if (*base && is_started_by(row, base))
			return row;
	return NULL;
}

const struct interpreter *interpreter_for_language(const char *language)
{
	for (const struct interpreter *row = interpreters; row->name; row++) {
		for (const char *p = row->languages; *p;) {
			size_t length = strcspn(p, " ");

			if (strlen(language) == length &&
			    !strncasecmp(p, language, length))
				return row;
			p += length;
			p += strspn(p, " ");
		}
	}
	return NULL;
}
