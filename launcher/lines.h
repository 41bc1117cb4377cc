/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading lines from a descriptor while listening to signals. */
#pragma once

#include <stddef.h>

#define LINES_MAX (64u << 20) /* longer ones are told, and read past */

struct lines {
	int fd, signals;  /* borrowed */
	char *data;       /* owned */
	size_t used, room, taken;
	int skipping;     /* inside a line that is too long */
};

/* The next line without its end, valid until the next call; *size its length. Returns 1, 0 at end of file
 * or when a signal asks to end, -EMSGSIZE for a line over LINES_MAX (the next call goes on behind
 * it), or another -errno. A last line without an end counts. */
int lines_next(struct lines *l, char **line, size_t *size);
void lines_free(struct lines *l);
