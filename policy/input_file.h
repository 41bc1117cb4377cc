/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that the caller names and we read whole: a policy document, a script. */
#pragma once

#include <sys/types.h>

/* Opens it for reading, never waiting for anybody. A new descriptor, which is the caller's, or -errno with
 * *why telling the cause: a regular file or a pipe that somebody holds (`<(…)`, /dev/stdin) is
 * taken; a FIFO by name, a folder, a device and a socket are refused (-EINVAL). */
int input_file_open(const char *path, const char **why);

/* "a folder", "a FIFO", "a device", "a socket"; NULL for a regular file. */
const char *input_file_kind(mode_t mode);
