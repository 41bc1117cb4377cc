/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting calls: the records of the ring, taken now and then while the program runs and once after its
 * end. The same call with the same end is one, so what is kept grows with what is different only, and is
 * bounded. Runs in the launcher.
 */
#include "launcher/observed.h"

#include "launcher/ring_read.h"
#include "launcher/told_judge.h"
#include "shim/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct entry {
	struct observed_call call;
	UT_hash_handle hh;
	char key[]; /* numbers, then the target, which the call points into */
};

struct observed {
	const struct policy_block *block;
	struct entry *by_key;
	struct entry *all[OBSERVED_MAX];
	size_t count;
	struct ring_place place;
	uint64_t lost_here, lost_in_ring;
};

struct observed *observed_new(const struct policy_block *block)
{
	struct observed *o = calloc(1, sizeof(*o));

	if (o)
		o->block = block;
	return o;
}

void observed_clear(struct observed *o)
{
	if (!o)
		return;
	HASH_CLEAR(hh, o->by_key);
	for (size_t i = 0; i < o->count; i++)
		free(o->all[i]);
	o->count = 0;
	o->place = (struct ring_place){ 0 };
	o->lost_here = o->lost_in_ring = 0;
}

void observed_free(struct observed *o)
{
	observed_clear(o);
	free(o);
}

/* Whoever only observes judges nothing; the policy is asked here, once for each different call. */
static void judge(const struct policy_block *block, struct observed_call *call)
{
	const struct told_call told = { call->axis, call->access, call->call, call->target };
	struct verdict verdict;

	call->axis = told_axis(&told);
	told_judge(block, &told, NULL, &verdict);
	call->action = verdict.action;
}

static struct entry *make_entry(const struct observed *o, const struct ring_call *call,
				const char *key, size_t target_at)
{
	size_t size = strlen(key) + 1;
	struct entry *e = calloc(1, sizeof(*e) + size);

	if (!e)
		return NULL;
	memcpy(e->key, key, size);
	e->call = (struct observed_call){
		.call = hook_name(call->record.hook),
		.target = e->key + target_at,
		.is_cut = call->is_cut,
		.axis = (enum axis)call->record.axis,
		.access = call->record.access,
		.error = call->record.error,
	};
	judge(o->block, &e->call);
	return e;
}

static struct entry *find_or_add(struct observed *o, const struct ring_call *call)
{
	char key[sizeof(call->target) + 64];
	const struct ring_record *r = &call->record;
	int target_at = snprintf(key, sizeof(key), "%u %u %u %d ", r->hook, r->axis, r->access,
				 r->error);
	struct entry *e = NULL;

	snprintf(key + target_at, sizeof(key) - (size_t)target_at, "%s", call->target);
	HASH_FIND_STR(o->by_key, key, e);
	if (e || o->count == OBSERVED_MAX)
		return e;
	e = make_entry(o, call, key, (size_t)target_at);
	if (!e)
		return NULL;
	HASH_ADD_KEYPTR(hh, o->by_key, e->key, strlen(e->key), e);
	if (!e->hh.tbl) {
		free(e);
		return NULL;
	}
	o->all[o->count++] = e;
	return e;
}

static void take(void *ctx, const struct ring_call *call)
{
	struct observed *o = ctx;
	struct entry *e = find_or_add(o, call);

	if (e)
		e->call.count++;
	else
		o->lost_here++;
}

void observed_drain(struct observed *o, int ring, bool at_end)
{
	struct ring_state state;

	(void)ring_drain(ring, &o->place, at_end, take, o);
	if (at_end && ring_look(ring, &state) == 0)
		o->lost_in_ring = state.records_lost;
}

size_t observed_count(const struct observed *o)
{
	return o ? o->count : 0;
}

const struct observed_call *observed_at(const struct observed *o, size_t i)
{
	return &o->all[i]->call;
}

/* A record that the shim wrote over is one that we did not find, too. */
uint64_t observed_lost(const struct observed *o)
{
	uint64_t ring = o->place.lost > o->lost_in_ring ? o->place.lost : o->lost_in_ring;

	return ring > INT64_MAX - o->lost_here ? INT64_MAX : ring + o->lost_here;
}
