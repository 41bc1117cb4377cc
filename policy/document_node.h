/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A value of a policy document on its way into the policy. Between document*.c only. */
#pragma once

#include "policy/document.h"
#include "policy/document_place.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define DOCUMENT_SIZE_MAX ((size_t)16 << 20)

struct loader {
	struct policy *policy;
	const char *name, *base_dir;
	bool is_profile; /* a built-in text, not an author's */
	struct document_error *err;
};

struct node {
	const struct loader *loader;
	const struct node *up; /* NULL = the document */
	const char *key;       /* NULL = an array's element */
	size_t index;
	json_t *value;
	struct place at;
};

/* Each writes the one error message and returns the -errno. */
__attribute__((format(printf, 3, 4))) int node_fail(const struct node *node, int error,
						    const char *format, ...);
int node_fail_type(const struct node *node, const char *wanted);
int node_fail_memory(const struct node *node);
/* "what; did you mean "x"?", or the words that may stand here when none is near. */
int node_fail_unknown(const struct node *node, const char *what, const char *word,
		      const char *const *known);

/* Control characters of a quoted text become '?': an error is one line. */
void document_make_visible(char *text);

/* Keys that start with "//" or "$". */
bool node_is_comment(const char *key);
bool node_is_among(const char *word, const char *const *known);

/* An object, and no key but comments and `known` (NULL-terminated)? 0 or -EINVAL, told. */
int node_check_keys(const struct node *node, const char *const *known);

/* The member `key`, when it is there; `child` borrows from `node`. */
bool node_find_child(const struct node *node, const char *key, struct node *child);
