/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The listener: the descriptor through which the kernel tells the launcher of a program's calls, and holds each until
 * it is answered (seccomp user notification, Linux 5.0; without a fall-back none of stile's walls rests
 * on it).
 */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

/* One call, held. */
struct notice {
	uint64_t id;
	pid_t tid; /* as the launcher numbers it */
	struct seccomp_data data;
};

/* The message that brings the listener to the launcher. It stands where both the filter and the child know
 * its address: the filter in force lets this message through, and no other untold. */
struct notify_parcel {
	struct msghdr message;
	struct iovec part;
	char word;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
};

/* In the child: loads the filter with a listener. Its descriptor, or -errno: EBUSY where a filter above us has one
 * already. Raw system calls only, as notify_send(). */
int notify_enter(const struct sock_fprog *telling);

/* In the child: sends the listener and one word over the socket. 0 or -errno. */
int notify_send(struct notify_parcel *parcel, int socket, char word, int listener);

/* Takes one call that waits: 0, or -EAGAIN where none does; -EPIPE: nobody is left who could call. Never
 * waits. */
int notify_take(int listener, struct notice *out);

/* Does the call still wait? What was read of the caller before counts only then: else its number may
 * already be another's. 0 or -ENOENT. */
int notify_is_waiting(int listener, const struct notice *notice);

/* The kernel goes on with the call and its walls decide. Only for what the filter allows anyway. 0 or -errno. */
int notify_continue(int listener, const struct notice *notice);

/* The call fails with this errno. 0 or -errno. */
int notify_refuse(int listener, const struct notice *notice, int error);

/* Reads the caller's memory: how many bytes, or -errno. It can change at any time. */
ssize_t notify_read(const struct notice *notice, uint64_t address, void *out, size_t size);

/* Reads a text that ends within `size`: its length; -ENAMETOOLONG or -errno. */
ssize_t notify_read_text(const struct notice *notice, uint64_t address, char *out, size_t size);
