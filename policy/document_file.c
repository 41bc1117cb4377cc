/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A policy document from a file (or a pipe: `<(…)`). Runs in the launcher, at load; reads at most
 * 16 MiB. Relative paths in the document are the file's folder's.
 */
#include "policy/document_node.h"
#include "policy/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail_file(struct document_error *err, const char *file, int error, const char *why)
{
	if (!why)
		why = error == -EFBIG ? "the document is larger than 16 MiB" : strerror(-error);
	(void)snprintf(err->text, sizeof(err->text), "%.800s: %s", file, why);
	document_make_visible(err->text);
	return error;
}

/* All of a file, or of a pipe, up to the limit. */
static int read_all(int fd, char **out, size_t *size)
{
	size_t room = 65536, used = 0;
	char *text = malloc(room);

	while (text) {
		ssize_t got = read(fd, text + used, room - used);
		char *more;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || (used += (size_t)got) > DOCUMENT_SIZE_MAX) {
			*out = text;
			*size = used;
			return got < 0 ? -errno : got ? -EFBIG : 0;
		}
		if (used < room)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	return -ENOMEM;
}

/* The real folder that holds the file's name. */
static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup("."), *real;

	real = folder ? realpath(folder, NULL) : NULL;
	free(folder);
	return real;
}

int document_load_file(struct policy *p, const char *file, struct document_error *err)
{
	const char *why = NULL;
	int fd = input_file_open(file, &why), r = fd < 0 ? fd : 0;
	char *text = NULL, *folder = NULL;
	size_t size = 0;

	if (!r)
		r = read_all(fd, &text, &size);
	if (fd >= 0)
		(void)close(fd);
	if (!r && !(folder = folder_of(file)))
		r = -errno;
	if (r < 0)
		(void)fail_file(err, file, r, why);
	else
		r = document_load(p, text, size, file, folder, err);
	free(text);
	free(folder);
	return r;
}
