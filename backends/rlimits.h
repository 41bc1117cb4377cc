/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limits of a run that rlimits can hold. Raw system calls only: runs in the child. */
#pragma once

#include "policy/limits.h"

#include <stdbool.h>

/* memory: RLIMIT_AS or RLIMIT_DATA, or -1 when something else limits memory. Soft and hard are the
 * same (but for CPU, whose hard limit is a second later, so that SIGXCPU is seen). 0 or -errno. */
int rlimits_set(const struct limits *limits, int memory, bool processes);

/* The CPU limit in whole seconds: cpu_ms, or ceil(2 * wall) + 1; LIMIT_NONE when there is no clock. */
uint64_t rlimits_cpu_seconds(const struct limits *limits);
