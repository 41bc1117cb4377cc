/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the shim told in the ring, made into denials. */
#pragma once

#include "launcher/denials.h"
#include "launcher/program_file.h"

#include <stdint.h>

struct shim_told_ask {
	int ring;
	uint64_t start_ns;   /* when the run began, on the monotonic clock */
	uint64_t end_ns;     /* … and ended */
	const char *program; /* what the first process executed, for frames in "the program" */
	const struct program_files *files;
};

/* Adds what stands in the ring to `list`, with names for its frames. What cannot be read is counted as
 * lost. */
void shim_told_take(struct denials *list, const struct shim_told_ask *ask);
