/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling results and verdicts to people and programs. */
#pragma once

#include "launcher/request.h"
#include "launcher/result.h"

/* "fd:N", "-" or a file (`how`: O_TRUNC or O_APPEND). A descriptor of our own, or -errno. */
int report_open_target(const char *target, int how);

/* Writes the result where asked, and on a streamed run what a person needs on stderr: two lines for a
 * refusal. Returns the process's exit code. */
int report_result(const struct request *q, const struct result *r, bool streamed);
void report_verdict(const struct verdict *verdict, bool json);
