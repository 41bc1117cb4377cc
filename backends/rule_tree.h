/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policy's path rules in mount order: parents before what is below them, each knowing the nearest
 * rule above it. Pure: looks at texts only.
 */
#pragma once

#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

#define RULE_NONE ((size_t)-1)

struct rule_node {
	const struct path_rule *rule; /* the policy's */
	size_t above;                 /* the nearest rule above it, RULE_NONE = none */
	bool redundant;               /* the mount above gives exactly this rule's rights already */
	bool reopened;                /* a denied folder with something allowed below it */
};

struct rule_tree {
	struct rule_node *nodes; /* owned */
	size_t count;
};

/* Sorts the rules of a policy that outlives the tree. 0 or -errno. */
int rule_tree_make(struct rule_tree *t, const struct policy *p);
void rule_tree_free(struct rule_tree *t);

/* The nearest rule above node `i` that has a mount of its own, NULL = none. */
const struct path_rule *rule_tree_mount_above(const struct rule_tree *t, size_t i);

/* Does the rule take something away (deny, protect)? */
bool rule_takes_away(const struct path_rule *rule);

/* Does node `i` take something away in a place where the program may write on the host? */
bool rule_tree_is_guard(const struct rule_tree *t, size_t i);

/* Does this rule of a profile stand for a place of the session's own (/tmp, /dev/shm, /proc)? */
bool rule_is_private_place(const struct path_rule *rule);

/* Must the mount namespace hold something that Landlock, which only adds up, cannot: a denied path
 * below an allowed one, a protected (but for a profile's hooks) or readable one below a writable? */
bool rule_tree_needs_mounts(const struct policy *p);
