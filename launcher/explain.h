/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denials for people: what was refused, by whom, why, from where, and what would allow it. */
#pragma once

#include "launcher/result.h"

#include <jansson.h>
#include <stdio.h>

/* One denial, as it stands in a result's denials[] or in a DENIAL event. */
void explain_denial(FILE *out, const json_t *denial);

/* All of a result (its JSON): each denial, what was lost, where the shim was blind; one line when there is
 * nothing to say. */
void explain_result(FILE *out, const json_t *result);

/* The same for the result of a run just ended. */
void explain_run(FILE *out, const struct result *r);

/* Results and event logs, one JSON value after the other. 0, or -EINVAL: `in` (called `name`) holds
 * something else, which is said on stderr. */
int explain_stream(FILE *out, FILE *in, const char *name);
