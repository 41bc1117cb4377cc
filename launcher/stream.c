/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams: program's pipe to caller's descriptor. Into a pipe by splice(2), which copies nothing and can
 * be told not to block whatever the target's own flags are (they belong to the caller and are not
 * touched); into a file by plain writes; into a terminal through a descriptor of our own, opened anew and
 * non-blocking, with control characters made visible; into anything else by writes no larger than
 * what a descriptor that poll(2) calls writable takes without blocking.
 *
 * Runs in the launcher.
 */
#include "launcher/stream.h"

#include "launcher/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SPLICE_BYTES (1u << 20)

static enum stream_kind kind_of(int target)
{
	struct stat st;

	if (fstat(target, &st) < 0)
		return STREAM_OTHER;
	if (S_ISFIFO(st.st_mode))
		return STREAM_SPLICE;
	/* Devices of the memory kind (major 1: null, full) never wait either. */
	if (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && st.st_rdev >> 8 == 1))
		return STREAM_FILE;
	return STREAM_OTHER;
}

static int open_terminal(int target)
{
	char path[32];

	if (!isatty(target))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void stream_init(struct stream *s, int source, int target, bool raw, uint64_t *moved)
{
	*s = (struct stream){ .source = source,
			      .target = target,
			      .kind = kind_of(target),
			      .moved = moved,
			      .terminal = open_terminal(target) };
	if (s->kind == STREAM_OTHER && !raw && isatty(target))
		s->kind = STREAM_TERMINAL;
	if (s->terminal >= 0)
		s->target = s->terminal;
}

void stream_free(struct stream *s)
{
	if (s->terminal >= 0)
		(void)close(s->terminal);
	free(s->shown);
	s->terminal = -1;
	s->shown = NULL;
}

static bool is_writable(int target, int patience_ms)
{
	struct pollfd ready = { .fd = target, .events = POLLOUT };

	return poll(&ready, 1, patience_ms) > 0;
}

static enum stream_state fail(struct stream *s, int error)
{
	if (error != EPIPE)
		s->error = -error;
	return STREAM_END;
}

/* EAGAIN says only that one of the two pipes is not ready: poll tells which. */
static enum stream_state move_by_splice(struct stream *s)
{
	ssize_t n = splice(s->source, NULL, s->target, NULL, SPLICE_BYTES, SPLICE_F_NONBLOCK);

	if (n > 0) {
		*s->moved += (uint64_t)n;
		return STREAM_MOVED;
	}
	if (n < 0 && errno == EINTR)
		return STREAM_MOVED;
	if (n < 0 && errno == EINVAL) { /* a target in append mode */
		s->kind = STREAM_OTHER;
		return STREAM_MOVED;
	}
	if (n < 0 && errno == EAGAIN)
		return is_writable(s->target, 0) ? STREAM_EMPTY : STREAM_FULL;
	return n < 0 ? fail(s, errno) : STREAM_END;
}

/* How many bytes at the end begin a UTF-8 character that goes on in the next chunk (at most 3). */
static size_t unfinished(const char *text, size_t size)
{
	for (size_t back = 1; back <= 3 && back <= size; back++) {
		unsigned char c = (unsigned char)text[size - back];
		size_t whole = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

		if (c >= 0x80 && c < 0xc0)
			continue;
		return whole > back ? back : 0;
	}
	return 0;
}

/* For a terminal: what stands in room, made visible; an unfinished character waits for its rest. */
static enum stream_state show(struct stream *s, size_t size, bool at_end)
{
	size_t rest = at_end ? 0 : unfinished(s->room, size);

	free(s->shown);
	s->shown = output_visible(s->room, size - rest);
	if (!s->shown)
		return fail(s, ENOMEM);
	s->held = s->shown;
	s->held_size = strlen(s->shown);
	memmove(s->room, s->room + size - rest, rest);
	s->kept = rest;
	return STREAM_MOVED;
}

static enum stream_state fill(struct stream *s)
{
	ssize_t n = read(s->source, s->room + s->kept, sizeof(s->room) - s->kept);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return STREAM_EMPTY;
	if (n <= 0 && !s->kept)
		return STREAM_END;
	if (n <= 0)
		return show(s, s->kept, true);
	*s->moved += (uint64_t)n;
	if (s->kind == STREAM_TERMINAL)
		return show(s, s->kept + (size_t)n, false);
	s->held = s->room;
	s->held_size = (size_t)n;
	return STREAM_MOVED;
}

static enum stream_state move_by_write(struct stream *s)
{
	ssize_t n;

	if (!s->held_size) {
		enum stream_state state = fill(s);

		if (state != STREAM_MOVED)
			return state;
	}
	if (!s->held_size)
		return STREAM_MOVED;
	if (s->kind != STREAM_FILE && !is_writable(s->target, 0))
		return STREAM_FULL;
	n = write(s->target, s->held, s->held_size);
	if (n < 0 && errno == EAGAIN)
		return STREAM_FULL;
	if (n < 0 && errno != EINTR)
		return fail(s, errno);
	if (n > 0) {
		s->held += n;
		s->held_size -= (size_t)n;
	}
	return STREAM_MOVED;
}

enum stream_state stream_move(struct stream *s)
{
	return s->kind == STREAM_SPLICE ? move_by_splice(s) : move_by_write(s);
}

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void stream_finish(struct stream *s, int patience_ms)
{
	int64_t until = now_ms() + patience_ms;
	enum stream_state state;

	do {
		int64_t left = until - now_ms();

		state = stream_move(s);
		if (state == STREAM_FULL &&
		    (left <= 0 || !is_writable(s->target, (int)left)))
			return;
	} while (state == STREAM_MOVED || state == STREAM_FULL);
}
