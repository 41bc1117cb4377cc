/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notices from a child under the filter that tells: what becomes of the call, and which denial it leaves. The
 * child has no walls but the filter; what the ground says of others decides the words.
 */
#include "launcher/notices.h"

#include "backends/notify.h"
#include "backends/notify_filter.h"
#include "backends/seccomp.h"
#include "backends/wire.h"
#include "policy/compile.h"
#include "policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct policy *policy;
	struct policy_block *block;
	struct seccomp_program law;
	struct sock_fprog telling;
	struct notify_parcel *parcel;
	struct denials *denials;
	struct notices *notices;
	pid_t child;
};

static int set_up(void **state)
{
	const struct seccomp_wish code = { 0 };
	struct fixture *f = calloc(1, sizeof(*f));
	struct notify_wish wish = { .addressed = true, .opens = true };

	f->policy = policy_new();
	assert_int_equal(policy_add_path(f->policy, "/usr", "/", PATH_READ | PATH_EXEC, "test"), 0);
	assert_int_equal(policy_compile(f->policy, &f->block), 0);
	assert_int_equal(seccomp_compile(&code, &f->law), 0);
	f->parcel = calloc(1, sizeof(*f->parcel));
	wish.parcel = (uintptr_t)f->parcel;
	assert_int_equal(notify_filter_make(&f->law.program, &wish, &f->telling), 0);
	f->denials = denials_new();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	notices_end(f->notices);
	if (f->child > 0) {
		(void)kill(f->child, SIGKILL);
		(void)waitpid(f->child, NULL, 0);
	}
	denials_free(f->denials);
	free(f->parcel);
	free(f->telling.filter);
	seccomp_free(&f->law);
	free(f->block);
	policy_free(f->policy);
	free(f);
	return 0;
}

static int receive(int socket)
{
	char word;
	int fd;

	assert_int_equal(wire_receive(socket, &word, sizeof(word), &fd, 1), 1);
	return fd;
}

static void start(struct fixture *f, bool has_own_root, int (*act)(void))
{
	struct notices_ground ground = { .block = f->block,
					 .law = &f->law.program,
					 .work = "/nowhere/work",
					 .room = "/nowhere/room",
					 .warden = getpid(),
					 .has_own_root = has_own_root,
					 .denials = f->denials };
	int ends[2], fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	f->child = fork();
	if (f->child == 0) {
		(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		fd = notify_enter(&f->telling);
		if (fd < 0 || notify_send(f->parcel, ends[1], 'L', fd) < 0)
			_exit(255);
		(void)close(fd);
		_exit(act());
	}
	/* Before, so that a child that fails ends the wait. */
	(void)close(ends[1]);
	f->notices = notices_begin(&ground, receive(ends[0]));
	(void)close(ends[0]);
	assert_non_null(f->notices);
}

/* Serves until nobody is left; how the child ended. */
static int serve(struct fixture *f)
{
	struct pollfd one = { .fd = notices_fd(f->notices), .events = POLLIN };
	int status;

	while (poll(&one, 1, 20000) == 1 && notices_serve(f->notices))
		;
	assert_int_equal(waitpid(f->child, &status, 0), f->child);
	f->child = 0;
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int call_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int call_ptrace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0;
}

static int call_open_outside(void)
{
	return open("/etc/passwd", O_RDONLY) < 0 ? errno : 0;
}

static int call_open_inside(void)
{
	return open("/usr/bin/env", O_RDONLY) < 0 ? errno : 0;
}

static int call_open_nowhere(void)
{
	return open("/etc/there-is-no-such-file", O_RDONLY) < 0 ? errno : 0;
}

static int call_kill_parent(void)
{
	return kill(getppid(), 0) < 0 ? errno : 0;
}

static int call_kill_self(void)
{
	return kill(getpid(), 0) < 0 ? errno : 0;
}

static int call_odd_pointer(void)
{
	return open((const char *)8, O_RDONLY) < 0 ? errno : 0;
}

static void a_refused_socket_is_a_trusted_denial(void **state)
{
	struct fixture *f = *state;
	const struct denial *denial;

	start(f, false, call_socket);
	assert_int_equal(serve(f), EACCES);
	assert_int_equal(denials_count(f->denials), 1);
	denial = denials_at(f->denials, 0);
	assert_true(denial->trusted);
	assert_int_equal(denial->layer, LAYER_SECCOMP);
	assert_int_equal(denial->axis, AXIS_NETWORK);
	assert_int_equal(denial->error, EACCES);
	assert_string_equal(denial->call, "socket");
	assert_string_equal(denial->target, "AF_INET");
	assert_string_equal(denial->fix, "--network host");
}

static void what_no_policy_speaks_of_has_a_sentence_too(void **state)
{
	struct fixture *f = *state;

	start(f, false, call_ptrace);
	assert_int_equal(serve(f), EPERM);
	assert_int_equal(denials_count(f->denials), 1);
	assert_int_equal(denials_at(f->denials, 0)->axis, AXIS_SYSCALL);
	assert_non_null(strstr(denials_at(f->denials, 0)->reason, "ptrace"));
	assert_true(denials_at(f->denials, 0)->is_past_shim);
}

/* No wall stands here, so the kernel goes on: a path is told of, never held back. */
static void a_path_outside_is_told_and_goes_on(void **state)
{
	struct fixture *f = *state;

	start(f, false, call_open_outside);
	assert_int_equal(serve(f), 0);
	assert_int_equal(denials_count(f->denials), 1);
	assert_int_equal(denials_at(f->denials, 0)->layer, LAYER_LANDLOCK);
	assert_int_equal(denials_at(f->denials, 0)->error, EACCES);
	assert_string_equal(denials_at(f->denials, 0)->target, "/etc/passwd");
	assert_string_equal(denials_at(f->denials, 0)->fix, "--read /etc/passwd");
}

static void a_path_inside_is_not_told(void **state)
{
	struct fixture *f = *state;

	start(f, false, call_open_inside);
	assert_int_equal(serve(f), 0);
	assert_int_equal(denials_count(f->denials), 0);
}

static void a_path_that_is_nowhere_is_not_told(void **state)
{
	struct fixture *f = *state;

	start(f, true, call_open_nowhere);
	assert_int_equal(serve(f), ENOENT);
	assert_int_equal(denials_count(f->denials), 0);
}

static void a_signal_to_who_is_not_of_the_run_is_refused(void **state)
{
	struct fixture *f = *state;

	start(f, false, call_kill_parent);
	assert_int_equal(serve(f), EPERM);
	assert_int_equal(denials_count(f->denials), 1);
	assert_int_equal(denials_at(f->denials, 0)->axis, AXIS_SIGNAL);
}

static void a_signal_to_itself_goes_on(void **state)
{
	struct fixture *f = *state;

	start(f, false, call_kill_self);
	assert_int_equal(serve(f), 0);
	assert_int_equal(denials_count(f->denials), 0);
}

static void a_pointer_to_nothing_is_the_kernels(void **state)
{
	struct fixture *f = *state;

	start(f, false, call_odd_pointer);
	assert_int_equal(serve(f), EFAULT);
	assert_int_equal(denials_count(f->denials), 0);
}

static void serving_nobody_says_so(void **state)
{
	struct fixture *f = *state;

	start(f, false, call_kill_self);
	assert_int_equal(kill(f->child, SIGKILL), 0);
	assert_int_equal(waitpid(f->child, NULL, 0), f->child);
	f->child = 0;
	assert_false(notices_serve(f->notices));
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_refused_socket_is_a_trusted_denial),
		CLAIM(what_no_policy_speaks_of_has_a_sentence_too),
		CLAIM(a_path_outside_is_told_and_goes_on),
		CLAIM(a_path_inside_is_not_told),
		CLAIM(a_path_that_is_nowhere_is_not_told),
		CLAIM(a_signal_to_who_is_not_of_the_run_is_refused),
		CLAIM(a_signal_to_itself_goes_on),
		CLAIM(a_pointer_to_nothing_is_the_kernels),
		CLAIM(serving_nobody_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
