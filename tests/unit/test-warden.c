/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The warden: walls once, then programs. With every namespace, and without any wall ("bare", as
 * audit-only has it), where the warden itself must find what a program left running.
 */
#include "backends/empty.h"
#include "backends/landlock.h"
#include "backends/warden.h"
#include "policy/document.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ALL_NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWNET)

struct fixture {
	char base[64], root[80], work[80];
	struct policy *policy;
	struct seccomp_program filter;
	struct warden_plan plan;
	struct warden warden;
	int error; /* of warden_start() */
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const struct seccomp_wish wish = { .unix_sockets = true, .processes = true };
	struct document_error error;

	snprintf(f->base, sizeof(f->base), "/tmp/test-warden-XXXXXX");
	assert_non_null(mkdtemp(f->base));
	snprintf(f->root, sizeof(f->root), "%s/root", f->base);
	snprintf(f->work, sizeof(f->work), "%s/work", f->base);
	assert_int_equal(mkdir(f->root, 0700) | mkdir(f->work, 0700), 0);
	f->policy = policy_new();
	assert_int_equal(document_load_profile(f->policy, "tool", f->work, &error), 0);
	assert_int_equal(seccomp_compile(&wish, &f->filter), 0);
	f->plan = (struct warden_plan){ .policy = f->policy,
					.mount_point = f->root,
					.work = f->work,
					.landlock_abi = landlock_abi(),
					.keeper = -1 };
	*state = f;
	return 0;
}

static int set_up_bare(void **state)
{
	struct fixture *f;

	assert_int_equal(set_up(state), 0);
	f = *state;
	f->error = warden_start(&f->warden, &f->plan);
	assert_int_equal(f->error, 0);
	return 0;
}

static int set_up_walled(void **state)
{
	struct fixture *f;

	assert_int_equal(set_up(state), 0);
	f = *state;
	f->plan.walls = true;
	f->plan.namespaces = ALL_NAMESPACES;
	f->error = warden_start(&f->warden, &f->plan);
	if (f->error == 0)
		assert_int_equal(warden_take_law(&f->warden, &f->filter), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	struct empty_report report;
	int fd;

	warden_stop(&f->warden);
	policy_free(f->policy);
	seccomp_free(&f->filter);
	fd = open(f->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)empty_folder(fd, &report);
	(void)close(fd);
	(void)rmdir(f->base);
	free(f);
	return 0;
}

/* A host that gives no namespaces cannot show these claims. */
static void need_walls(const struct fixture *f)
{
	if (f->error == -EPERM || f->error == -ENOSYS || f->error == -EOPNOTSUPP)
		skip();
	assert_int_equal(f->error, 0);
}

/* Starts it with `out` as standard output (-1 = none); its process id. */
static pid_t start(struct fixture *f, const char *program, char *const *argv, int out)
{
	char *env[] = { (char *)"PATH=/usr/bin:/bin", NULL };
	struct warden_area *area = f->warden.area;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[WARDEN_FDS] = { null, out < 0 ? null : out, null, -1 };
	pid_t pid = 0;

	area->used = 0;
	area->limits = limits_default();
	area->memory_rlimit = -1;
	area->program = warden_put_text(area, program);
	area->cwd = warden_put_text(area, f->work);
	area->argv = warden_put_list(area, argv);
	area->envp = warden_put_list(area, env);
	assert_int_equal(warden_run(&f->warden, fds), 0);
	assert_int_equal(warden_read(&f->warden, &pid), WARDEN_STARTED);
	(void)close(null);
	return pid;
}

static pid_t start_shell(struct fixture *f, const char *script, int out)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)(uintptr_t)script, NULL };

	return start(f, "/bin/sh", argv, out);
}

static int wait_end(struct fixture *f)
{
	assert_int_equal(warden_read(&f->warden, NULL), WARDEN_ENDED);
	return f->warden.area->wait_status;
}

/* Waits up to ten seconds. */
static bool dies(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; i < 1000 && kill(pid, 0) == 0; i++)
		(void)nanosleep(&pause, NULL);
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* The number that the program wrote. */
static pid_t read_pid(int fd)
{
	char text[32] = "";
	ssize_t n = read(fd, text, sizeof(text) - 1);

	return n > 0 ? (pid_t)strtol(text, NULL, 10) : -1;
}

static void every_namespace_is_told(void **state)
{
	struct fixture *f = *state;
	const struct layers *layers;

	need_walls(f);
	layers = &f->warden.area->layers;
	assert_true(layers->landlock.enforced);
	assert_true(layers->namespaces[NS_USER].enforced);
	assert_true(layers->namespaces[NS_PID].enforced);
	assert_true(layers->namespaces[NS_MOUNT].enforced);
	assert_true(layers->namespaces[NS_NETWORK].enforced);
}

static void a_program_runs_and_its_status_comes_back(void **state)
{
	struct fixture *f = *state;

	need_walls(f);
	start_shell(f, "exit 7", -1);
	assert_int_equal(WEXITSTATUS(wait_end(f)), 7);
	assert_int_equal(f->warden.area->child_error, 0);
}

static void the_walls_serve_many_runs(void **state)
{
	struct fixture *f = *state;

	need_walls(f);
	start_shell(f, "exit 1", -1);
	assert_int_equal(WEXITSTATUS(wait_end(f)), 1);
	start_shell(f, "exit 2", -1);
	assert_int_equal(WEXITSTATUS(wait_end(f)), 2);
	start_shell(f, "exit 3", -1);
	assert_int_equal(WEXITSTATUS(wait_end(f)), 3);
}

static void the_program_has_no_capabilities_and_a_filter(void **state)
{
	struct fixture *f = *state;

	need_walls(f);
	start_shell(f,
		    "grep -q 'CapEff:.*0000000000000000' /proc/self/status && "
		    "grep -q 'CapBnd:.*0000000000000000' /proc/self/status && "
		    "grep -q 'NoNewPrivs:.*1' /proc/self/status && "
		    "grep -q 'Seccomp:.*2' /proc/self/status",
		    -1);
	assert_int_equal(wait_end(f), 0);
}

static void the_program_holds_three_descriptors(void **state)
{
	struct fixture *f = *state;

	need_walls(f);
	/* ls has one more: the folder it lists. */
	start_shell(f, "test \"$(ls /proc/self/fd | tr '\\n' ' ')\" = '0 1 2 3 '", -1);
	assert_int_equal(wait_end(f), 0);
}

static void kill_ends_a_program_that_ignores_everything(void **state)
{
	struct fixture *f = *state;

	need_walls(f);
	start_shell(f, "trap '' TERM INT HUP; sleep 100; sleep 100", -1);
	assert_int_equal(warden_kill(&f->warden), 0);
	assert_int_equal(WTERMSIG(wait_end(f)), SIGKILL);
}

static void a_signal_reaches_the_program(void **state)
{
	struct fixture *f = *state;
	int ends[2];
	char ready;

	need_walls(f);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	start_shell(f, "trap 'exit 9' USR1; echo; while :; do sleep 0.05; done", ends[1]);
	assert_int_equal(read(ends[0], &ready, 1), 1);
	assert_int_equal(warden_signal(&f->warden, SIGUSR1), 0);
	assert_int_equal(WEXITSTATUS(wait_end(f)), 9);
	assert_int_equal(close(ends[0]) | close(ends[1]), 0);
}

static void exec_that_fails_is_told_with_its_errno(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)"none", NULL };

	need_walls(f);
	start(f, "/usr/bin/no-such-program", argv, -1);
	(void)wait_end(f);
	assert_string_equal(f->warden.area->child_step, "exec");
	assert_int_equal(f->warden.area->child_error, ENOENT);
}

static void a_failed_exec_spoils_nothing(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)"none", NULL };

	need_walls(f);
	start(f, "/usr/bin/no-such-program", argv, -1);
	(void)wait_end(f);
	start_shell(f, "exit 0", -1);
	assert_int_equal(wait_end(f), 0);
	assert_int_equal(f->warden.area->child_error, 0);
}

static void stopping_ends_program_and_warden(void **state)
{
	struct fixture *f = *state;
	pid_t warden, program;

	need_walls(f);
	warden = f->warden.pid;
	program = start_shell(f, "sleep 1000", -1);
	warden_stop(&f->warden);
	assert_true(dies(warden));
	assert_true(dies(program));
}

static void stopping_twice_is_stopping_once(void **state)
{
	struct fixture *f = *state;

	warden_stop(&f->warden);
	warden_stop(&f->warden);
	assert_int_equal(f->warden.pid, -1);
	assert_null(f->warden.area);
}

static void a_wall_that_cannot_stand_is_named(void **state)
{
	struct fixture *f = *state;
	struct warden second;
	int r;

	need_walls(f);
	f->plan.mount_point = "/nowhere/at/all";
	r = warden_start(&second, &f->plan);
	assert_int_equal(r, -ENOENT);
	assert_string_equal(second.area->step, "mount a new root");
	warden_stop(&second);
}

static void bare_orphans_are_hunted_down(void **state)
{
	struct fixture *f = *state;
	int ends[2];
	pid_t orphan;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	start_shell(f, "setsid sleep 1000 & echo $!", ends[1]);
	orphan = read_pid(ends[0]);
	assert_true(orphan > 0);
	(void)wait_end(f);
	assert_true(dies(orphan));
	assert_int_equal(close(ends[0]) | close(ends[1]), 0);
}

static void bare_walls_are_told_to_be_none(void **state)
{
	struct fixture *f = *state;

	assert_false(f->warden.area->layers.landlock.enforced);
	assert_false(f->warden.area->layers.namespaces[NS_PID].enforced);
}

/* In a child that is the launcher of a second warden and dies with a program running: tells their
 * process ids first. */
__attribute__((noreturn)) static void launch_and_die(struct fixture *f, int out)
{
	pid_t pids[2];

	if (warden_start(&f->warden, &f->plan) < 0)
		_exit(1);
	pids[0] = f->warden.pid;
	pids[1] = start_shell(f, "sleep 1000", -1);
	(void)!write(out, pids, sizeof(pids));
	(void)kill(getpid(), SIGKILL);
	_exit(1);
}

static void assert_all_die_with_launcher(struct fixture *f)
{
	pid_t pids[2], launcher;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	launcher = fork();
	if (launcher == 0)
		launch_and_die(f, ends[1]);
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(waitpid(launcher, NULL, 0), launcher);
	assert_int_equal(read(ends[0], pids, sizeof(pids)), sizeof(pids));
	assert_int_equal(close(ends[0]), 0);
	assert_true(dies(pids[0]));
	assert_true(dies(pids[1]));
}

static void the_launchers_death_is_everybodys(void **state)
{
	need_walls(*state);
	assert_all_die_with_launcher(*state);
}

static void a_bare_launchers_death_is_everybodys(void **state)
{
	assert_all_die_with_launcher(*state);
}

static void an_area_that_is_full_says_so(void **state)
{
	struct fixture *f = *state;
	char *text = malloc(WARDEN_AREA_BYTES);

	memset(text, 'x', WARDEN_AREA_BYTES - 1);
	text[WARDEN_AREA_BYTES - 1] = 0;
	f->warden.area->used = 0;
	assert_int_equal(warden_put_text(f->warden.area, text), 0);
	assert_true(warden_put_text(f->warden.area, "short") > 0);
	free(text);
}

#define WALLED(test) cmocka_unit_test_setup_teardown(test, set_up_walled, tear_down)
#define BARE(test) cmocka_unit_test_setup_teardown(test, set_up_bare, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WALLED(every_namespace_is_told),
		WALLED(a_program_runs_and_its_status_comes_back),
		WALLED(the_walls_serve_many_runs),
		WALLED(the_program_has_no_capabilities_and_a_filter),
		WALLED(the_program_holds_three_descriptors),
		WALLED(kill_ends_a_program_that_ignores_everything),
		WALLED(a_signal_reaches_the_program),
		WALLED(exec_that_fails_is_told_with_its_errno),
		WALLED(a_failed_exec_spoils_nothing),
		WALLED(stopping_ends_program_and_warden),
		WALLED(a_wall_that_cannot_stand_is_named),
		WALLED(the_launchers_death_is_everybodys),
		BARE(stopping_twice_is_stopping_once),
		BARE(bare_orphans_are_hunted_down),
		BARE(bare_walls_are_told_to_be_none),
		BARE(a_bare_launchers_death_is_everybodys),
		BARE(an_area_that_is_full_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
