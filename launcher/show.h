/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The effective policy, shown: what profile, documents and flags came to, each rule with its origin. */
#pragma once

#include "policy/policy.h"

#include <jansson.h>

void show_policy(const struct policy *p); /* as text, to standard output */
json_t *show_policy_json(const struct policy *p); /* the same; NULL = out of memory */
