/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The compiled filter in force: each claim loads it in a child, makes one call there, and tells its
 * errno. Where a refusal could also come from a missing kernel feature, a call that is allowed stands
 * beside it.
 */
#include "backends/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define KILLED 1000 /* + the signal */
#define BIT_X32 0x40000000

#ifdef __x86_64__
#define HAS_X32 1
#else
#define HAS_X32 0
#endif

static const struct seccomp_wish code = { 0 };
static const struct seccomp_wish tool = { .unix_sockets = true, .processes = true };
static const struct seccomp_wish open_tool = { .network_host = true,
					       .unix_sockets = true,
					       .processes = true };

typedef long (*call)(long a, long b, long c);

/* errno of the call under the filter, 0 = it succeeded, KILLED + signal. */
static int under(const struct seccomp_wish *wish, call act, long a, long b, long c)
{
	struct seccomp_program program;
	int status;
	pid_t pid;

	assert_int_equal(seccomp_compile(wish, &program), 0);
	pid = fork();
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || seccomp_enter(&program) < 0)
			_exit(255);
		_exit(act(a, b, c) < 0 ? errno : 0);
	}
	seccomp_free(&program);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static long call_socket(long domain, long type, long protocol)
{
	return socket((int)domain, (int)type, (int)protocol);
}

static long call_socketpair(long domain, long type, long protocol)
{
	int ends[2];

	return socketpair((int)domain, (int)type, (int)protocol, ends);
}

static long call_number(long number, long a, long b)
{
	return syscall(number, a, b, 0, 0, 0, 0);
}

static long call_clone(long flags, long b, long c)
{
	long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

	(void)b;
	(void)c;
	if (pid == 0)
		_exit(0);
	return pid;
}

static void *be_thread(void *arg)
{
	return arg;
}

static long call_thread(long a, long b, long c)
{
	pthread_t thread;
	int r = pthread_create(&thread, NULL, be_thread, NULL);

	(void)a;
	(void)b;
	(void)c;
	errno = r ? r : pthread_join(thread, NULL);
	return errno ? -1 : 0;
}

static long call_ioctl(long request, long b, long c)
{
	(void)b;
	(void)c;
	return syscall(SYS_ioctl, -1, request, 0);
}

static long call_sendto(long flags, long b, long c)
{
	(void)b;
	(void)c;
	return syscall(SYS_sendto, -1, "", 0, flags, 0, 0);
}

static long call_sendmsg(long flags, long b, long c)
{
	(void)b;
	(void)c;
	return syscall(SYS_sendmsg, -1, 0, flags);
}

static long call_fchmodat(long number, long mode, long c)
{
	(void)c;
	return syscall(number, AT_FDCWD, "/nowhere/at/all", mode, 0);
}

static void without_network_there_are_no_inet_sockets(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_socket, AF_INET, SOCK_STREAM, 0), EACCES);
	assert_int_equal(under(&tool, call_socket, AF_INET6, SOCK_DGRAM, 0), EACCES);
	assert_int_equal(under(&tool, call_socket, AF_INET, SOCK_RAW, 1), EACCES);
	assert_int_equal(under(&tool, call_socket, AF_NETLINK, SOCK_RAW, 0), EACCES);
}

static void with_network_there_are_tcp_and_udp(void **state)
{
	(void)state;
	assert_int_equal(under(&open_tool, call_socket, AF_INET, SOCK_STREAM, 0), 0);
	assert_int_equal(under(&open_tool, call_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 6), 0);
	assert_int_equal(under(&open_tool, call_socket, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 17), 0);
	assert_int_equal(under(&open_tool, call_socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), 0);
}

static void other_types_and_protocols_do_not_exist(void **state)
{
	(void)state;
	assert_int_equal(under(&open_tool, call_socket, AF_INET, SOCK_RAW, 1), EPROTONOSUPPORT);
	assert_int_equal(under(&open_tool, call_socket, AF_INET, SOCK_DGRAM, 1), EPROTONOSUPPORT);
	assert_int_equal(under(&open_tool, call_socket, AF_INET, SOCK_STREAM, 262 /* MPTCP */),
			 EPROTONOSUPPORT);
	assert_int_equal(under(&open_tool, call_socket, AF_INET, SOCK_STREAM, -1), EPROTONOSUPPORT);
	assert_int_equal(under(&open_tool, call_socket, AF_NETLINK, SOCK_RAW, NETLINK_AUDIT),
			 EPROTONOSUPPORT);
}

static void other_domains_are_refused(void **state)
{
	(void)state;
	assert_int_equal(under(&open_tool, call_socket, AF_PACKET, SOCK_DGRAM, 0), EACCES);
	assert_int_equal(under(&open_tool, call_socket, AF_ALG, SOCK_SEQPACKET, 0), EACCES);
	assert_int_equal(under(&open_tool, call_socket, AF_VSOCK, SOCK_STREAM, 0), EACCES);
	assert_int_equal(under(&open_tool, call_socket, -1, SOCK_STREAM, 0), EACCES);
}

static void the_kernel_reads_32_bits_and_so_do_we(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_number, SYS_socket, (1L << 32) | AF_INET, SOCK_STREAM),
			 EACCES);
	assert_int_equal(under(&open_tool, call_ioctl, (1L << 32) | TIOCSTI, 0, 0), EPERM);
}

static void unix_sockets_only_where_wished(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_socket, AF_UNIX, SOCK_STREAM, 0), 0);
	assert_int_equal(under(&code, call_socket, AF_UNIX, SOCK_STREAM, 0), EACCES);
	assert_int_equal(under(&code, call_socketpair, AF_UNIX, SOCK_STREAM, 0), 0);
}

static void fast_open_does_not_connect_unseen(void **state)
{
	(void)state;
	assert_int_equal(under(&open_tool, call_sendto, MSG_FASTOPEN, 0, 0), EPERM);
	assert_int_equal(under(&open_tool, call_sendmsg, MSG_FASTOPEN, 0, 0), EPERM);
	assert_int_equal(under(&open_tool, call_sendto, MSG_NOSIGNAL, 0, 0), EBADF);
}

static void new_namespaces_are_refused(void **state)
{
	(void)state;
	assert_int_equal(under(&open_tool, call_clone, CLONE_NEWUSER, 0, 0), EPERM);
	assert_int_equal(under(&open_tool, call_clone, CLONE_NEWNS, 0, 0), EPERM);
	assert_int_equal(under(&open_tool, call_clone, CLONE_NEWPID, 0, 0), EPERM);
	assert_int_equal(under(&open_tool, call_clone, CLONE_UNTRACED, 0, 0), EPERM);
	assert_int_equal(under(&open_tool, call_clone, CLONE_PARENT, 0, 0), EPERM);
	assert_int_equal(under(&open_tool, call_number, SYS_unshare, CLONE_NEWUSER, 0), EPERM);
	assert_int_equal(under(&open_tool, call_number, SYS_setns, -1, 0), EPERM);
}

static void processes_only_where_wished(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_clone, 0, 0, 0), 0);
	assert_int_equal(under(&code, call_clone, 0, 0, 0), EPERM);
	assert_int_equal(under(&code, call_clone, CLONE_VM | CLONE_VFORK, 0, 0), EPERM);
}

static void threads_start_although_clone3_does_not(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_number, SYS_clone3, 0, 0), ENOSYS);
	assert_int_equal(under(&code, call_thread, 0, 0, 0), 0);
	assert_int_equal(under(&tool, call_thread, 0, 0, 0), 0);
}

static void personality_may_only_be_asked(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_number, SYS_personality, 0xffffffff, 0), 0);
	assert_int_equal(under(&tool, call_number, SYS_personality, 0, 0), 0);
	assert_int_equal(under(&tool, call_number, SYS_personality, ADDR_NO_RANDOMIZE, 0), EPERM);
	assert_int_equal(under(&tool, call_number, SYS_personality, READ_IMPLIES_EXEC, 0), EPERM);
	assert_int_equal(under(&tool, call_number, SYS_personality, PER_LINUX32, 0), EPERM);
}

static void nothing_is_typed_into_a_terminal(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_ioctl, TIOCSTI, 0, 0), EPERM);
	assert_int_equal(under(&tool, call_ioctl, 0x541c /* TIOCLINUX */, 0, 0), EPERM);
	assert_int_equal(under(&tool, call_ioctl, TCGETS, 0, 0), EBADF);
}

static void set_id_bits_are_refused(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_fchmodat, SYS_fchmodat, 04755, 0), EPERM);
	assert_int_equal(under(&tool, call_fchmodat, SYS_fchmodat, 02755, 0), EPERM);
	assert_int_equal(under(&tool, call_fchmodat, 452 /* fchmodat2 */, 04755, 0), EPERM);
	assert_int_equal(under(&tool, call_number, SYS_fchmod, -1, S_ISUID | 0755), EPERM);
	assert_int_equal(under(&tool, call_fchmodat, SYS_fchmodat, 01755, 0), ENOENT);
}

static void numbers_not_known_yet_do_not_exist(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_number, 500, 0, 0), ENOSYS);
	assert_int_equal(under(&tool, call_number, 453 /* map_shadow_stack */, 0, 0), ENOSYS);
	assert_int_equal(under(&tool, call_number, SYS_getppid, 0, 0), 0);
}

static void what_only_breaks_out_is_refused(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_number, SYS_ptrace, PTRACE_TRACEME, 0), EPERM);
	assert_int_equal(under(&tool, call_number, 425 /* io_uring_setup */, 1, 0), ENOSYS);
	assert_int_equal(under(&tool, call_number, SYS_keyctl, 0, 0), ENOSYS);
	assert_int_equal(under(&tool, call_number, SYS_bpf, 0, 0), EPERM);
	assert_int_equal(under(&tool, call_number, 444 /* landlock_create_ruleset */, 0, 0),
			 EOPNOTSUPP);
}

static void x32_numbers_kill(void **state)
{
	(void)state;
	if (!HAS_X32)
		skip();
	assert_int_equal(under(&open_tool, call_number, BIT_X32 | SYS_getppid, 0, 0),
			 KILLED + SIGSYS);
}

static void a_listener_of_its_own_is_busy(void **state)
{
	(void)state;
	assert_int_equal(under(&tool, call_number, SYS_seccomp, SECCOMP_SET_MODE_FILTER, 8), EBUSY);
	assert_int_equal(under(&tool, call_number, SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0), EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_network_there_are_no_inet_sockets),
		cmocka_unit_test(with_network_there_are_tcp_and_udp),
		cmocka_unit_test(other_types_and_protocols_do_not_exist),
		cmocka_unit_test(other_domains_are_refused),
		cmocka_unit_test(the_kernel_reads_32_bits_and_so_do_we),
		cmocka_unit_test(unix_sockets_only_where_wished),
		cmocka_unit_test(fast_open_does_not_connect_unseen),
		cmocka_unit_test(new_namespaces_are_refused),
		cmocka_unit_test(processes_only_where_wished),
		cmocka_unit_test(threads_start_although_clone3_does_not),
		cmocka_unit_test(personality_may_only_be_asked),
		cmocka_unit_test(nothing_is_typed_into_a_terminal),
		cmocka_unit_test(set_id_bits_are_refused),
		cmocka_unit_test(numbers_not_known_yet_do_not_exist),
		cmocka_unit_test(what_only_breaks_out_is_refused),
		cmocka_unit_test(a_listener_of_its_own_is_busy),
		cmocka_unit_test(x32_numbers_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
