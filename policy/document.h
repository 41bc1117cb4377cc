/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy documents: JSON in, rules of a struct policy out. Launcher only.
 * Every mistake is one error that names file, line, column, key path and the nearest known key.
 */
#pragma once

#include "policy/policy.h"

#include <stddef.h>

/* One message, complete with its place:
 * p.json:3:5: filesystem.raed: unknown key; did you mean "read"? */
struct document_error {
	char text[1024];
};

/* Loads `size` bytes of JSON text. `name` is used in errors and origins; relative paths are taken
 * from `base_dir` (absolute). Returns 0 or -errno with err->text filled. */
int document_load(struct policy *p, const char *json, size_t size, const char *name,
		  const char *base_dir, struct document_error *err);
int document_load_file(struct policy *p, const char *file, struct document_error *err);

/* The text of a built-in profile document ("code", "tool"), NULL when unknown. */
const char *document_profile(const char *name);
int document_load_profile(struct policy *p, const char *name, const char *root,
			  struct document_error *err);

/* The nearest of `known` (NULL-terminated) to `word` by edit distance, or what begins like `word`
 * before its last "_"; NULL when there is neither. */
const char *suggest_nearest(const char *word, const char *const *known);
