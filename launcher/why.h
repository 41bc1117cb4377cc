/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions to the policy that a person asks: "open /etc/passwd". */
#pragma once

#include "policy/block.h"

#include <stddef.h>

/* Answers by the functions that decide for a running program. `cwd`: what a relative path is relative to.
 * 0 and *verdict (its sentences in `text`); -EINVAL: no such question (why_questions() has those there are). */
int why_ask(const struct policy_block *block, const char *question, const char *cwd,
	    struct verdict_text *text, struct verdict *verdict);

/* The questions there are, as a sentence; static. */
const char *why_questions(void);
