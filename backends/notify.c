/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The listener's few system calls. The first half runs in the child between fork and exec, with raw
 * system calls only; the other in the launcher, in its loop, where nothing may wait for the program.
 *
 * Must never say "continue" to what the law refuses: who calls here asks the law before.
 */
#include "backends/notify.h"

#include "backends/sys.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#define PAGE 4096u

/* A newer kernel's forms may be longer than the ones we were built with; a system call has six arguments,
 * so not by much. */
union call_form {
	struct seccomp_notif known;
	char room[512];
};

union answer_form {
	struct seccomp_notif_resp known;
	char room[128];
};

int notify_enter(const struct sock_fprog *telling)
{
	/* Once a call was taken, only a deadly signal ends its wait: else each other would make the
	 * program begin it anew, and us see it twice (Linux 5.19). */
	int fd = sys_seccomp_listener(telling, SYS_SECCOMP_WAIT_KILLABLE);

	if (fd < 0 && errno == EINVAL)
		fd = sys_seccomp_listener(telling, 0);
	return fd < 0 ? -errno : fd;
}

int notify_send(struct notify_parcel *parcel, int socket, char word, int listener)
{
	struct cmsghdr *header;

	*parcel = (struct notify_parcel){ .word = word };
	parcel->part = (struct iovec){ .iov_base = &parcel->word, .iov_len = 1 };
	parcel->message = (struct msghdr){ .msg_iov = &parcel->part,
					   .msg_iovlen = 1,
					   .msg_control = parcel->control,
					   .msg_controllen = sizeof(parcel->control) };
	header = CMSG_FIRSTHDR(&parcel->message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &listener, sizeof(int));
	return sendmsg(socket, &parcel->message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* The loop's own waiting is level-triggered: what it said may be over, and taking would then wait. */
static int look(int listener)
{
	struct pollfd one = { .fd = listener, .events = POLLIN };

	if (poll(&one, 1, 0) < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (one.revents & POLLIN)
		return 0;
	return one.revents & (POLLHUP | POLLERR | POLLNVAL) ? -EPIPE : -EAGAIN;
}

int notify_take(int listener, struct notice *out)
{
	union call_form form = { 0 }; /* the kernel refuses any other */
	int r = look(listener);

	if (r < 0)
		return r;
	/* ENOENT: the caller was killed since we looked. */
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &form) < 0)
		return errno == ENOENT || errno == EINTR ? -EAGAIN : -errno;
	*out = (struct notice){ form.known.id, (pid_t)form.known.pid, form.known.data };
	return 0;
}

int notify_is_waiting(int listener, const struct notice *notice)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &notice->id) < 0 ? -errno : 0;
}

static int answer(int listener, struct seccomp_notif_resp what)
{
	union answer_form form = { 0 };

	form.known = what;
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &form) < 0 ? -errno : 0;
}

int notify_continue(int listener, const struct notice *notice)
{
	return answer(listener, (struct seccomp_notif_resp){
					.id = notice->id,
					.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE });
}

int notify_refuse(int listener, const struct notice *notice, int error)
{
	return answer(listener, (struct seccomp_notif_resp){ .id = notice->id, .error = -error });
}

ssize_t notify_read(const struct notice *notice, uint64_t address, void *out, size_t size)
{
	struct iovec here = { .iov_base = out, .iov_len = size };
	struct iovec there = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };
	ssize_t n = process_vm_readv(notice->tid, &here, 1, &there, 1, 0);

	return n < 0 ? -errno : n;
}

ssize_t notify_read_text(const struct notice *notice, uint64_t address, char *out, size_t size)
{
	size_t used = 0;

	/* Page by page: the text may end just before memory that is not there. */
	while (used < size) {
		size_t step = PAGE - (address + used) % PAGE;
		ssize_t n;

		step = step < size - used ? step : size - used;
		n = notify_read(notice, address + used, out + used, step);
		if (n <= 0)
			return n < 0 ? n : -EFAULT;
		if (memchr(out + used, 0, (size_t)n))
			return (ssize_t)(used + strlen(out + used));
		used += (size_t)n;
	}
	return -ENAMETOOLONG;
}
