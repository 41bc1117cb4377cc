/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run costs, as ratios: against bwrap, against the bare program, run 1,000 against run 10, many
 * rules against few, a flood of output against a bare pipe reader. Rivals take turns within one
 * loop, so that a busy machine slows them alike; medians are compared, and only ratios mean
 * anything elsewhere.
 *
 *   bench-run STILE GUEST [RUNS [MEGABYTES]]
 *
 * Works in a new folder below TMPDIR. Prints a table; fails only when something does not run.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SESSION_RUNS 1000u
#define WINDOW 20u /* runs around the 10th and at the end */
#define MANY_RULES 10000u
#define FEW_RULES 10u

extern char **environ;

struct settings {
	char *stile, *guest;
	unsigned runs, megabytes;
};

struct talk { /* one `stile session` */
	pid_t pid;
	FILE *to, *from;
};

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "bench-run: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int ascending(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

static double median(const double *values, unsigned count)
{
	double *sorted = malloc(count * sizeof(*sorted)), middle;

	if (!sorted)
		die("malloc");
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), ascending);
	middle = sorted[count / 2];
	free(sorted);
	return middle;
}

/* One line of the table; `target` 0 = none. */
static void tell(const char *claim, double ours, double other, const char *unit, double target)
{
	bool more = target < 0; /* a rate: at least -target */
	double ratio = other > 0 ? ours / other : 0;

	printf("%-46s %9.2f %9.2f %-5s", claim, ours, other, unit);
	printf(" %6.2f", ratio);
	if (target > 0)
		printf("  <= %.2f  %s", target, ratio <= target ? "met" : "MISSED");
	if (more)
		printf("  >= %.2f  %s", -target, ratio >= -target ? "met" : "MISSED");
	putchar('\n');
	fflush(stdout);
}

/* One line whose target is a bound on the value itself. */
static void tell_value(const char *claim, double value, const char *unit, double most)
{
	printf("%-46s %9.2f %9s %-5s %6s  <= %.2f  %s\n", claim, value, "", unit, "", most,
	       value <= most ? "met" : "MISSED");
	fflush(stdout);
}

static pid_t start(char *const argv[], const posix_spawn_file_actions_t *actions)
{
	pid_t pid;

	errno = posix_spawnp(&pid, argv[0], actions, NULL, argv, environ);
	if (errno)
		die(argv[0]);
	return pid;
}

static void await(pid_t pid, const char *name)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "bench-run: %s: wait status %#x\n", name, (unsigned)status);
		exit(1);
	}
}

static double time_command(char *const argv[])
{
	double begin;
	posix_spawn_file_actions_t actions;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	begin = now();
	await(start(argv, &actions), argv[0]);
	begin = now() - begin;
	(void)posix_spawn_file_actions_destroy(&actions);
	return begin;
}

static double *measures(unsigned count)
{
	double *values = calloc(count, sizeof(*values));

	if (!values)
		die("calloc");
	return values;
}

/* ---- (a) one run ---- */

static bool has_bwrap(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		(void)dup2(null, 2);
		(void)execvp(argv[0], argv);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void bench_single(const struct settings *set)
{
	char *bare[] = { set->guest, NULL };
	char *ours[] = { set->stile, (char *)"run", (char *)"--", set->guest, NULL };
	char *rival[] = { (char *)"bwrap", (char *)"--unshare-all", (char *)"--ro-bind",
			  (char *)"/",	   (char *)"/",		    (char *)"--die-with-parent",
			  set->guest,	   NULL };
	double *a = measures(set->runs), *b = measures(set->runs), *c = measures(set->runs);
	bool rivals = has_bwrap(rival);

	for (unsigned i = 0; i < set->runs; i++) {
		a[i] = time_command(ours);
		b[i] = time_command(bare);
		c[i] = rivals ? time_command(rival) : 0;
	}
	if (rivals)
		tell("stile run / bwrap", median(a, set->runs), median(c, set->runs), "ms", 0.5);
	else
		puts("stile run / bwrap: bwrap does not run here");
	tell("stile run / bare program", median(a, set->runs), median(b, set->runs), "ms", 3.5);
	free(a);
	free(b);
	free(c);
}

/* ---- sessions ---- */

static struct talk open_talk(const struct settings *set, char *policy)
{
	char *argv[] = { set->stile, (char *)"session", policy ? (char *)"--policy" : NULL, policy,
			 NULL };
	posix_spawn_file_actions_t actions;
	struct talk talk;
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		die("pipe");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	(void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	talk.pid = start(argv, &actions);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(in[0]);
	(void)close(out[1]);
	talk.to = fdopen(in[1], "w");
	talk.from = fdopen(out[0], "r");
	if (!talk.to || !talk.from)
		die("fdopen");
	return talk;
}

static void close_talk(struct talk *talk)
{
	(void)fclose(talk->to);
	(void)fclose(talk->from);
	await(talk->pid, "stile session");
}

/* One request, one answer; the answer must tell of a program that ended well. */
static double ask(struct talk *talk, const char *request)
{
	static char *line;
	static size_t room;
	double begin = now();

	if (fputs(request, talk->to) < 0 || fflush(talk->to) < 0)
		die("write to the session");
	if (getline(&line, &room, talk->from) < 0)
		die("read from the session");
	begin = now() - begin;
	if (!strstr(line, "\"status\":\"ok\"")) {
		fprintf(stderr, "bench-run: %s", line);
		exit(1);
	}
	return begin;
}

static double status_mb(pid_t pid, const char *key)
{
	char path[64], line[256];
	unsigned long kb = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			kb = strtoul(line + strlen(key) + 1, NULL, 10);
	if (f)
		(void)fclose(f);
	return (double)kb / 1024;
}

/* ---- (b) (e) a session's runs ---- */

static void bench_session(const struct settings *set)
{
	char request[512], *bare[] = { set->guest, NULL };
	double *a = measures(SESSION_RUNS), *b = measures(SESSION_RUNS);
	struct talk talk = open_talk(set, NULL);

	(void)snprintf(request, sizeof(request), "{\"op\":\"run\",\"argv\":[\"%s\"]}\n",
		       set->guest);
	for (unsigned i = 0; i < SESSION_RUNS; i++) {
		a[i] = ask(&talk, request);
		b[i] = time_command(bare);
	}
	tell("a session's run / fork+exec+wait", median(a, SESSION_RUNS), median(b, SESSION_RUNS),
	     "ms", 0);
	tell_value("a session's run minus fork+exec+wait",
		   median(a, SESSION_RUNS) - median(b, SESSION_RUNS), "ms", 0.6);
	tell("runs 981 to 1,000 / runs 10 to 29", median(a + SESSION_RUNS - WINDOW, WINDOW),
	     median(a + 9, WINDOW), "ms", 1.2);
	tell_value("an idle session's VmRSS", status_mb(talk.pid, "VmRSS:"), "MB", 6);
	close_talk(&talk);
	free(a);
	free(b);
}

/* ---- (c) rules ---- */

static char *write_policy(unsigned rules)
{
	char path[64], *name = NULL;
	FILE *f;

	if (asprintf(&name, "policy-%u.json", rules) < 0 || !(f = fopen(name, "we")))
		die("policy");
	(void)fputs("{\"version\":1,\"filesystem\":{\"read\":[", f);
	for (unsigned i = 0; i < rules; i++) {
		(void)snprintf(path, sizeof(path), "rules/d%u/f%u", i % 100, i);
		fprintf(f, "%s\"%s\"", i ? "," : "", path);
	}
	(void)fputs("]}}\n", f);
	(void)fclose(f);
	return name;
}

static void make_files(unsigned rules)
{
	char path[64];

	(void)mkdir("rules", 0755);
	for (unsigned i = 0; i < rules; i++) {
		int fd;

		(void)snprintf(path, sizeof(path), "rules/d%u", i % 100);
		(void)mkdir(path, 0755);
		(void)snprintf(path, sizeof(path), "rules/d%u/f%u", i % 100, i);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		if (fd < 0)
			die(path);
		(void)close(fd);
	}
}

static void bench_rules(const struct settings *set)
{
	char request[512], *few = write_policy(FEW_RULES), *many = write_policy(MANY_RULES);
	double *a = measures(set->runs), *b = measures(set->runs), begin;
	struct talk big, small;

	make_files(MANY_RULES);
	(void)snprintf(request, sizeof(request), "{\"op\":\"run\",\"argv\":[\"%s\"]}\n",
		       set->guest);
	begin = now();
	small = open_talk(set, few);
	(void)ask(&small, request);
	b[0] = now() - begin;
	begin = now();
	big = open_talk(set, many);
	(void)ask(&big, request);
	tell("opening a session, 10,000 rules / 10", now() - begin, b[0], "ms", 0);
	for (unsigned i = 0; i < set->runs; i++) {
		a[i] = ask(&big, request);
		b[i] = ask(&small, request);
	}
	tell("a session's run, 10,000 rules / 10", median(a, set->runs), median(b, set->runs), "ms",
	     1.3);
	close_talk(&big);
	close_talk(&small);
	free(a);
	free(b);
	free(few);
	free(many);
}

/* ---- (d) a flood of output ---- */

static double read_bare(const struct settings *set)
{
	static char chunk[65536];
	char amount[16], *argv[] = { set->guest, amount, NULL };
	posix_spawn_file_actions_t actions;
	double begin = now();
	int ends[2];
	pid_t pid;

	(void)snprintf(amount, sizeof(amount), "%u", set->megabytes);
	if (pipe2(ends, O_CLOEXEC) < 0)
		die("pipe");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	pid = start(argv, &actions);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(ends[1]);
	while (read(ends[0], chunk, sizeof(chunk)) > 0)
		;
	(void)close(ends[0]);
	await(pid, set->guest);
	return set->megabytes / (now() - begin) * 1e3;
}

static void bench_output(const struct settings *set)
{
	char request[512];
	double ours[3], bare[3];
	struct talk talk = open_talk(set, NULL);

	(void)snprintf(request, sizeof(request),
		       "{\"op\":\"run\",\"argv\":[\"%s\",\"%u\"],\"limits\":{\"wall_s\":600}}\n",
		       set->guest, set->megabytes);
	for (int i = 0; i < 3; i++) {
		ours[i] = set->megabytes / ask(&talk, request) * 1e3;
		bare[i] = read_bare(set);
	}
	tell("output taken / bare pipe reader", median(ours, 3), median(bare, 3), "MB/s", -0.5);
	tell_value("the launcher's VmHWM after it", status_mb(talk.pid, "VmHWM:"), "MB", 8);
	close_talk(&talk);
}

static char *take_guest(const char *from)
{
	char *command = NULL;

	if (asprintf(&command, "cp '%s' guest", from) < 0 || system(command) != 0)
		die(from);
	free(command);
	return realpath("guest", NULL);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/stile-bench-XXXXXX", *command = NULL;
	struct settings set = { .runs = 200, .megabytes = 2048 };

	if (argc < 3) {
		fputs("usage: bench-run STILE GUEST [RUNS [MEGABYTES]]\n", stderr);
		return 2;
	}
	if (argc > 3)
		set.runs = (unsigned)strtoul(argv[3], NULL, 10);
	if (argc > 4)
		set.megabytes = (unsigned)strtoul(argv[4], NULL, 10);
	set.stile = realpath(argv[1], NULL);
	command = realpath(argv[2], NULL);
	if (!set.stile || !command || !mkdtemp(folder) || chdir(folder) < 0)
		die("set up");
	set.guest = take_guest(command);
	(void)signal(SIGPIPE, SIG_IGN);
	printf("%-46s %9s %9s %-5s %6s  target\n", "", "this", "other", "", "ratio");
	bench_single(&set);
	bench_session(&set);
	bench_rules(&set);
	bench_output(&set);
	free(command);
	if (asprintf(&command, "rm -rf '%s'", folder) > 0)
		(void)!system(command);
	free(command);
	free(set.stile);
	free(set.guest);
	return 0;
}
