/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wrappers: programs that start the program named in their arguments.
 *
 * `env python3 -c 1` is python3 -c 1, whoever starts it. Each row says how to find the
 * inner command: which options swallow a value, how many operands belong to the wrapper
 * itself, which option carries a whole command line. A wrapper nobody listed is no hole
 * in the walls: what it starts meets the same kernel; only the early sentence is missing.
 */
#include "policy/wrappers.h"

#include "policy/interpreters.h"

#include <string.h>

#define PARALLEL_VALUES                                                                \
	"--jobs --max-procs --arg-file --delay --timeout --colsep --joblog --results " \
	"--tmpdir --workdir --retries --halt --sshlogin --delimiter --load --memfree " \
	"--nice --tagstring --env --basefile --block --recstart --recend --max-args"

#define GDB_VALUES                                                                      \
	"-x -cd -d -s -e -c -p -ix -core -pid -directory -command -init-command -se "   \
	"-symbols -exec -tty -b -l -data-directory --command --core --pid --directory " \
	"--cd --tty --symbols --exec --se --init-command --data-directory"

static const struct wrapper wrappers[] = {
	{.names = "env",
	 .style = WRAPPER_ENV,
	 .value_short = "uCa",
	 .value_long = "--unset --chdir --argv0",
	 .line_short = "S",
	 .line_long = "--split-string"},
	/* Also the words of a shell's own grammar, for the command lines split below. */
	{.names = "nohup setsid busybox busybox.static toybox unbuffer eatmydata "
		  "catchsegv prlimit setarch linux32 linux64 i386 x86_64 uname26 "
		  "stdoutisatty "
		  "dbus-run-session valgrind heaptrack command builtin ! { if then elif "
		  "else "
		  "while until do coproc"},
	{.names = "time gtime", .value_short = "of", .value_long = "--output --format"},
	{.names = "nice", .value_short = "n", .value_long = "--adjustment"},
	{.names = "ionice",
	 .value_short = "cnpPu",
	 .value_long = "--class --classdata --pid --pgid --uid"},
	{.names = "timeout gtimeout",
	 .operands = 1,
	 .value_short = "ks",
	 .value_long = "--kill-after --signal"},
	{.names = "xargs",
	 .value_short = "adEILnPs",
	 .glued_short = "eil",
	 .value_long = "--arg-file --delimiter --max-args --max-procs --max-chars "
		       "--process-slot-var"},
	{.names = "stdbuf",
	 .value_short = "ioe",
	 .value_long = "--input --output --error"},
	{.names = "chrt",
	 .operands = 1,
	 .value_short = "TPD",
	 .value_long = "--sched-runtime --sched-period --sched-deadline"},
	{.names = "taskset chroot faketime setuidgid",
	 .operands = 1,
	 .value_long = "--userspec --groups"},
	{.names = "numactl",
	 .value_short = "NmCpi",
	 .value_long = "--cpunodebind --membind --physcpubind --preferred --interleave"},
	{.names = "choom", .value_short = "np", .value_long = "--adjust --pid"},
	{.names = "cpulimit", .value_short = "lpe", .value_long = "--limit --pid --exe"},
	{.names = "ssh-agent", .value_short = "ta"},
	{.names = "systemd-run",
	 .value_short = "upEMH",
	 .value_long =
		 "--unit --property --setenv --machine --host --slice --description "
		 "--uid --gid --nice --working-directory"},
	{.names = "fakeroot", .value_short = "lsib", .value_long = "--lib --faked"},
	{.names = "unshare",
	 .value_short = "RwSGl",
	 .value_long =
		 "--root --wd --setuid --setgid --map-user --map-group --propagation "
		 "--map-users --map-groups --setgroups --load-interp"},
	{.names = "nsenter",
	 .value_short = "tSG",
	 .value_long = "--target --setuid --setgid"},
	{.names = "setpriv",
	 .value_long =
		 "--reuid --regid --groups --ruid --euid --rgid --egid --ambient-caps "
		 "--inh-caps --bounding-set --securebits --pdeathsig --selinux-label "
		 "--apparmor-profile"},
	/* sudo and su are on the denylist already; their cousins are looked into. */
	{.names = "sudo doas pkexec gosu su-exec",
	 .style = WRAPPER_ENV,
	 .value_short = "uCgpDRhrtTU",
	 .value_long = "--user --group --chdir --chroot --host --prompt --role --type"},
	{.names = "runuser su sg",
	 .value_short = "ugGsw",
	 .value_long = "--user --group --supp-group --shell --whitelist-environment",
	 .line_short = "c",
	 .line_long = "--command --session-command"},
	{.names = "strace",
	 .value_short = "abeEIoOPpsSuUX",
	 .value_long = "--output --trace --string-limit --attach --user --env --columns "
		       "--trace-path --summary-sort-by --interruptible"},
	{.names = "ltrace",
	 .value_short = "aADeFlLnopsuwxX",
	 .value_long = "--output --align --indent --library"},
	{.names = "perf",
	 .operands = 1,
	 .value_short = "eopFCGIr",
	 .value_long = "--event --output --pid --freq --cpu --cgroup --repeat"},
	{.names = "gdb cgdb",
	 .value_long = GDB_VALUES,
	 .code_long =
		 "-ex -iex -eval-command -init-eval-command --ex --iex --eval-command "
		 "--init-eval-command",
	 .single_dash = true},
	{.names = "flock",
	 .operands = 1,
	 .value_short = "wE",
	 .value_long = "--timeout --wait --conflict-exit-code",
	 .line_short = "c",
	 .line_long = "--command"},
	{.names = "script scriptlive",
	 .operands = 1,
	 .value_short = "EmTBIOo",
	 .glued_short = "t",
	 .value_long = "--echo --logging-format --log-timing --log-io --log-in --log-out "
		       "--output-limit",
	 .line_short = "c",
	 .line_long = "--command"},
	{.names = "watch",
	 .style = WRAPPER_SHELL,
	 .value_short = "nq",
	 .glued_short = "d",
	 .value_long = "--interval --equexit"},
	{.names = "parallel",
	 .style = WRAPPER_SHELL,
	 .value_short = "jPSIanNLdEsC",
	 .value_long = PARALLEL_VALUES},
	{.names = "find gfind bfs", .style = WRAPPER_FIND},
	/* The dynamic loader starts any program given to it. */
	{.names = "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 "
		  "ld-linux-armhf.so.3 ld-linux-x32.so.2 ld-musl-x86_64.so.1 "
		  "ld-musl-aarch64.so.1 ld-2.31.so ld-2.28.so",
	 .value_long = "--library-path --preload --argv0 --audit --inhibit-rpath "
		       "--glibc-hwcaps-prepend --glibc-hwcaps-mask"},
	{.names = NULL},
};

const struct wrapper *wrapper_find(const char *program)
{
	const char *base = path_basename(program);
	char folded[64];
	size_t length = strlen(base);

	if (length >= sizeof(folded))
		return NULL;
	for (size_t i = 0; i <= length; i++)
		folded[i] =
			base[i] >= 'A' && base[i] <= 'Z' ? (char)(base[i] + 32) : base[i];
	for (const struct wrapper *w = wrappers; w->names; w++)
		if (words_contain(w->names, folded, length))
			return w;
	return NULL;
}

struct opening {
	const struct wrapper *w;
	const char *const *arg;
	struct wrapped *out;
};

/* The value of the option at *arg; `glued` is what stands behind it in the same argument.
 */
static const char *take_value(struct opening *o, const char *glued)
{
	if (glued)
		return glued;
	if (!o->arg[1])
		return NULL;
	return *++o->arg;
}

static bool open_line(struct opening *o, const char *flag, const char *glued)
{
	o->out->flag = flag;
	o->out->line = take_value(o, glued);
	o->out->argv = o->out->line ? o->arg + 1 : NULL;
	return true;
}

/* Returns whether the inner command is found. */
static bool open_long(struct opening *o)
{
	const char *name = *o->arg;
	size_t length = strcspn(name, "=");
	const char *glued = name[length] ? name + length + 1 : NULL;

	if (o->w->code_long && words_contain_prefix(o->w->code_long, name, length)) {
		*o->out = (struct wrapped){.flag = name, .is_code = true};
		return true;
	}
	/* getopt_long takes any beginning of a name. */
	if (o->w->line_long && words_contain_prefix(o->w->line_long, name, length))
		return open_line(o, name, glued);
	if (o->w->single_dash ? words_contain(o->w->value_long, name, length)
			      : words_contain_prefix(o->w->value_long, name, length))
		take_value(o, glued);
	return false;
}

static bool is_among(const char *letters, char c)
{
	return letters && strchr(letters, c);
}

static bool open_cluster(struct opening *o)
{
	const char *const cluster = *o->arg;

	for (const char *at = cluster + 1; *at; at++) {
		const char *glued = at[1] ? at + 1 : NULL;

		if (is_among(o->w->line_short, *at))
			return open_line(o, cluster, glued);
		if (is_among(o->w->glued_short, *at))
			return false;
		if (is_among(o->w->value_short, *at)) {
			take_value(o, glued);
			return false;
		}
	}
	return false;
}

static bool is_assignment(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals && equals > text && !memchr(text, '/', (size_t)(equals - text));
}

void wrapper_open(const struct wrapper *w, const char *const *argv, struct wrapped *out)
{
	struct opening o = {.w = w, .arg = argv + 1, .out = out};
	unsigned operands = w->operands;
	bool has_options = true;

	*out = (struct wrapped){.argv = NULL};
	for (; *o.arg; o.arg++) {
		const char *text = *o.arg;

		if (has_options && !strcmp(text, "--")) {
			has_options = false;
			continue;
		}
		if (has_options && text[0] == '-' && text[1]) {
			bool is_long = w->single_dash || text[1] == '-';

			if (is_long ? open_long(&o) : open_cluster(&o))
				return;
			continue;
		}
		/* env's lone "-" is -i. */
		if (w->style == WRAPPER_ENV &&
		    (is_assignment(text) || !strcmp(text, "-")))
			continue;
		if (!operands--) {
			out->argv = o.arg;
			return;
		}
	}
}
