/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passing a program's output on to a descriptor of ours as it comes, without ever waiting for whoever
 * reads that: a slow reader slows the program, never the clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream_state {
	STREAM_MOVED, /* something went through; there may be more */
	STREAM_EMPTY, /* the program's pipe holds nothing now */
	STREAM_FULL,  /* the target takes nothing now: wait until it is writable */
	STREAM_END    /* the program's pipe is at its end, or the target is gone */
};

enum stream_kind {
	STREAM_SPLICE, /* the target is a pipe */
	STREAM_FILE,   /* it never makes anybody wait */
	STREAM_TERMINAL, /* control characters are shown, not obeyed */
	STREAM_OTHER     /* a socket and the like: small writes when it is ready */
};

struct stream {
	int source, target; /* borrowed; source is non-blocking */
	enum stream_kind kind;
	int error;          /* -errno of a target that failed otherwise than by its reader's end */
	uint64_t *moved;    /* bytes that left the program; borrowed */
	char *held;         /* read but not yet written; in `room` or `shown` */
	size_t held_size;
	char *shown;        /* room made visible for a terminal; owned */
	size_t kept;        /* bytes at room's beginning: a character that is not yet whole */
	int terminal;       /* the terminal opened anew, non-blocking; owned, -1 = none */
	char room[4096];    /* PIPE_BUF: what a writable descriptor takes without blocking */
};

/* raw: a terminal gets the bytes as they are. */
void stream_init(struct stream *s, int source, int target, bool raw, uint64_t *moved);
void stream_free(struct stream *s);
enum stream_state stream_move(struct stream *s);

/* After the end: moves what is left, waiting for the target at most `patience_ms` in all. */
void stream_finish(struct stream *s, int patience_ms);
