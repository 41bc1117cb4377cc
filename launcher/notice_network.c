/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judging the addresses a program connects, binds and sends to.
 *
 * A socket of the Internet cannot be made behind walls without network, but one can be inherited as
 * standard input: its use is refused here, which a program that changes its memory in time can get
 * around, as it can use what it was given anyhow. Where the program has no root of its own, a UNIX socket
 * outside of the policy is refused the same way: nothing else does.
 *
 * Runs in the launcher's loop.
 */
#include "launcher/notice_parts.h"

#include "policy/policy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define MESSAGES_MAX 16 /* of one sendmmsg; the others are the walls' */

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static void write_unix(const struct sockaddr_un *un, size_t size, char *out, size_t room)
{
	size_t length = size - offsetof(struct sockaddr_un, sun_path);
	const char *path = un->sun_path;

	if (length && !path[0])
		snprintf(out, room, "unix:@%.*s", (int)length - 1, path + 1);
	else
		snprintf(out, room, "unix:%.*s", (int)length, path);
}

/* In the form decide.h takes. 0, or -EAFNOSUPPORT: no address that a policy speaks of. */
static int write_address(const union address *a, size_t size, char *out, size_t room)
{
	char text[INET6_ADDRSTRLEN];

	if (a->any.sa_family == AF_INET && size >= sizeof(a->in)) {
		(void)inet_ntop(AF_INET, &a->in.sin_addr, text, sizeof(text));
		snprintf(out, room, "%s:%u", text, ntohs(a->in.sin_port));
	} else if (a->any.sa_family == AF_INET6 && size >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
		(void)inet_ntop(AF_INET6, &a->in6.sin6_addr, text, sizeof(text));
		snprintf(out, room, "[%s]:%u", text, ntohs(a->in6.sin6_port));
	} else if (a->any.sa_family == AF_UNIX && size > offsetof(struct sockaddr_un, sun_path)) {
		write_unix(&a->un, size, out, room);
	} else {
		return -EAFNOSUPPORT;
	}
	return 0;
}

/* A socket that binds is an entry in a folder; the walls ask for the right to make it. */
static int judge_bind(struct notices *n, const struct notice_place *place)
{
	struct verdict verdict;

	if (place->fd >= 0 || place->folder < 0)
		return 0;
	notice_ask_path(n, place, PATH_WRITE, &verdict);
	if (verdict.action == ACTION_DENY && !notice_is_session(n, place->path))
		notice_tell(n, LAYER_LANDLOCK, &verdict, EACCES);
	return 0;
}

static int judge_connect(struct notices *n, const struct notice_place *place)
{
	struct verdict verdict;

	/* Any right will do: what it may do there is the mode's business. */
	notice_ask_path(n, place, PATH_READ, &verdict);
	if (verdict.action == ACTION_ALLOW || notice_is_session(n, place->path))
		return 0;
	verdict.axis = AXIS_NETWORK;
	if (notice_is_hidden(n, place)) {
		notice_tell(n, LAYER_NAMESPACE, &verdict, ENOENT);
		return 0;
	}
	if (n->ground.has_own_root || place->fd < 0)
		return 0;
	notice_tell(n, LAYER_SECCOMP, &verdict, EACCES);
	return EACCES;
}

static int judge_unix(struct notices *n)
{
	const char *path = n->target + strlen("unix:");
	struct notice_place place;
	int r = 0;

	if (path[0] == '@' || !path[0])
		return 0;
	if (notice_find_path(n, path, n->call->use == NETWORK_BIND, &place) == 0)
		r = n->call->use == NETWORK_BIND ? judge_bind(n, &place) : judge_connect(n, &place);
	notice_leave_place(&place);
	return r;
}

static int judge_address(struct notices *n, uint64_t at, uint64_t size)
{
	union address address = { 0 };
	struct verdict verdict;
	size_t known = size < sizeof(address) ? (size_t)size : sizeof(address);

	if (!at || known < sizeof(sa_family_t) ||
	    notify_read(&n->now, at, &address, known) != (ssize_t)known ||
	    write_address(&address, known, n->target, sizeof(n->target)) < 0)
		return 0;
	policy_decide_network(n->ground.block, n->call->use, n->target, &n->text, &verdict);
	if (verdict.action == ACTION_DENY) {
		notice_tell(n, LAYER_SECCOMP, &verdict, EACCES);
		return EACCES;
	}
	return address.any.sa_family == AF_UNIX ? judge_unix(n) : 0;
}

static int judge_message(struct notices *n, uint64_t at)
{
	struct msghdr message;

	if (notify_read(&n->now, at, &message, sizeof(message)) != sizeof(message))
		return 0;
	return judge_address(n, (uint64_t)(uintptr_t)message.msg_name, message.msg_namelen);
}

static int judge_messages(struct notices *n, uint64_t at, uint64_t count)
{
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < count && i < MESSAGES_MAX; i++)
		r = judge_message(n, at + i * sizeof(struct mmsghdr));
	return r;
}

int notice_judge_network(struct notices *n)
{
	const uint64_t *args = (const uint64_t *)n->now.data.args;
	uint64_t at = args[n->call->argument];

	if (n->call->kind == NOTIFY_MESSAGE)
		return judge_message(n, at);
	if (n->call->kind == NOTIFY_MESSAGES)
		return judge_messages(n, at, args[n->call->argument + 1]);
	return judge_address(n, at, args[n->call->argument + 1]);
}
