/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of the calls that are told. Pure data: which of them is refused stands in seccomp.c and in
 * the policy, never here.
 */
#include "backends/notify_calls.h"

#include <fcntl.h>
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
#define PATH_CALL(call, its_effect) \
	CALL(call), .kind = NOTIFY_PATH, .when = NOTIFY_OPENS, .effect = its_effect, .flags = -1

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
	{ PATH_CALL(openat2, EFFECT_OPEN), ONE_PATH(0, 1) },
	{ PATH_CALL(creat, EFFECT_OPEN), ONE_PATH(-1, 0), .always = O_CREAT | O_WRONLY | O_TRUNC },
	{ PATH_CALL(truncate, EFFECT_CHANGE), ONE_PATH(-1, 0) },
	{ PATH_CALL(mkdir, EFFECT_CREATE), ONE_PATH(-1, 0) },
	{ PATH_CALL(mkdirat, EFFECT_CREATE), ONE_PATH(0, 1) },
	{ PATH_CALL(mknod, EFFECT_CREATE), ONE_PATH(-1, 0) },
	{ PATH_CALL(mknodat, EFFECT_CREATE), ONE_PATH(0, 1) },
	{ PATH_CALL(symlink, EFFECT_CREATE), ONE_PATH(-1, 1) },
	{ PATH_CALL(symlinkat, EFFECT_CREATE), ONE_PATH(1, 2) },
	{ PATH_CALL(link, EFFECT_CREATE), ONE_PATH(-1, 1) },
	{ PATH_CALL(linkat, EFFECT_CREATE), ONE_PATH(2, 3) },
	{ PATH_CALL(rmdir, EFFECT_REMOVE), ONE_PATH(-1, 0) },
	{ PATH_CALL(unlink, EFFECT_REMOVE), ONE_PATH(-1, 0) },
	{ PATH_CALL(unlinkat, EFFECT_REMOVE), ONE_PATH(0, 1) },
	{ PATH_CALL(rename, EFFECT_MOVE), TWO_PATHS(-1, 0, -1, 1) },
	{ PATH_CALL(renameat, EFFECT_MOVE), TWO_PATHS(0, 1, 2, 3) },
	{ PATH_CALL(renameat2, EFFECT_MOVE), TWO_PATHS(0, 1, 2, 3) },
	{ .name = NULL },
};

const struct notify_call *notify_find_call(int number)
{
	for (const struct notify_call *call = notify_calls; call->name; call++)
		if (call->number == number)
			return call;
	return NULL;
}
