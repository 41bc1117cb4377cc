/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One value of a policy document with its key path and its place, and what goes wrong with it.
 * Runs in the launcher, at load. Every mistake is one line: file:line:col: key.path: what.
 */
#include "policy/document_node.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- errors --------------------------------------------------------------------------------- */

static size_t write_key_path(const struct node *node, char *out, size_t size)
{
	size_t used = 0;
	int r;

	if (!node->up)
		return 0;
	used = write_key_path(node->up, out, size);
	if (node->key)
		r = snprintf(out + used, size - used, "%s%.100s", used ? "." : "", node->key);
	else
		r = snprintf(out + used, size - used, "[%zu]", node->index);
	used += r > 0 ? (size_t)r : 0;
	return used < size ? used : size - 1;
}

/* What the text quotes of a hostile document must stay one line. */
void document_make_visible(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

int node_fail(const struct node *node, int error, const char *format, ...)
{
	struct document_error *err = node->loader->err;
	char path[512] = "", what[768];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	write_key_path(node, path, sizeof(path));
	if (snprintf(err->text, sizeof(err->text), "%s:%u:%u: %s%s%s", node->loader->name,
		     node->at.line, node->at.column, path, *path ? ": " : "", what) < 0)
		err->text[0] = '\0';
	document_make_visible(err->text);
	return error;
}

/* "what; did you mean "x"?", or the words that may stand here when none is near. */
int node_fail_unknown(const struct node *node, const char *what, const char *word,
		      const char *const *known)
{
	const char *near = suggest_nearest(word, known);
	char all[400] = "";
	size_t used = 0;

	if (near)
		return node_fail(node, -EINVAL, "%s; did you mean \"%s\"?", what, near);
	for (; *known && used < sizeof(all); known++) {
		int r = snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "", *known);

		used += r > 0 ? (size_t)r : 0;
	}
	return node_fail(node, -EINVAL, "%s; known: %s", what, all);
}

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",      [JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

int node_fail_type(const struct node *node, const char *wanted)
{
	return node_fail(node, -EINVAL, "must be %s, not %s", wanted, type_name(node->value));
}

int node_fail_memory(const struct node *node)
{
	return node_fail(node, -ENOMEM, "out of memory");
}

/* --- members ---------------------------------------------------------------------------------- */

bool node_is_comment(const char *key)
{
	return key[0] == '$' || !strncmp(key, "//", 2);
}

bool node_is_among(const char *word, const char *const *known)
{
	while (*known && strcmp(word, *known))
		known++;
	return *known;
}

int node_check_keys(const struct node *node, const char *const *known)
{
	const char *key;
	json_t *value;

	if (!json_is_object(node->value))
		return node_fail_type(node, "an object");
	json_object_foreach(node->value, key, value)
	{
		struct node at_key = { node->loader, node, key, 0, value, node->at };
		struct place value_at;

		if (node_is_comment(key) || node_is_among(key, known))
			continue;
		(void)place_find_member(&node->at, key, &at_key.at, &value_at);
		return node_fail_unknown(&at_key, "unknown key", key, known);
	}
	return 0;
}

/* The member `key`, when it is there. */
bool node_find_child(const struct node *node, const char *key, struct node *child)
{
	struct place key_at;

	*child = (struct node){ .loader = node->loader, .up = node, .key = key, .at = node->at };
	child->value = json_object_get(node->value, key);
	if (child->value)
		(void)place_find_member(&node->at, key, &key_at, &child->at);
	return child->value;
}
