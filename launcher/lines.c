/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of requests. stdio cannot wait for a line and a signal at once, and a signal between its last look
 * and its read would be lost; so: one buffer, one poll. Runs in the launcher.
 */
#include "launcher/lines.h"

#include "launcher/signals.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM 4096

/* Waits for input. 1 = there is some, 0 = a signal asks to end, or -errno. */
static int wait_for_input(const struct lines *l)
{
	for (;;) {
		struct pollfd both[2] = { { .fd = l->fd, .events = POLLIN },
					  { .fd = l->signals, .events = POLLIN } };

		if (poll(both, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if ((both[1].revents & POLLIN) && signals_ends(signals_next(l->signals)))
			return 0;
		if (both[0].revents)
			return 1;
	}
}

static int make_room(struct lines *l)
{
	size_t room = l->room ? l->room * 2 : FIRST_ROOM;
	char *data;

	if (l->used < l->room)
		return 0;
	if (l->used > LINES_MAX) {
		l->used = 0;
		l->skipping = 1;
		return 0;
	}
	data = realloc(l->data, room + 1);
	if (!data)
		return -ENOMEM;
	l->data = data;
	l->room = room;
	return 0;
}

/* Moves what follows the last line to the front. */
static void drop_taken(struct lines *l)
{
	memmove(l->data, l->data + l->taken, l->used - l->taken);
	l->used -= l->taken;
	l->taken = 0;
}

static int hand_out(struct lines *l, size_t length, size_t taken, char **line, size_t *size)
{
	int was_skipping = l->skipping;

	l->taken = taken;
	l->skipping = 0;
	if (was_skipping)
		return -EMSGSIZE;
	l->data[length] = 0;
	*line = l->data;
	*size = length;
	return 1;
}

int lines_next(struct lines *l, char **line, size_t *size)
{
	size_t seen = 0;

	if (l->taken)
		drop_taken(l);
	for (;;) {
		char *end = l->used > seen ? memchr(l->data + seen, '\n', l->used - seen) : NULL;
		ssize_t n;
		int r;

		if (end)
			return hand_out(l, (size_t)(end - l->data), (size_t)(end - l->data) + 1,
					line, size);
		seen = l->used;
		r = make_room(l);
		if (r < 0)
			return r;
		if (!l->used)
			seen = 0;
		r = wait_for_input(l);
		if (r <= 0)
			return r;
		n = read(l->fd, l->data + l->used, l->room - l->used);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n == 0)
			return l->used || l->skipping ? hand_out(l, l->used, l->used, line, size) :
							0;
		l->used += n > 0 ? (size_t)n : 0;
	}
}

void lines_free(struct lines *l)
{
	free(l->data);
	*l = (struct lines){ .fd = -1, .signals = -1 };
}
