/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * "Did you mean …?": the nearest of some known words, by edit distance (insert, delete, replace,
 * swap of neighbours; letter case is free), else what it begins with. Pure; bounded stack, no heap.
 */
#include "policy/document.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORD_MAX 63

struct rows {
	unsigned char older[WORD_MAX + 1], old[WORD_MAX + 1], now[WORD_MAX + 1];
};

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned char smaller(unsigned a, unsigned b)
{
	return (unsigned char)(a < b ? a : b);
}

static void fill_row(struct rows *r, const char *a, const char *b, size_t i)
{
	r->now[0] = (unsigned char)i;
	for (size_t j = 1; b[j - 1]; j++) {
		unsigned replaced = r->old[j - 1] + !is_same(a[i - 1], b[j - 1]);

		r->now[j] = smaller(replaced, smaller(r->old[j], r->now[j - 1]) + 1u);
		if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
			r->now[j] = smaller(r->now[j], r->older[j - 2] + 1u);
	}
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t a_size = strlen(a), b_size = strlen(b);
	struct rows r = { 0 };

	for (size_t j = 0; j <= b_size; j++)
		r.old[j] = (unsigned char)j;
	for (size_t i = 1; i <= a_size; i++) {
		fill_row(&r, a, b, i);
		memcpy(r.older, r.old, sizeof(r.old));
		memcpy(r.old, r.now, sizeof(r.now));
	}
	return r.old[b_size];
}

/* One slip in a short word, a third of a long one. */
static size_t nearness_of(const char *word)
{
	return (strlen(word) + 2) / 3;
}

/* "memory_bytes" as a result has it means "memory": what begins like the word without its unit. */
static const char *find_without_unit(const char *word, const char *const *known)
{
	const char *unit = strrchr(word, '_');
	size_t size = unit ? (size_t)(unit - word) : 0;

	while (size && *known && strncmp(*known, word, size))
		known++;
	return size ? *known : NULL;
}

const char *suggest_nearest(const char *word, const char *const *known)
{
	const char *const *all = known;
	const char *best = NULL;
	size_t best_distance = SIZE_MAX;

	if (!*word || strlen(word) > WORD_MAX)
		return NULL;
	for (; *known; known++) {
		size_t distance;

		if (strlen(*known) > WORD_MAX)
			continue;
		distance = edit_distance(word, *known);
		if (distance <= nearness_of(*known) && distance < strlen(word) &&
		    distance < best_distance) {
			best = *known;
			best_distance = distance;
		}
	}
	return best ? best : find_without_unit(word, all);
}
