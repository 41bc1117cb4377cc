/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter that tells, and its listener: each claim loads it in a child, which makes one call, and
 * answers from here as the launcher would.
 */
#include "backends/notify.h"
#include "backends/notify_calls.h"
#include "backends/notify_filter.h"
#include "backends/seccomp.h"
#include "backends/sys.h"
#include "backends/wire.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <seccomp.h>
#include <cmocka.h>

#define WORD 'L'
#define UNANSWERED 255
#define NEWEST 480

static const struct seccomp_wish code = { 0 };
static const struct seccomp_wish tool = { .unix_sockets = true, .processes = true };

struct fixture {
	struct seccomp_program law;
	struct sock_fprog telling;
	struct notify_parcel *parcel;
	char *program; /* "/bin/true", where the filter lets it pass */
	int listener;
	pid_t child;
};

static void set_up_filter(struct fixture *f, const struct seccomp_wish *law, bool opens)
{
	struct notify_wish wish = { .addressed = true, .opens = opens };

	f->parcel = calloc(1, sizeof(*f->parcel));
	f->program = strdup("/bin/true");
	f->listener = -1;
	wish.program = (uintptr_t)f->program;
	wish.parcel = (uintptr_t)&f->parcel->message;
	assert_int_equal(seccomp_compile(law, &f->law), 0);
	assert_int_equal(notify_filter_make(&f->law.program, &wish, &f->telling), 0);
}

static int set_up_code(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	set_up_filter(*state, &code, false);
	return 0;
}

static int set_up_tool(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	set_up_filter(*state, &tool, false);
	return 0;
}

static int set_up_opens(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	set_up_filter(*state, &tool, true);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->listener >= 0)
		(void)close(f->listener);
	if (f->child > 0) {
		(void)kill(f->child, SIGKILL);
		(void)waitpid(f->child, NULL, 0);
	}
	seccomp_free(&f->law);
	free(f->telling.filter);
	free(f->parcel);
	free(f->program);
	free(f);
	return 0;
}

static int receive(int socket)
{
	char word;
	int fd;

	assert_int_equal(wire_receive(socket, &word, sizeof(word), &fd, 1), 1);
	assert_int_equal(word, WORD);
	return fd;
}

/* A child under the filter makes the call and exits with its errno; here is its listener. */
static void start(struct fixture *f, int (*act)(const struct fixture *f))
{
	int ends[2], fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	f->child = fork();
	if (f->child == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			_exit(UNANSWERED);
		fd = notify_enter(&f->telling);
		if (fd < 0 || notify_send(f->parcel, ends[1], WORD, fd) < 0)
			_exit(UNANSWERED);
		(void)close(fd);
		_exit(act(f));
	}
	/* Before, so that a child that fails ends the wait. */
	(void)close(ends[1]);
	f->listener = receive(ends[0]);
	(void)close(ends[0]);
}

/* The next call that is told; fails where none comes. */
static struct notice expect(const struct fixture *f)
{
	struct pollfd one = { .fd = f->listener, .events = POLLIN };
	struct notice notice;

	assert_int_equal(poll(&one, 1, 20000), 1);
	assert_int_equal(notify_take(f->listener, &notice), 0);
	assert_int_equal(notice.tid, f->child);
	return notice;
}

static int end(struct fixture *f)
{
	int status;

	assert_int_equal(waitpid(f->child, &status, 0), f->child);
	f->child = 0;
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* --- the calls ------------------------------------------------------------------------------ */

static int call_ptrace(const struct fixture *f)
{
	(void)f;
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0;
}

static int call_socket(const struct fixture *f)
{
	(void)f;
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int call_kill(const struct fixture *f)
{
	(void)f;
	return kill(getpid(), 0) < 0 ? errno : 0;
}

static int call_own_exec(const struct fixture *f)
{
	char *argv[] = { f->program, NULL };

	return execv(f->program, argv) < 0 ? errno : 0;
}

static int call_other_exec(const struct fixture *f)
{
	char path[] = "/bin/true", *argv[] = { path, NULL };

	(void)f;
	return execv(path, argv) < 0 ? errno : 0;
}

static int call_sends(const struct fixture *f)
{
	const struct sockaddr nowhere = { .sa_family = AF_UNIX };
	int ends[2];

	(void)f;
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0 || send(ends[0], "x", 1, 0) < 0)
		return errno;
	return sendto(ends[0], "x", 1, 0, &nowhere, sizeof(nowhere)) < 0 ? errno : 0;
}

static int call_open(const struct fixture *f)
{
	(void)f;
	return open("/dev/null", O_RDONLY) < 0 ? errno : 0;
}

static int call_second_listener(const struct fixture *f)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	(void)f;
	return sys_seccomp_listener(&program, 0) < 0 ? errno : 0;
}

/* A text that ends where memory ends. */
static int call_at_the_edge(const struct fixture *f)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)f;
	if (page == MAP_FAILED || munmap(page + 4096, 4096) < 0)
		return errno;
	memcpy(page + 4096 - sizeof("/dev/edge"), "/dev/edge", sizeof("/dev/edge"));
	return open(page + 4096 - sizeof("/dev/edge"), O_RDONLY) < 0 ? errno : 0;
}

static int call_by_no_name(const struct fixture *f)
{
	(void)f;
	return syscall(SYS_openat, AT_FDCWD, 8, O_RDONLY) < 0 ? errno : 0;
}

/* --- the claims ----------------------------------------------------------------------------- */

static void refused_call_is_told_and_gets_the_laws_errno(void **state)
{
	struct fixture *f = *state;
	struct notice notice;
	uint32_t law;

	start(f, call_ptrace);
	notice = expect(f);
	law = notify_filter_ask(&f->law.program, &notice.data);
	assert_int_equal(notice.data.nr, SYS_ptrace);
	assert_int_equal(law, SECCOMP_RET_ERRNO | EPERM);
	assert_int_equal(notify_refuse(f->listener, &notice, (int)(law & SECCOMP_RET_DATA)), 0);
	assert_int_equal(end(f), EPERM);
}

static void socket_is_told_with_its_family(void **state)
{
	struct fixture *f = *state;
	struct notice notice;

	start(f, call_socket);
	notice = expect(f);
	assert_int_equal(notice.data.args[0], AF_INET);
	assert_int_equal(notify_filter_ask(&f->law.program, &notice.data),
			 SECCOMP_RET_ERRNO | EACCES);
	assert_int_equal(notify_refuse(f->listener, &notice, EACCES), 0);
	assert_int_equal(end(f), EACCES);
}

static void allowed_call_goes_on(void **state)
{
	struct fixture *f = *state;
	struct notice notice;

	start(f, call_kill);
	notice = expect(f);
	assert_int_equal(notify_filter_ask(&f->law.program, &notice.data), SECCOMP_RET_ALLOW);
	assert_int_equal(notify_continue(f->listener, &notice), 0);
	assert_int_equal(end(f), 0);
}

static void own_exec_is_not_told(void **state)
{
	struct fixture *f = *state;
	struct notice notice;

	start(f, call_own_exec);
	assert_int_equal(end(f), 0);
	assert_int_equal(notify_take(f->listener, &notice), -EPIPE);
}

static void other_exec_is_told(void **state)
{
	struct fixture *f = *state;
	struct notice notice;
	char path[64];

	start(f, call_other_exec);
	notice = expect(f);
	assert_int_equal(notice.data.nr, SYS_execve);
	assert_int_equal(notify_read_text(&notice, notice.data.args[0], path, sizeof(path)), 9);
	assert_string_equal(path, "/bin/true");
	assert_int_equal(notify_continue(f->listener, &notice), 0);
	assert_int_equal(end(f), 0);
}

static void only_a_send_with_an_address_is_told(void **state)
{
	struct fixture *f = *state;
	struct notice notice;

	start(f, call_sends);
	notice = expect(f);
	assert_int_equal(notice.data.nr, SYS_sendto);
	assert_int_not_equal(notice.data.args[4], 0);
	assert_int_equal(notify_refuse(f->listener, &notice, EACCES), 0);
	assert_int_equal(end(f), EACCES);
}

static void open_is_not_told_unless_wished(void **state)
{
	struct fixture *f = *state;

	start(f, call_open);
	assert_int_equal(end(f), 0);
}

static void open_is_told_when_wished(void **state)
{
	struct fixture *f = *state;
	struct notice notice;
	char path[64];

	start(f, call_open);
	notice = expect(f);
	assert_int_equal(notify_read_text(&notice, notice.data.args[1], path, sizeof(path)), 9);
	assert_string_equal(path, "/dev/null");
	assert_int_equal(notify_continue(f->listener, &notice), 0);
	assert_int_equal(end(f), 0);
}

static void text_at_the_edge_of_memory_is_read(void **state)
{
	struct fixture *f = *state;
	struct notice notice;
	char path[4096];

	start(f, call_at_the_edge);
	notice = expect(f);
	assert_int_equal(notify_read_text(&notice, notice.data.args[1], path, sizeof(path)), 9);
	assert_int_equal(notify_read_text(&notice, notice.data.args[1], path, 9), -ENAMETOOLONG);
	assert_int_equal(notify_refuse(f->listener, &notice, ENOENT), 0);
	assert_int_equal(end(f), ENOENT);
}

static void text_that_is_not_there_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct notice notice;
	char path[64];

	start(f, call_by_no_name);
	notice = expect(f);
	assert_int_equal(notify_read_text(&notice, notice.data.args[1], path, sizeof(path)), -EFAULT);
	assert_int_equal(notify_continue(f->listener, &notice), 0);
	assert_int_equal(end(f), EFAULT);
}

static void killed_caller_waits_no_more(void **state)
{
	struct fixture *f = *state;
	struct notice notice;

	start(f, call_kill);
	notice = expect(f);
	assert_int_equal(notify_is_waiting(f->listener, &notice), 0);
	assert_int_equal(kill(f->child, SIGKILL), 0);
	assert_int_equal(waitpid(f->child, NULL, 0), f->child);
	f->child = 0;
	assert_int_equal(notify_is_waiting(f->listener, &notice), -ENOENT);
	assert_int_equal(notify_continue(f->listener, &notice), -ENOENT);
}

static void taking_never_waits(void **state)
{
	struct fixture *f = *state;
	struct pollfd one;
	struct notice notice;

	start(f, call_kill);
	one = (struct pollfd){ .fd = f->listener, .events = POLLIN };
	assert_int_equal(poll(&one, 1, 20000), 1);
	assert_int_equal(kill(f->child, SIGKILL), 0);
	assert_int_equal(waitpid(f->child, NULL, 0), f->child);
	f->child = 0;
	assert_int_equal(notify_take(f->listener, &notice), -EPIPE);
}

static void there_is_one_listener_only(void **state)
{
	struct fixture *f = *state;

	start(f, call_second_listener);
	assert_int_equal(end(f), EBUSY);
}

/* How many of all numbers, with these arguments, the law refuses and the other allows or continues. */
static unsigned count_wider(const struct fixture *f, uint64_t argument)
{
	unsigned wider = 0;

	for (int nr = 0; nr < NEWEST; nr++) {
		struct seccomp_data call = { .nr = nr, .arch = seccomp_arch_native() };
		uint32_t law, telling;

		for (int i = 0; i < 6; i++)
			call.args[i] = argument;
		law = notify_filter_ask(&f->law.program, &call);
		telling = notify_filter_ask(&f->telling, &call);
		wider += telling != law && telling != SECCOMP_RET_USER_NOTIF;
		wider += telling == SECCOMP_RET_USER_NOTIF && law != SECCOMP_RET_ALLOW &&
			 (law & SECCOMP_RET_ACTION_FULL) != SECCOMP_RET_ERRNO;
	}
	return wider;
}

static void telling_filter_is_never_wider_than_the_law(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(count_wider(f, 0), 0);
	assert_int_equal(count_wider(f, 1), 0);
	assert_int_equal(count_wider(f, 8), 0);
	assert_int_equal(count_wider(f, UINT64_MAX), 0);
	assert_int_equal(count_wider(f, (uintptr_t)f->program), 0);
}

static void foreign_machine_is_killed(void **state)
{
	struct fixture *f = *state;
	const struct seccomp_data call = { .nr = 0, .arch = 1 };

	assert_int_equal(notify_filter_ask(&f->telling, &call), SECCOMP_RET_KILL_PROCESS);
}

static void program_that_cannot_be_followed_kills(void **state)
{
	struct sock_filter odd[] = { BPF_STMT(BPF_MISC | BPF_TAX, 0),
				     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog law = { 2, odd };
	const struct seccomp_data call = { .nr = 0 };

	(void)state;
	assert_int_equal(notify_filter_ask(&law, &call), SECCOMP_RET_KILL_PROCESS);
}

#define CLAIM(name, before) cmocka_unit_test_setup_teardown(name, before, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(refused_call_is_told_and_gets_the_laws_errno, set_up_tool),
		CLAIM(socket_is_told_with_its_family, set_up_code),
		CLAIM(allowed_call_goes_on, set_up_code),
		CLAIM(own_exec_is_not_told, set_up_code),
		CLAIM(other_exec_is_told, set_up_code),
		CLAIM(only_a_send_with_an_address_is_told, set_up_tool),
		CLAIM(open_is_not_told_unless_wished, set_up_tool),
		CLAIM(open_is_told_when_wished, set_up_opens),
		CLAIM(text_at_the_edge_of_memory_is_read, set_up_opens),
		CLAIM(text_that_is_not_there_is_an_error, set_up_opens),
		CLAIM(killed_caller_waits_no_more, set_up_code),
		CLAIM(taking_never_waits, set_up_code),
		CLAIM(there_is_one_listener_only, set_up_code),
		CLAIM(telling_filter_is_never_wider_than_the_law, set_up_opens),
		CLAIM(foreign_machine_is_killed, set_up_code),
		CLAIM(program_that_cannot_be_followed_kills, set_up_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
