/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that makes it hard for the shim.
 *
 *   carry FORM       runs /usr/bin/env by that call, with an environment emptied of all
 * but LD_PRELOAD=/none.so carry blind      spawns the program that BLIND names carry
 * flood N    is refused the same socket N times carry closed     closes and forbids
 * descriptors, then opens what it may not carry vfork N    makes N children by vfork,
 * each of which execs; prints how many KiB that left behind carry signals N  is refused
 * in a thread while a handler is refused as well
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

static char env[] = "/usr/bin/env";
static char *argv_env[] = { env, NULL };
static char own_preload[] = "LD_PRELOAD=/none.so";
static char *poor[] = { own_preload, NULL };

static int finish(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

static int
run_spawn(int (*spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		       const posix_spawnattr_t *, char *const[], char *const[]))
{
	int status = 0;
	pid_t pid;

	if (spawn(&pid, env, NULL, NULL, argv_env, poor) != 0 ||
	    waitpid(pid, &status, 0) < 0)
		return 125;
	return finish(status);
}

/* Spawns the static program that BLIND names. */
static int run_blind(void)
{
	const char *program = getenv("BLIND");
	int status = 0;
	pid_t pid;

	if (!program || posix_spawn(&pid, program, NULL, NULL, argv_env, poor) != 0)
		return 125;
	return waitpid(pid, &status, 0) < 0 ? 125 : finish(status);
}

static int run_popen(void)
{
	FILE *stream = popen(env, "r");
	char line[4096];

	while (stream && fgets(line, sizeof(line), stream))
		(void)fputs(line, stdout);
	return stream ? finish(pclose(stream)) : 125;
}

static int run_wordexp(void)
{
	wordexp_t words;

	if (wordexp("$(/usr/bin/env)", &words, 0) != 0)
		return 125;
	for (size_t i = 0; i < words.we_wordc; i++)
		(void)puts(words.we_wordv[i]);
	wordfree(&words);
	return 0;
}

static int run_form(const char *form)
{
	if (!strcmp(form, "blind"))
		return run_blind();
	environ = poor;
	if (!strcmp(form, "execve"))
		(void)execve(env, argv_env, poor);
	else if (!strcmp(form, "execv"))
		(void)execv(env, argv_env);
	else if (!strcmp(form, "execvp"))
		(void)execvp("env", argv_env);
	else if (!strcmp(form, "execvpe"))
		(void)execvpe("env", argv_env, poor);
	else if (!strcmp(form, "execl"))
		(void)execl(env, env, (char *)NULL);
	else if (!strcmp(form, "execle"))
		(void)execle(env, env, (char *)NULL, poor);
	else if (!strcmp(form, "execlp"))
		(void)execlp("env", env, (char *)NULL);
	else if (!strcmp(form, "fexecve"))
		(void)fexecve(open(env, O_RDONLY | O_CLOEXEC), argv_env, poor);
	else if (!strcmp(form, "syscall"))
		(void)syscall(SYS_execve, env, argv_env, poor);
	else if (!strcmp(form, "null"))
		(void)execve(env, argv_env, NULL);
	else if (!strcmp(form, "posix_spawn"))
		return run_spawn(posix_spawn);
	else if (!strcmp(form, "posix_spawnp"))
		return run_spawn(posix_spawnp);
	else if (!strcmp(form, "system"))
		return finish(system(env));
	else if (!strcmp(form, "popen"))
		return run_popen();
	else if (!strcmp(form, "wordexp"))
		return run_wordexp();
	return 2;
}

static int flood(long times)
{
	while (times-- > 0)
		if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
			return 1;
	return 0;
}

static int open_closed(void)
{
	const struct rlimit none = { 3, 3 };

	(void)syscall(SYS_close_range, 3u, ~0u, 0u);
	if (setrlimit(RLIMIT_NOFILE, &none) < 0)
		return 1;
	return open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES;
}

static long resident_kb(void)
{
	struct rusage use;

	(void)getrusage(RUSAGE_SELF, &use);
	return use.ru_maxrss;
}

static bool vfork_one(const char *program)
{
	static char *program_argv[] = { env, NULL };
	pid_t pid = vfork();

	if (!pid) {
		(void)execve(program, program_argv, poor);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static int vfork_many(long times)
{
	long before = 0;

	for (long i = 0; i < times; i++) {
		if (!vfork_one(i % 20 ? "/none" : "/bin/true"))
			return 1;
		if (i == times / 2)
			before = resident_kb();
	}
	printf("grown %ld KiB\n", resident_kb() - before);
	return 0;
}

static void on_alarm(int number)
{
	int saved = errno;

	(void)number;
	(void)open("/etc/group", O_RDONLY);
	errno = saved;
}

static void *refused_often(void *times)
{
	for (long i = 0; i < *(long *)times; i++)
		if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES)
			return times;
	return NULL;
}

static int interrupt(long times)
{
	const struct sigaction act = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 500 }, { 0, 500 } },
			       never = { { 0, 0 }, { 0, 0 } };
	pthread_t threads[3];
	void *bad = NULL, *result;

	(void)sigaction(SIGALRM, &act, NULL);
	(void)setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, refused_often, &times) != 0)
			return 1;
	for (int i = 0; i < 3; i++) {
		(void)pthread_join(threads[i], &result);
		bad = result ? result : bad;
	}
	(void)setitimer(ITIMER_REAL, &never, NULL);
	return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
	long times = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "flood"))
		return flood(times);
	if (!strcmp(argv[1], "closed"))
		return open_closed();
	if (!strcmp(argv[1], "vfork"))
		return vfork_many(times);
	if (!strcmp(argv[1], "signals"))
		return interrupt(times);
	return run_form(argv[1]);
}
