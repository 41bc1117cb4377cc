/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the line and column of a key or value in a JSON text. Runs in the launcher, at load.
 *
 * It parses nothing: jansson has said yes before (place_name: up to the byte in question), so a
 * value's end is found by counting brackets. Still it never reads past `size`, whatever the text.
 */
#include "policy/document_place.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define NAMED_DEPTH 16 /* deeper levels are not named */

static char char_at(const struct place *p)
{
	return p->offset < p->size ? p->text[p->offset] : '\0';
}

static bool is_at_end(const struct place *p)
{
	return p->offset >= p->size;
}

static void advance(struct place *p)
{
	unsigned char next;

	if (is_at_end(p))
		return;
	if (p->text[p->offset++] == '\n') {
		p->line++;
		p->column = 1;
		return;
	}
	next = (unsigned char)char_at(p);
	p->column += (next & 0xc0) != 0x80; /* the rest of a UTF-8 sequence is no column */
}

static void skip_blanks(struct place *p)
{
	while (!is_at_end(p) && strchr(" \t\r\n", char_at(p)) && char_at(p))
		advance(p);
}

static void skip_string(struct place *p)
{
	advance(p);
	while (!is_at_end(p) && char_at(p) != '"') {
		if (char_at(p) == '\\')
			advance(p);
		advance(p);
	}
	advance(p);
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Stops behind the value, wherever its brackets end. */
static void skip_value(struct place *p)
{
	size_t depth = 0;

	while (!is_at_end(p)) {
		char c = char_at(p);

		if (!depth && is_one_of(c, ",]}"))
			return;
		if (c == '"') {
			skip_string(p);
			continue;
		}
		depth += is_one_of(c, "[{");
		depth -= is_one_of(c, "]}");
		advance(p);
	}
}

struct place place_start(const char *text, size_t size)
{
	struct place p = { .text = text, .size = size, .line = 1, .column = 1 };

	skip_blanks(&p);
	return p;
}

/* Is the string token from `from` up to `to` this key? Escapes are jansson's business. */
static bool is_key(const struct place *from, const struct place *to, const char *key)
{
	const char *token = from->text + from->offset;
	size_t size = to->offset - from->offset;
	json_t *string;
	bool is_same;

	if (size < 2)
		return false;
	if (!memchr(token, '\\', size))
		return strlen(key) == size - 2 && !memcmp(token + 1, key, size - 2);
	string = json_loadb(token, size, JSON_DECODE_ANY, NULL);
	is_same = string && json_is_string(string) && !strcmp(json_string_value(string), key);
	json_decref(string);
	return is_same;
}

bool place_find_member(const struct place *object, const char *key, struct place *key_at,
		       struct place *value_at)
{
	struct place p = *object;

	advance(&p);
	for (skip_blanks(&p); char_at(&p) == '"'; skip_blanks(&p)) {
		bool found;

		*key_at = p;
		skip_string(&p);
		found = is_key(key_at, &p, key);
		skip_blanks(&p);
		advance(&p); /* the colon */
		skip_blanks(&p);
		*value_at = p;
		if (found)
			return true;
		skip_value(&p);
		if (char_at(&p) == ',')
			advance(&p);
	}
	return false;
}

bool place_first(const struct place *array, struct place *element)
{
	*element = *array;
	advance(element);
	skip_blanks(element);
	return !is_at_end(element) && char_at(element) != ']';
}

bool place_next(struct place *element)
{
	skip_value(element);
	if (char_at(element) != ',')
		return false;
	advance(element);
	skip_blanks(element);
	return !is_at_end(element);
}

/* --- the key path of a byte ------------------------------------------------------------------ */

struct level {
	bool is_array;
	size_t index;
	size_t key, key_size; /* without quotes */
};

struct names {
	struct level level[NAMED_DEPTH];
	size_t depth;
	bool expects_key;
};

static struct level *top_level(struct names *n)
{
	return n->depth && n->depth <= NAMED_DEPTH ? &n->level[n->depth - 1] : NULL;
}

static void take_bracket(struct names *n, char c)
{
	struct level *top;

	if (is_one_of(c, "]}")) {
		n->depth -= n->depth > 0;
		n->expects_key = false;
		return;
	}
	n->depth++;
	n->expects_key = c == '{';
	top = top_level(n);
	if (top)
		*top = (struct level){ .is_array = c == '[' };
}

static void take_comma(struct names *n)
{
	struct level *top = top_level(n);

	if (!top)
		return;
	top->index++;
	n->expects_key = !top->is_array;
}

static void take_string(struct names *n, struct place *p)
{
	struct level *top = top_level(n);
	size_t start = p->offset + 1;

	skip_string(p);
	if (!top || top->is_array || !n->expects_key || p->offset <= start)
		return;
	top->key = start;
	top->key_size = p->offset - 1 - start;
	n->expects_key = false;
}

static void write_names(const struct names *n, const char *text, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n->depth && i < NAMED_DEPTH && used < size; i++) {
		const struct level *l = &n->level[i];
		int r;

		if (l->is_array)
			r = snprintf(out + used, size - used, "[%zu]", l->index);
		else
			r = snprintf(out + used, size - used, "%s%.*s",
				     used && l->key_size ? "." : "",
				     (int)(l->key_size < 200 ? l->key_size : 200), text + l->key);
		used += r > 0 ? (size_t)r : 0;
	}
}

void place_name(const char *text, size_t size, size_t offset, char *out, size_t out_size)
{
	struct place p = place_start(text, size);
	struct names n = { .depth = 0 };

	while (p.offset < offset && !is_at_end(&p)) {
		char c = char_at(&p);

		if (c == '"') {
			take_string(&n, &p);
			continue;
		}
		if (is_one_of(c, "[]{}"))
			take_bracket(&n, c);
		if (c == ',')
			take_comma(&n);
		advance(&p);
	}
	write_names(&n, text, out, out_size);
}
