/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places in a JSON text that jansson has accepted already: where a member or an element stands.
 * (jansson keeps values only, and an error about a value should name its line.) Launcher only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* One byte of the text, with its place as an editor would give it: from 1, columns in characters. */
struct place {
	const char *text;
	size_t size, offset;
	unsigned line, column;
};

/* The document's value. */
struct place place_start(const char *text, size_t size);

/* The member `key` of the object that starts at `object`: its key and its value. */
bool place_find_member(const struct place *object, const char *key, struct place *key_at,
		       struct place *value_at);

/* An array's elements in their order, in time linear in the text between them. */
bool place_first(const struct place *array, struct place *element);
bool place_next(struct place *element);

/* The key path ("filesystem.read[2]") of byte `offset`, also of a text broken behind it. */
void place_name(const char *text, size_t size, size_t offset, char *out, size_t out_size);
