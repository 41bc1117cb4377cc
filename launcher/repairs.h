/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repairs: the failed runs of a session's tasks. */
#pragma once

#include "launcher/result.h"

#define REPAIRS_TASK_MAX 256

struct repairs; /* the tasks of one session; NULL = none yet */

/* Failed runs so far; 0 for an unknown task. */
uint64_t repairs_used(const struct repairs *repairs, const char *task);

/* Does the result spend a repair? Success does not, nor what is not the program's fault. */
bool repairs_are_spent_by(const struct result *r);

/* Counts one failed run. 0 or -ENOMEM. */
int repairs_count(struct repairs **repairs, const char *task);
void repairs_free(struct repairs **repairs);
