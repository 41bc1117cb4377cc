/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* owner.json of a session folder: writing and reading it. Runs in the launcher. (What it says and
 * how it is judged: session_folder.h.) */
#pragma once

#include "launcher/session_folder.h"

#define OWNER_FILE "owner.json"
#define OWNER_SIZE_MAX 4096

/* This process as an owner; `handle` may be NULL. */
void owner_fill(struct owner *o, const char *backend, const char *handle);
/* Written under another name, then renamed: a reader sees all of it or nothing. 0 or -errno. */
int owner_write(int dir_fd, const struct owner *o);
/* 0, or -errno when it is missing, no plain file, too long or malformed. */
int owner_read(int dir_fd, struct owner *out);
