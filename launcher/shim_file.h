/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the shim's library is, and whether it can serve here. */
#pragma once

#include <stddef.h>

/* Finds the library that belongs to this very program: beside it in a build tree, or installed. Writes
 * its absolute path and returns 0; else -errno, and `why` says in words what is the matter with it. */
int shim_file_find(char *path, size_t size, char *why, size_t why_size);

/* May the dynamic loader take this file into programs of this machine? 0, or -errno and `why`. */
int shim_file_check(const char *path, char *why, size_t why_size);
