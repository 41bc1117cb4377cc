/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Freezes a policy into a block: header, rules sorted by path, hash slots, denylist, texts.
 * Runs in the launcher, once a session. What is inherited is folded in here, so that deciding
 * never looks at more than one rule: a deny keeps nothing, a protected path gets what is in force
 * just above it, without writing.
 */
#include "policy/compile.h"

#include "policy/block_hash.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 8u
#define RULES_MAX (1u << 24)
#define GRANTS (PATH_READ | PATH_WRITE | PATH_EXEC)

struct build {
	const struct policy *policy;
	struct more_rules more;
	const struct path_rule **rule; /* sorted */
	size_t rule_count;
	const char **deny;             /* sorted */
	struct policy_block *block;
	size_t size;
	uint32_t text_used; /* offset of the next text */
};

static int compare_rules(const void *a, const void *b)
{
	return strcmp((*(const struct path_rule *const *)a)->path,
		      (*(const struct path_rule *const *)b)->path);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_rule_for(const struct policy *p, const char *path)
{
	for (size_t i = 0; i < p->path_count; i++)
		if (strcmp(p->paths[i].path, path) == 0)
			return true;
	return false;
}

/* Sorted, the block does not depend on the order of the rules. */
static int sort_input(struct build *w)
{
	const struct policy *p = w->policy;

	if (p->path_count >= RULES_MAX || p->deny_argv0.count >= RULES_MAX)
		return -E2BIG;
	w->rule = calloc(p->path_count + w->more.count + 1, sizeof(*w->rule));
	w->deny = calloc(p->deny_argv0.count + 1, sizeof(*w->deny));
	if (!w->rule || !w->deny)
		return -ENOMEM;
	for (size_t i = 0; i < p->path_count; i++)
		w->rule[i] = &p->paths[i];
	w->rule_count = p->path_count;
	for (size_t i = 0; i < w->more.count; i++)
		if (!has_rule_for(p, w->more.rule[i].path))
			w->rule[w->rule_count++] = &w->more.rule[i];
	for (size_t i = 0; i < p->deny_argv0.count; i++)
		w->deny[i] = p->deny_argv0.item[i];
	qsort(w->rule, w->rule_count, sizeof(*w->rule), compare_rules);
	qsort(w->deny, p->deny_argv0.count, sizeof(*w->deny), compare_texts);
	return 0;
}

static size_t text_size(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static size_t measure_texts(const struct build *w)
{
	const struct policy *p = w->policy;
	size_t size = 1 + sizeof("the default") + text_size(p->root) + text_size(p->profile);

	for (size_t i = 0; i < w->rule_count; i++)
		size += text_size(w->rule[i]->path) + text_size(w->rule[i]->origin);
	for (size_t i = 0; i < p->deny_argv0.count; i++)
		size += text_size(p->deny_argv0.item[i]);
	return size;
}

/* Half of the slots stay free, so that a probe soon ends. */
static uint32_t count_slots(size_t rules)
{
	uint32_t slots = SLOTS_MIN;

	while (slots < 2 * rules)
		slots *= 2;
	return slots;
}

static int allocate(struct build *w)
{
	const struct policy *p = w->policy;
	size_t rules = w->rule_count + 1, slots = count_slots(rules);
	struct policy_block head = { .magic = POLICY_BLOCK_MAGIC, .version = POLICY_BLOCK_VERSION };
	size_t at = sizeof(head);

	head.rule_count = (uint32_t)rules;
	head.slot_count = (uint32_t)slots;
	head.deny_count = (uint32_t)p->deny_argv0.count;
	head.rules = (uint32_t)at;
	at += rules * sizeof(struct block_rule);
	head.slots = (uint32_t)at;
	at += slots * sizeof(uint32_t);
	head.deny = (uint32_t)at;
	at += head.deny_count * sizeof(uint32_t);
	w->size = at + measure_texts(w);
	if (w->size > UINT32_MAX)
		return -E2BIG;
	w->block = calloc(1, w->size);
	if (!w->block)
		return -ENOMEM;
	head.size = w->size;
	*w->block = head;
	w->text_used = (uint32_t)at + 1; /* the first text is empty */
	return 0;
}

static uint32_t put_text(struct build *w, const char *text)
{
	uint32_t at = w->text_used;
	size_t size = text_size(text);

	if (!text)
		return 0;
	memcpy((char *)w->block + at, text, size);
	w->text_used += (uint32_t)size;
	return at;
}

static void put_answers(struct build *w)
{
	const struct policy *p = w->policy;
	struct policy_block *b = w->block;

	b->network = p->network;
	b->processes = p->processes;
	b->load = p->load;
	b->shell = p->shell;
	b->metachars = p->metachars;
	b->limits = p->limits;
	b->profile = p->profile ? put_text(w, p->profile) : w->text_used - 1;
	b->root = put_text(w, p->root);
}

static struct block_rule *rules_of(struct policy_block *b)
{
	return (struct block_rule *)((char *)b + b->rules);
}

static unsigned own_rights(unsigned rights)
{
	if (rights & PATH_DENY)
		return PATH_DENY;
	if (rights & PATH_PROTECT)
		rights &= ~(unsigned)PATH_WRITE;
	return rights & (GRANTS | PATH_PROTECT);
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = BLOCK_HASH_START;

	while (*text)
		hash = block_hash_add(hash, *text++);
	return hash;
}

static void put_slot(struct policy_block *b, uint32_t rule)
{
	uint32_t *slots = (uint32_t *)((char *)b + b->slots), mask = b->slot_count - 1;
	uint32_t slot = block_slot(rules_of(b)[rule].hash, mask);

	while (slots[slot])
		slot = (slot + 1) & mask;
	slots[slot] = rule;
}

static void put_rules(struct build *w)
{
	struct block_rule *rules = rules_of(w->block);

	rules[0].path = w->text_used - 1;
	rules[0].origin = put_text(w, "the default");
	for (uint32_t i = 1; i < w->block->rule_count; i++) {
		const struct path_rule *from = w->rule[i - 1];

		rules[i].hash = hash_text(from->path);
		rules[i].length = (uint32_t)strlen(from->path);
		rules[i].rights = own_rights(from->rights);
		rules[i].path = put_text(w, from->path);
		rules[i].origin = put_text(w, from->origin);
		put_slot(w->block, i);
	}
}

static int fold_one(struct policy_block *b, struct block_rule *rule)
{
	const char *path = block_text(b, rule->path);
	size_t size = (size_t)(strrchr(path, '/') - path);
	char *above;

	if (!path[1]) /* nothing is above the root */
		return 0;
	above = strndup(path, size ? size : 1);
	if (!above)
		return -ENOMEM;
	rule->rights |= policy_path_rights(b, above, NULL) & (PATH_READ | PATH_EXEC);
	free(above);
	return 0;
}

/* Parents sort before their children, so what is above is complete already. */
static int fold_protected(struct policy_block *b)
{
	for (uint32_t i = 1; i < b->rule_count; i++) {
		struct block_rule *rule = &rules_of(b)[i];
		int r = rule->rights == PATH_PROTECT ? fold_one(b, rule) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static void put_denylist(struct build *w)
{
	uint32_t *deny = (uint32_t *)((char *)w->block + w->block->deny);

	for (uint32_t i = 0; i < w->block->deny_count; i++)
		deny[i] = put_text(w, w->deny[i]);
}

int policy_compile(const struct policy *p, struct policy_block **out)
{
	const struct more_rules none = { NULL, 0 };

	return policy_compile_with(p, &none, out);
}

int policy_compile_with(const struct policy *p, const struct more_rules *more, struct policy_block **out)
{
	struct build w = { .policy = p, .more = *more };
	int r = sort_input(&w);

	if (!r)
		r = allocate(&w);
	if (!r) {
		put_answers(&w);
		put_rules(&w);
		put_denylist(&w);
		r = fold_protected(w.block);
	}
	free(w.rule);
	free(w.deny);
	if (r < 0) {
		free(w.block);
		return r;
	}
	*out = w.block;
	return 0;
}
