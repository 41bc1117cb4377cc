/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling results and verdicts to people and programs. */
#pragma once

#include "launcher/request.h"
#include "launcher/result.h"

#include <jansson.h>

/* "fd:N", "-" or a file (`how`: O_TRUNC or O_APPEND). A descriptor of our own, or -errno. */
int report_open_target(const char *target, int how);
/* Why that failed, by its -errno. */
const char *report_target_words(int error);

/* Where the result goes: opened before the program starts, which could else put something there. */
struct report {
	int result, meta; /* -1 = not wanted */
};

/* Prints one line and returns -EINVAL where a target cannot be opened. */
int report_open(struct report *report, const struct request *q, bool streamed);
void report_close(struct report *report);

/* Writes the result where asked, and on a streamed run what a person needs on stderr: two lines for a
 * refusal. Returns the process's exit code. */
int report_result(const struct report *report, const struct result *r, bool streamed);
void report_verdict(const struct verdict *verdict);
/* One object; with the policy in force where it is given, which is taken over. */
void report_verdict_json(const struct verdict *verdict, json_t *policy);
