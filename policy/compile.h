/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Freezes a struct policy into a policy block. Launcher only. */
#pragma once

#include "policy/block.h"
#include "policy/policy.h"

/* A new block in malloc'd memory, *out owned by the caller (free). Returns 0 or -errno. */
int policy_compile(const struct policy *p, struct policy_block **out);

/* The same with more rules, each unless the policy has one for its path already. */
struct more_rules {
	const struct path_rule *rule;
	size_t count;
};
int policy_compile_with(const struct policy *p, const struct more_rules *more, struct policy_block **out);
