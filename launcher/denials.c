/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of what was refused to a running program: a bounded array in the order of coming, with a hash
 * table over what makes two refusals the same. Runs in the launcher. Must never grow with what the
 * program does: there is room for DENIALS_MAX different ones, and long texts are cut.
 */
#include "launcher/denials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define TARGET_MAX 4096 /* of a path that the kernel takes */

struct entry {
	struct denial denial; /* its texts are owned by this entry */
	char *key;
	UT_hash_handle hh;
};

struct denials {
	struct entry *by_key;
	struct entry *all[DENIALS_MAX];
	size_t count;
	uint64_t total, lost;
};

static void free_entry(struct entry *e)
{
	if (!e)
		return;
	free((char *)(uintptr_t)e->denial.call);
	free((char *)(uintptr_t)e->denial.target);
	free((char *)(uintptr_t)e->denial.reason);
	free((char *)(uintptr_t)e->denial.fix);
	free((void *)(uintptr_t)e->denial.frames);
	free((void *)(uintptr_t)e->denial.script);
	free(e->key);
	free(e);
}

struct denials *denials_new(void)
{
	return calloc(1, sizeof(struct denials));
}

void denials_clear(struct denials *list)
{
	if (!list)
		return;
	HASH_CLEAR(hh, list->by_key);
	for (size_t i = 0; i < list->count; i++)
		free_entry(list->all[i]);
	list->count = 0;
	list->total = list->lost = 0;
}

void denials_free(struct denials *list)
{
	denials_clear(list);
	free(list);
}

/* Counts come from the program too: a sum never wraps, and fits into JSON. */
static uint64_t add_counts(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum) || sum > INT64_MAX)
		return INT64_MAX;
	return sum;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* What makes two refusals one, as text; malloc'd. */
static char *make_key(const struct denial *d)
{
	const struct denial_frame *f = d->frame_count ? d->frames : NULL;
	const struct denial_script *s = d->script;
	char *key;

	if (asprintf(&key, "%d %d %d %d\n%s\n%.*s\n%s+%llx\n%s:%u", d->layer, d->trusted, d->axis,
		     d->error, or_empty(d->call), TARGET_MAX, or_empty(d->target),
		     f ? f->module : "", f ? (unsigned long long)f->offset : 0,
		     s ? s->file : "", s ? s->line : 0) < 0)
		return NULL;
	return key;
}

/* A copy of `count` things of `size` bytes; NULL for none. */
static void *copy(const void *from, size_t count, size_t size, bool *failed)
{
	void *to = from && count ? malloc(count * size) : NULL;

	if (to)
		memcpy(to, from, count * size);
	else if (from && count)
		*failed = true;
	return to;
}

static char *copy_text(const char *text, size_t most, bool *failed)
{
	char *to = strndup(or_empty(text), most);

	*failed |= !to;
	return to;
}

static struct entry *make_entry(const struct denial *d)
{
	struct entry *e = calloc(1, sizeof(*e));
	bool failed = !e;

	if (!e)
		return NULL;
	e->denial = *d;
	if (e->denial.frame_count > DENIAL_FRAMES_MAX)
		e->denial.frame_count = DENIAL_FRAMES_MAX;
	e->denial.count = add_counts(d->count ? d->count : 1, 0);
	e->denial.call = copy_text(d->call, 128, &failed);
	e->denial.target = copy_text(d->target, TARGET_MAX, &failed);
	e->denial.reason = copy_text(d->reason, VERDICT_TEXT_MAX, &failed);
	e->denial.fix = copy_text(d->fix, VERDICT_TEXT_MAX, &failed);
	e->denial.frames = copy(d->frames, e->denial.frame_count, sizeof(*d->frames), &failed);
	e->denial.script = copy(d->script, 1, sizeof(*d->script), &failed);
	if (!failed)
		return e;
	free_entry(e);
	return NULL;
}

/* Takes the entry over, and the key. False: there was no memory for it. */
static bool keep(struct denials *list, struct entry *e, char **key)
{
	e->key = *key;
	*key = NULL;
	HASH_ADD_KEYPTR(hh, list->by_key, e->key, strlen(e->key), e);
	if (!e->hh.tbl) {
		free_entry(e);
		return false;
	}
	list->all[list->count++] = e;
	return true;
}

void denials_add(struct denials *list, const struct denial *denial)
{
	uint64_t count = denial->count ? denial->count : 1;
	char *key = list ? make_key(denial) : NULL;
	struct entry *known = NULL, *e;

	if (!list)
		return;
	list->total = add_counts(list->total, count);
	if (key)
		HASH_FIND_STR(list->by_key, key, known);
	if (known)
		known->denial.count = add_counts(known->denial.count, count);
	e = !known && key && list->count < DENIALS_MAX ? make_entry(denial) : NULL;
	if (!known && !(e && keep(list, e, &key)))
		list->lost = add_counts(list->lost, count);
	free(key);
}

void denials_add_lost(struct denials *list, uint64_t count)
{
	if (!list)
		return;
	list->total = add_counts(list->total, count);
	list->lost = add_counts(list->lost, count);
}

/* Where the shim names no target, the call's name must do. */
static bool is_same_act(const struct denial *told, const struct denial *seen)
{
	return told->axis == seen->axis && told->error == seen->error &&
	       strcmp(told->target[0] ? told->target : told->call,
		      told->target[0] ? seen->target : seen->call) == 0;
}

/* The axes on which the shim told of anything, a bit each. Not of paths: those have one name for libc
 * and kernel. */
static uint32_t told_axes(const struct denials *list)
{
	uint32_t axes = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!list->all[i]->denial.trusted)
			axes |= 1u << list->all[i]->denial.axis;
	return axes & ~(1u << AXIS_PATH);
}

/* What the shim told of an act that the kernel saw; -1 = nothing. */
static ptrdiff_t find_told(const struct denials *list, const struct denial *seen)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->all[i]->denial.trusted && is_same_act(&list->all[i]->denial, seen))
			return (ptrdiff_t)i;
	return -1;
}

static void remove_at(struct denials *list, size_t i)
{
	HASH_DEL(list->by_key, list->all[i]);
	free_entry(list->all[i]);
	list->count--;
	memmove(list->all + i, list->all + i + 1, (list->count - i) * sizeof(*list->all));
}

/* The kernel's count stands, and the shim's place in the program. */
static void join(struct denials *list, struct denial *seen, size_t told_at)
{
	struct denial *told = &list->all[told_at]->denial;
	uint64_t both = told->count < seen->count ? told->count : seen->count;

	list->total -= both < list->total ? both : list->total;
	if (told->count > seen->count)
		seen->count = told->count;
	if (!seen->frame_count) {
		seen->frames = told->frames;
		seen->frame_count = told->frame_count;
		told->frames = NULL;
	}
	if (!seen->script) {
		seen->script = told->script;
		told->script = NULL;
	}
	remove_at(list, told_at);
}

void denials_reconcile(struct denials *list, bool (*is_covered)(void *ctx, int32_t pid), void *ctx)
{
	uint32_t told_of = list ? told_axes(list) : 0;

	for (size_t i = 0; list && i < list->count; i++) {
		struct denial *seen = &list->all[i]->denial;
		ptrdiff_t told = seen->trusted ? find_told(list, seen) : -1;

		if (!seen->trusted)
			continue;
		if (told < 0)
			seen->bypassed = !seen->is_past_shim && !(told_of & (1u << seen->axis)) &&
					 is_covered(ctx, seen->pid);
		else
			join(list, seen, (size_t)told);
		i -= told >= 0 && (size_t)told < i;
	}
}

size_t denials_count(const struct denials *list)
{
	return list ? list->count : 0;
}

const struct denial *denials_at(const struct denials *list, size_t i)
{
	return &list->all[i]->denial;
}

uint64_t denials_total(const struct denials *list)
{
	return list ? list->total : 0;
}

uint64_t denials_lost(const struct denials *list)
{
	return list ? list->lost : 0;
}
