/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answering what the kernel tells of a program's calls: one at a time, from the watching loop.
 *
 * Two kinds come. What the filter refuses gets the errno that the filter has for it, always: the filter
 * itself is asked again, and nothing that the program could change meanwhile plays a part. What the
 * filter allows goes on, and the walls decide; what they will refuse by the policy is told. It is held
 * back here only where refusing is more than the walls do, never in place of them: what a decision read
 * in the program's memory may be something else when the kernel reads it.
 *
 * Runs in the launcher, in its loop. Must never wait for the program, nor let a call pass that the filter
 * refuses.
 */
#include "launcher/notices.h"

#include "backends/cleanup.h"
#include "backends/notify_filter.h"
#include "launcher/clock.h"
#include "launcher/notice_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct notices *notices_begin(const struct notices_ground *ground, int listener)
{
	struct notices *n = calloc(1, sizeof(*n));

	if (!n) {
		(void)close(listener);
		return NULL;
	}
	n->ground = *ground;
	n->listener = listener;
	n->begin_us = clock_us();
	return n;
}

int notices_fd(const struct notices *n)
{
	return n->listener;
}

void notices_end(struct notices *n)
{
	if (!n)
		return;
	(void)close(n->listener);
	free(n);
}

/* --- telling -------------------------------------------------------------------------------- */

/* The last of its numbers is its own namespace's. */
int32_t notice_find_pid(const struct notices *n)
{
	char path[64], text[2048], *at, *end;
	_cleanup_fd_ int fd = -1;
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)n->now.tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (size <= 0)
		return 0;
	text[size] = 0;
	at = strstr(text, "\nNStgid:");
	end = at ? strchr(at + 1, '\n') : NULL;
	if (!end)
		return 0;
	*end = 0;
	at = strrchr(at + 1, '\t');
	return at ? (int32_t)strtol(at, NULL, 10) : 0;
}

/* Most calls that are told have a row, so this seldom allocates. */
static void name_call(const struct notices *n, char *out, size_t size)
{
	_cleanup_free_ char *name = NULL;

	if (!n->call)
		name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, n->now.data.nr);
	if (n->call || name)
		snprintf(out, size, "%s", n->call ? n->call->name : name);
	else
		snprintf(out, size, "system call %d", n->now.data.nr);
}

/* The hooks tell of nearly what has a row here. Not of looks into other processes, and where nobody and nothing is,
 * they have no reason to ask the policy. */
static bool is_past_shim(const struct notices *n, enum axis axis, int error)
{
	if (!n->call || n->call->kind == NOTIFY_TRACE || axis == AXIS_SYSCALL)
		return true;
	return error == ESRCH || (error == ENOENT && axis == AXIS_NETWORK);
}

void notice_tell(struct notices *n, enum layer layer, const struct verdict *verdict, int error)
{
	char name[64];
	struct denial denial = { .at_ms = (clock_us() - n->begin_us) / 1000,
				 .pid = notice_find_pid(n),
				 .layer = layer,
				 .trusted = true,
				 .is_past_shim = is_past_shim(n, verdict->axis, error),
				 .axis = verdict->axis,
				 .call = name,
				 .target = n->target,
				 .error = error,
				 .rule = verdict->rule,
				 .reason = verdict->reason,
				 .fix = verdict->fix,
				 .count = 1 };

	name_call(n, name, sizeof(name));
	if (notify_is_waiting(n->listener, &n->now) == 0)
		denials_add(n->ground.denials, &denial);
}

/* --- what the filter refuses ---------------------------------------------------------------- */

static const struct {
	int family;
	const char *name;
} families[] = {
	{ AF_INET, "AF_INET" },	    { AF_INET6, "AF_INET6" }, { AF_NETLINK, "AF_NETLINK" },
	{ AF_PACKET, "AF_PACKET" }, { AF_ALG, "AF_ALG" },     { AF_VSOCK, "AF_VSOCK" },
	{ AF_KEY, "AF_KEY" },	    { AF_BLUETOOTH, "AF_BLUETOOTH" },
};

/* The policy's word for it; decide.h wants "unix:" for the one family that is not the network's. */
static void ask_socket(struct notices *n, struct verdict *verdict)
{
	int family = (int)n->now.data.args[0];

	snprintf(n->target, sizeof(n->target), family == AF_UNIX ? "AF_UNIX" : "address family %d",
		 family);
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (families[i].family == family)
			snprintf(n->target, sizeof(n->target), "%s", families[i].name);
	policy_decide_network(n->ground.block, NETWORK_SOCKET,
			      family == AF_UNIX ? "unix:" : n->target, &n->text, verdict);
}

static void ask_process(struct notices *n, struct verdict *verdict)
{
	int pid = (int)n->now.data.args[n->call->argument];

	if (pid)
		snprintf(n->target, sizeof(n->target), n->call->kind == NOTIFY_PIDFD ?
			 "the process behind descriptor %d" : "pid %d", pid);
	verdict->axis = n->call->kind == NOTIFY_TRACE ? AXIS_SYSCALL : AXIS_SIGNAL;
}

/* An executed file is named, though what is refused is the call. */
static void ask_exec(struct notices *n, struct verdict *verdict)
{
	uint64_t text = n->now.data.args[n->call->path[0].text];

	if (notify_read_text(&n->now, text, n->target, PATH_MAX) < 0)
		n->target[0] = 0;
	verdict->axis = AXIS_EXECUTABLE;
}

static void ask_policy(struct notices *n, struct verdict *verdict)
{
	switch (n->call ? n->call->kind : NOTIFY_OTHER) {
	case NOTIFY_SOCKET:
		ask_socket(n, verdict);
		break;
	case NOTIFY_FORK:
		policy_decide_process(n->ground.block, PROCESS_FORK, "", &n->text, verdict);
		break;
	case NOTIFY_EXEC:
		ask_exec(n, verdict);
		break;
	case NOTIFY_SIGNAL:
	case NOTIFY_PIDFD:
	case NOTIFY_TRACE:
		ask_process(n, verdict);
		break;
	default:
		break;
	}
}

/* The filter is narrower than the policy: it refuses what no policy asks about. */
static void tell_refused(struct notices *n, int error)
{
	struct verdict verdict = { .action = ACTION_ALLOW, .axis = AXIS_SYSCALL };
	char name[64];

	ask_policy(n, &verdict);
	if (verdict.action == ACTION_ALLOW) {
		name_call(n, name, sizeof(name));
		snprintf(n->text.reason, sizeof(n->text.reason),
			 "the system call %s, as it was called, is not allowed behind the walls",
			 name);
		verdict = (struct verdict){ .action = ACTION_DENY,
					    .axis = verdict.axis,
					    .reason = n->text.reason,
					    .fix = "" };
	}
	notice_tell(n, LAYER_SECCOMP, &verdict, error);
}

/* --- answering ------------------------------------------------------------------------------ */

static int judge(struct notices *n)
{
	switch (n->call ? n->call->kind : NOTIFY_OTHER) {
	case NOTIFY_ADDRESS:
	case NOTIFY_MESSAGE:
	case NOTIFY_MESSAGES:
		return notice_judge_network(n);
	case NOTIFY_EXEC:
		return notice_judge_exec(n);
	case NOTIFY_PATH:
		return notice_judge_path(n);
	case NOTIFY_SIGNAL:
	case NOTIFY_PIDFD:
		return notice_judge_signal(n);
	default:
		return 0;
	}
}

/* The errno the call is to fail with, 0 = the kernel goes on. */
static int decide(struct notices *n)
{
	uint32_t law = notify_filter_ask(n->ground.law, &n->now.data);

	if (law == SECCOMP_RET_ALLOW)
		return judge(n);
	if ((law & SECCOMP_RET_ACTION_FULL) != SECCOMP_RET_ERRNO)
		return EPERM;
	tell_refused(n, (int)(law & SECCOMP_RET_DATA));
	return (int)(law & SECCOMP_RET_DATA);
}

bool notices_serve(struct notices *n)
{
	int r = notify_take(n->listener, &n->now), error;

	if (r < 0)
		return r == -EAGAIN;
	n->call = notify_find_call(n->now.data.nr);
	n->target[0] = 0;
	error = decide(n);
	/* Whoever was killed meanwhile needs no answer. */
	if (error)
		(void)notify_refuse(n->listener, &n->now, error);
	else
		(void)notify_continue(n->listener, &n->now);
	return true;
}
