/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages with descriptors beside them, over a socket that keeps messages apart. */
#pragma once

#include <stddef.h>

#define WIRE_FDS_MAX 8

/* Sends `size` bytes and fds[count] (at most WIRE_FDS_MAX). 0 or -errno. */
int wire_send(int socket, const void *data, size_t size, const int *fds, size_t count);

/* Waits for one message: at most `size` bytes, and descriptors (close-on-exec) into fds[max], the others
 * -1; a message with more than `max` brings none. Bytes, or -errno; -EPIPE: the other end is gone. */
int wire_receive(int socket, void *data, size_t size, int *fds, size_t max);
