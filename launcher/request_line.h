/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of `stile session`: JSON text in, a checked request out. Pure: nothing is run or opened. */
#pragma once

#include "policy/limits.h"

#include <jansson.h>
#include <stddef.h>

#define REQUEST_LINE_WHY_MAX 512

struct request_line {
	json_t *object;  /* owned; NULL where the text is no JSON; the texts below point into it */
	const char *op;  /* the others are NULL where the line has none */
	char **argv;     /* owned list, ends with NULL */
	char **env;      /* NAME=VALUE: owned list of owned texts, ends with NULL */
	const char *language, *code, *input, *task;
	size_t code_size, input_size;
};

/* Reads one line. 0, or -EINVAL with one sentence in `why`, which is always UTF-8; free it in either
 * case. */
int request_line_read(struct request_line *line, const char *text, size_t length, char *why,
		      size_t size);
void request_line_free(struct request_line *line);

/* Writes the line's tier and limits over `limits`. 0 or -EINVAL with `why`. */
int request_line_take_limits(const struct request_line *line, struct limits *limits, char *why,
			     size_t size);

/* How many bytes of the text, at most `room`, end with a whole character. */
int request_line_fitting(const char *text, size_t room);
