/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orders path rules for mounting. Sorting by components puts everything below a folder right behind
 * it, so one pass with the chain of present ancestors finds each rule's nearest, whatever the number
 * of rules. Runs in launcher, janitor and warden; touches no file.
 */
#include "backends/rule_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const private_paths[] = { "/tmp", "/dev/shm", "/proc" };

static bool is_from_profile(const struct path_rule *rule)
{
	return strncmp(rule->origin, "profile ", 8) == 0;
}

bool rule_is_private_place(const struct path_rule *rule)
{
	if (!is_from_profile(rule) || rule_takes_away(rule))
		return false;
	for (size_t i = 0; i < sizeof(private_paths) / sizeof(*private_paths); i++)
		if (strcmp(rule->path, private_paths[i]) == 0)
			return true;
	return false;
}

bool rule_takes_away(const struct path_rule *rule)
{
	return rule->rights & (PATH_DENY | PATH_PROTECT);
}

/* As strcmp(), but '/' sorts before everything else: "/a/b" stands before "/a-". */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (!*a || !*b)
		return (*a != 0) - (*b != 0);
	return (*a == '/' ? 1 : (unsigned char)*a + 1) - (*b == '/' ? 1 : (unsigned char)*b + 1);
}

static int by_path(const void *a, const void *b)
{
	const struct rule_node *left = a, *right = b;

	return compare_paths(left->rule->path, right->rule->path);
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length == 1 || (strncmp(path, folder, length) == 0 && path[length] == '/');
}

/* The node before is an ancestor, or shares one. */
static size_t find_above(const struct rule_tree *t, size_t i)
{
	size_t above = i ? i - 1 : RULE_NONE;

	while (above != RULE_NONE && !is_below(t->nodes[i].rule->path, t->nodes[above].rule->path))
		above = t->nodes[above].above;
	return above;
}

static bool is_redundant(const struct path_rule *rule, const struct path_rule *above)
{
	return !rule_takes_away(rule) && !rule_takes_away(above) &&
	       !rule_is_private_place(above) && !rule_is_private_place(rule) &&
	       strncmp(rule->path, "/dev/", 5) != 0 &&
	       (above->rights & PATH_WRITE) == (rule->rights & PATH_WRITE);
}

static void place_node(struct rule_tree *t, size_t i)
{
	struct rule_node *node = &t->nodes[i], *above;

	node->above = find_above(t, i);
	if (node->above == RULE_NONE)
		return;
	above = &t->nodes[node->above];
	node->redundant = is_redundant(node->rule, above->rule);
	if (above->rule->rights & PATH_DENY && !rule_takes_away(node->rule))
		above->reopened = true;
}

int rule_tree_make(struct rule_tree *t, const struct policy *p)
{
	t->count = p->path_count;
	t->nodes = calloc(p->path_count + 1, sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		t->nodes[i].rule = &p->paths[i];
	qsort(t->nodes, t->count, sizeof(*t->nodes), by_path);
	for (size_t i = 0; i < t->count; i++)
		place_node(t, i);
	return 0;
}

void rule_tree_free(struct rule_tree *t)
{
	free(t->nodes);
	*t = (struct rule_tree){ 0 };
}

static const struct path_rule *rule_above(const struct rule_tree *t, size_t i)
{
	return t->nodes[i].above == RULE_NONE ? NULL : t->nodes[t->nodes[i].above].rule;
}

/* A rule that takes away mounts below itself where it must: what is above it is what counts. */
static size_t granted_above(const struct rule_tree *t, size_t i)
{
	size_t above = t->nodes[i].above;

	while (above != RULE_NONE && t->nodes[above].redundant)
		above = t->nodes[above].above;
	return above;
}

const struct path_rule *rule_tree_mount_above(const struct rule_tree *t, size_t i)
{
	size_t above = granted_above(t, i);

	return above == RULE_NONE ? NULL : t->nodes[above].rule;
}

bool rule_tree_is_guard(const struct rule_tree *t, size_t i)
{
	const struct path_rule *above = rule_above(t, i);

	return rule_takes_away(t->nodes[i].rule) && above && !rule_takes_away(above) &&
	       !rule_is_private_place(above) && (above->rights & PATH_WRITE);
}

/* Without mounts a private place is not granted at all: nothing adds up below it. */
static bool needs_mounts(const struct rule_tree *t, size_t i)
{
	const struct path_rule *rule = t->nodes[i].rule, *above = rule_above(t, i);

	if (!above || rule_is_private_place(above) || rule_is_private_place(rule))
		return false;
	if (rule->rights & PATH_DENY)
		return !(above->rights & PATH_DENY);
	if (!(above->rights & PATH_WRITE) || rule_takes_away(above))
		return false;
	if (rule->rights & PATH_PROTECT)
		return !is_from_profile(rule);
	return !(rule->rights & PATH_WRITE);
}

bool rule_tree_needs_mounts(const struct policy *p)
{
	struct rule_tree t;
	bool needs = false;

	if (rule_tree_make(&t, p) < 0)
		return true;
	for (size_t i = 0; i < t.count && !needs; i++)
		needs = needs_mounts(&t, i);
	rule_tree_free(&t);
	return needs;
}
