/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sending and taking messages that carry descriptors. Used by the launcher and the warden; safe in a
 * forked child: only system calls. Must never leak a descriptor that came and was not wanted.
 */
#include "backends/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int wire_send(int socket, const void *data, size_t size, const int *fds, size_t count)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(WIRE_FDS_MAX * sizeof(int))] = { 0 };
	struct iovec part = { .iov_base = (void *)(size_t)data, .iov_len = size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (count > WIRE_FDS_MAX)
		return -EINVAL;
	if (count) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(header), fds, count * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static void take_descriptors(const struct cmsghdr *header, int *fds, size_t max)
{
	size_t count;
	int came[WIRE_FDS_MAX];

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return;
	count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(came, CMSG_DATA(header), count * sizeof(int));
	for (size_t i = 0; i < count; i++) {
		if (count <= max)
			fds[i] = came[i];
		else
			(void)close(came[i]);
	}
}

int wire_receive(int socket, void *data, size_t size, int *fds, size_t max)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(WIRE_FDS_MAX * sizeof(int))];
	struct iovec part = { .iov_base = data, .iov_len = size };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	ssize_t n;

	for (size_t i = 0; i < max; i++)
		fds[i] = -1;
	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -EPIPE;
	take_descriptors(CMSG_FIRSTHDR(&message), fds, max);
	return (int)n;
}
