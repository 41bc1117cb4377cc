/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of the calls that are told. Pure data: which of them is refused stands in seccomp.c and in
 * the policy, never here.
 */
#include "backends/notify_calls.h"

#include "policy/policy.h"

#include <seccomp.h>
#include <stddef.h>

#define CALL(call) .name = #call, .number = SCMP_SYS(call)
#define NO_PATHS .path = { { -1, -1 }, { -1, -1 } }, .flags = -1
#define ONE_PATH(folder, text) .path = { { folder, text }, { -1, -1 } }
#define TWO_PATHS(a, b, c, d) .path = { { a, b }, { c, d } }

#define NETWORK_CALL(call, its_kind, its_when, at, its_use) \
	CALL(call), .kind = its_kind, .when = its_when, .argument = at, .use = its_use, NO_PATHS
#define PROCESS_CALL(call, its_kind, its_when, at) \
	CALL(call), .kind = its_kind, .when = its_when, .argument = at, NO_PATHS
#define EXEC_CALL(call, at) CALL(call), .kind = NOTIFY_EXEC, .when = NOTIFY_ALWAYS, .flags = at
#define OPEN_CALL(call, at) CALL(call), .kind = NOTIFY_PATH, .when = NOTIFY_OPENS, .flags = at
#define WRITE_CALL(call) \
	CALL(call), .kind = NOTIFY_PATH, .when = NOTIFY_OPENS, .access = PATH_WRITE, .flags = -1
#define LINK_CALL(call) WRITE_CALL(call), .is_link = true

const struct notify_call notify_calls[] = {
	{ NETWORK_CALL(socket, NOTIFY_SOCKET, NOTIFY_NEVER, 0, NETWORK_SOCKET) },
	{ NETWORK_CALL(connect, NOTIFY_ADDRESS, NOTIFY_ALWAYS, 1, NETWORK_CONNECT) },
	{ NETWORK_CALL(bind, NOTIFY_ADDRESS, NOTIFY_ALWAYS, 1, NETWORK_BIND) },
	{ NETWORK_CALL(sendto, NOTIFY_ADDRESS, NOTIFY_ADDRESSED, 4, NETWORK_SEND),
	  .spare = SPARE_NULL, .spare_argument = 4 },
	{ NETWORK_CALL(sendmsg, NOTIFY_MESSAGE, NOTIFY_ADDRESSED, 1, NETWORK_SEND),
	  .spare = SPARE_PARCEL, .spare_argument = 1 },
	{ NETWORK_CALL(sendmmsg, NOTIFY_MESSAGES, NOTIFY_ADDRESSED, 1, NETWORK_SEND) },

	{ PROCESS_CALL(fork, NOTIFY_FORK, NOTIFY_NEVER, -1) },
	{ PROCESS_CALL(vfork, NOTIFY_FORK, NOTIFY_NEVER, -1) },
	{ PROCESS_CALL(clone, NOTIFY_FORK, NOTIFY_NEVER, -1) },
	{ EXEC_CALL(execve, -1), ONE_PATH(-1, 0), .spare = SPARE_PROGRAM, .spare_argument = 0 },
	{ EXEC_CALL(execveat, 4), ONE_PATH(0, 1) },

	{ PROCESS_CALL(kill, NOTIFY_SIGNAL, NOTIFY_ALWAYS, 0) },
	{ PROCESS_CALL(tkill, NOTIFY_SIGNAL, NOTIFY_ALWAYS, 0) },
	{ PROCESS_CALL(tgkill, NOTIFY_SIGNAL, NOTIFY_ALWAYS, 0) },
	{ PROCESS_CALL(rt_sigqueueinfo, NOTIFY_SIGNAL, NOTIFY_ALWAYS, 0) },
	{ PROCESS_CALL(rt_tgsigqueueinfo, NOTIFY_SIGNAL, NOTIFY_ALWAYS, 0) },
	{ PROCESS_CALL(pidfd_send_signal, NOTIFY_PIDFD, NOTIFY_ALWAYS, 0) },
	{ PROCESS_CALL(ptrace, NOTIFY_TRACE, NOTIFY_NEVER, 1) },
	{ PROCESS_CALL(process_vm_readv, NOTIFY_TRACE, NOTIFY_NEVER, 0) },
	{ PROCESS_CALL(process_vm_writev, NOTIFY_TRACE, NOTIFY_NEVER, 0) },
	{ PROCESS_CALL(kcmp, NOTIFY_TRACE, NOTIFY_NEVER, 0) },
	{ PROCESS_CALL(pidfd_getfd, NOTIFY_PIDFD, NOTIFY_NEVER, 0) },

	{ OPEN_CALL(open, 1), ONE_PATH(-1, 0) },
	{ OPEN_CALL(openat, 2), ONE_PATH(0, 1) },
	{ CALL(openat2), .kind = NOTIFY_PATH, .when = NOTIFY_OPENS, .flags = -1, ONE_PATH(0, 1) },
	{ WRITE_CALL(creat), ONE_PATH(-1, 0) },
	{ WRITE_CALL(truncate), ONE_PATH(-1, 0) },
	{ WRITE_CALL(mkdir), ONE_PATH(-1, 0) },
	{ WRITE_CALL(mkdirat), ONE_PATH(0, 1) },
	{ WRITE_CALL(mknod), ONE_PATH(-1, 0) },
	{ WRITE_CALL(mknodat), ONE_PATH(0, 1) },
	{ LINK_CALL(rmdir), ONE_PATH(-1, 0) },
	{ LINK_CALL(unlink), ONE_PATH(-1, 0) },
	{ LINK_CALL(unlinkat), ONE_PATH(0, 1) },
	{ LINK_CALL(symlink), ONE_PATH(-1, 1) },
	{ LINK_CALL(symlinkat), ONE_PATH(1, 2) },
	{ LINK_CALL(link), TWO_PATHS(-1, 0, -1, 1) },
	{ LINK_CALL(linkat), TWO_PATHS(0, 1, 2, 3) },
	{ LINK_CALL(rename), TWO_PATHS(-1, 0, -1, 1) },
	{ LINK_CALL(renameat), TWO_PATHS(0, 1, 2, 3) },
	{ LINK_CALL(renameat2), TWO_PATHS(0, 1, 2, 3) },
	{ .name = NULL },
};

const struct notify_call *notify_find_call(int number)
{
	for (const struct notify_call *call = notify_calls; call->name; call++)
		if (call->number == number)
			return call;
	return NULL;
}
