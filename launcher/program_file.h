/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that a program named, looked at from outside. */
#pragma once

#include "policy/block.h"

#include <stdbool.h>

/* Which files: those the policy lets the program read or execute, by their host's names. */
struct program_files {
	const struct policy_block *block;
	bool anywhere; /* there were no walls: the program could read what its user can */
};

/* Opens a regular file for reading: no device is so much as opened, and no link leads out of what the
 * program could read itself. Descriptor or -errno. */
int program_file_open(const struct program_files *files, const char *path);

/* Is there anything of this name on the host? Nothing is followed or opened. */
bool program_file_exists(const char *path);
