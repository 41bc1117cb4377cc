/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repairs: a session counts the failed runs of each task its caller names. A failed run spends one
 * repair, which is leave to try again; a task that failed more often than its limit is refused.
 *
 * Runs in the launcher; pure memory.
 */
#include "launcher/repairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct repairs {
	char *task; /* owned; the key */
	uint64_t used;
	UT_hash_handle hh;
};

static struct repairs *find(const struct repairs *repairs, const char *task)
{
	struct repairs *found;

	HASH_FIND_STR(repairs, task, found);
	return found;
}

uint64_t repairs_used(const struct repairs *repairs, const char *task)
{
	const struct repairs *found = find(repairs, task);

	return found ? found->used : 0;
}

bool repairs_are_spent_by(const struct result *r)
{
	return r->status != STATUS_OK && r->status != STATUS_UNAVAILABLE &&
	       r->status != STATUS_ERROR;
}

static void free_one(struct repairs *one)
{
	if (one)
		free(one->task);
	free(one);
}

static int add(struct repairs **repairs, const char *task)
{
	struct repairs *one = calloc(1, sizeof(*one));

	if (one)
		one->task = strdup(task);
	if (one && one->task) {
		one->used = 1;
		HASH_ADD_KEYPTR(hh, *repairs, one->task, strlen(one->task), one);
		if (find(*repairs, task) == one)
			return 0;
	}
	free_one(one);
	return -ENOMEM;
}

int repairs_count(struct repairs **repairs, const char *task)
{
	struct repairs *found = find(*repairs, task);

	if (!found)
		return add(repairs, task);
	found->used++;
	return 0;
}

void repairs_free(struct repairs **repairs)
{
	struct repairs *one, *next;

	HASH_ITER(hh, *repairs, one, next) {
		HASH_DEL(*repairs, one);
		free_one(one);
	}
}
