/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy documents: JSON in, rules of a struct policy out (stile-policy(5) defines the format).
 * Runs in the launcher, before anything is started; changes nothing outside the policy.
 *
 * The tables of keys below are the format: they drive the parsing, the check for unknown keys, and
 * what is suggested for a misspelt one. The order of their rows is the order in which keys take
 * effect, whatever their order in the text. The first mistake ends the loading; the policy is then
 * half filled and good for policy_free() only.
 */
#include "policy/document.h"

#include "policy/document_node.h"
#include "policy/syntax.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 32 /* of one object */

struct key_row {
	const char *name;
	int (*take)(const struct node *node, const struct key_row *row);
	const struct key_row *below;   /* rows of an object */
	const char *const *choices;    /* words that may stand here */
	bool (*is_valid)(const char *);
	const char *valid;             /* what is_valid asks for */
	size_t offset;                 /* in struct policy */
	unsigned rights;
};

/* --- objects -------------------------------------------------------------------------------- */

static int take_rows(const struct node *node, const struct key_row *rows)
{
	const char *known[KEYS_MAX] = { NULL };
	int r;

	for (size_t i = 0; rows[i].name; i++)
		known[i] = rows[i].name;
	r = node_check_keys(node, known);
	for (; !r && rows->name; rows++) {
		struct node child;

		if (node_find_child(node, rows->name, &child))
			r = rows->take(&child, rows);
	}
	return r;
}

static int take_object(const struct node *node, const struct key_row *row)
{
	return take_rows(node, row->below);
}

/* --- single values -------------------------------------------------------------------------- */

static void *target_of(const struct node *node, const struct key_row *row)
{
	return (char *)node->loader->policy + row->offset;
}

static int take_bool(const struct node *node, const struct key_row *row)
{
	if (!json_is_boolean(node->value))
		return node_fail_type(node, "true or false");
	*(bool *)target_of(node, row) = json_is_true(node->value);
	return 0;
}

static int take_hooks(const struct node *node, const struct key_row *row)
{
	int r = take_bool(node, row);

	if (!r && node->loader->policy->allow_hooks)
		policy_drop_hooks(node->loader->policy);
	return r;
}

static int check_choice(const struct node *node, const char *const *choices)
{
	const char *word = json_string_value(node->value);
	char what[160];

	if (!word)
		return node_fail_type(node, "a string");
	if (node_is_among(word, choices))
		return 0;
	(void)snprintf(what, sizeof(what), "unknown value \"%.100s\"", word);
	return node_fail_unknown(node, what, word, choices);
}

_Static_assert(sizeof(enum network_mode) == sizeof(unsigned), "take_choice stores unsigned");
_Static_assert(sizeof(enum metachars_mode) == sizeof(unsigned), "take_choice stores unsigned");

/* Stores the choice's number. */
static int take_choice(const struct node *node, const struct key_row *row)
{
	int r = check_choice(node, row->choices);
	unsigned at = 0;

	if (r < 0)
		return r;
	while (strcmp(row->choices[at], json_string_value(node->value)))
		at++;
	memcpy(target_of(node, row), &at, sizeof(at));
	return 0;
}

static int take_version(const struct node *node, const struct key_row *row)
{
	(void)row;
	if (!json_is_integer(node->value))
		return node_fail_type(node, "a whole number");
	if (json_integer_value(node->value) != 1)
		return node_fail(node, -EINVAL, "version %lld is not known here, only 1 is",
			    (long long)json_integer_value(node->value));
	return 0;
}

static int take_profile(const struct node *node, const struct key_row *row)
{
	const struct loader *l = node->loader;
	struct policy *p = l->policy;
	int r = check_choice(node, row->choices);
	const char *name = json_string_value(node->value);

	if (r < 0 || (p->profile && !strcmp(p->profile, name)))
		return r;
	if (p->profile)
		return node_fail(node, -EINVAL, "is \"%s\", but profile \"%s\" is in force", name,
			    p->profile);
	if (!l->is_profile)
		return document_load_profile(p, name, p->root, l->err);
	p->profile = strdup(name);
	return p->profile ? 0 : node_fail_memory(node);
}

static int take_tier(const struct node *node, const struct key_row *row)
{
	int r = 0;
	const char *name = json_string_value(node->value);

	if (!name)
		return node_fail_type(node, "a string");
	if (limits_apply_tier(&node->loader->policy->limits, name) < 0)
		r = check_choice(node, row->choices);
	return r;
}

/* --- limits --------------------------------------------------------------------------------- */

/* The number as text, so that limits_parse() stays the one parser. */
static int write_number(const struct node *node, const struct limit_row *row, char *out,
			size_t size)
{
	double real = json_real_value(node->value);

	if (json_is_string(node->value))
		return snprintf(out, size, "%s", json_string_value(node->value));
	if (json_is_integer(node->value))
		return snprintf(out, size, "%lld", (long long)json_integer_value(node->value));
	if (!json_is_real(node->value))
		return node_fail_type(node, "a number or a string");
	if (row->unit != UNIT_SECONDS)
		return node_fail(node, -EINVAL, "must be a whole number");
	if (real < 0 || real > 1e12)
		return node_fail(node, -ERANGE, "is out of range");
	return snprintf(out, size, "%.3f", real);
}

static int take_limit(const struct node *node, const struct limit_row *row)
{
	static const char *const wanted[] = {
		[UNIT_COUNT] = "a count, like 64",
		[UNIT_BYTES] = "a size, like \"256M\"",
		[UNIT_SECONDS] = "seconds, like 2.5",
	};
	char *limits = (char *)&node->loader->policy->limits, number[64];
	int r = write_number(node, row, number, sizeof(number));
	uint64_t value;

	if (r < 0)
		return r;
	r = r < (int)sizeof(number) ? limits_parse(number, row->unit, true, &value) : -EINVAL;
	if (r == -ERANGE)
		return node_fail(node, r, "\"%s\" is out of range", number);
	if (r < 0)
		return node_fail(node, r, "\"%s\" is not %s, nor \"none\"", number,
				 wanted[row->unit]);
	memcpy(limits + row->offset, &value, sizeof(value));
	return 0;
}

static int take_limits(const struct node *node, const struct key_row *row)
{
	const char *known[KEYS_MAX] = { NULL };
	int r;

	(void)row;
	for (size_t i = 0; limit_rows[i].key && i + 1 < KEYS_MAX; i++)
		known[i] = limit_rows[i].key;
	r = node_check_keys(node, known);
	for (size_t i = 0; !r && limit_rows[i].key; i++) {
		struct node child;

		if (node_find_child(node, limit_rows[i].key, &child))
			r = take_limit(&child, &limit_rows[i]);
	}
	return r;
}

/* --- lists ---------------------------------------------------------------------------------- */

/* Calls `take` for each element, all of them strings. */
static int take_each(const struct node *node, const struct key_row *row,
		     int (*take)(const struct node *, const struct key_row *))
{
	struct place at;
	bool more;
	int r = 0;

	if (!json_is_array(node->value))
		return node_fail_type(node, "an array of strings");
	more = place_first(&node->at, &at);
	for (size_t i = 0; !r && i < json_array_size(node->value); i++) {
		struct node child = { node->loader, node, NULL, i, json_array_get(node->value, i),
				      more ? at : node->at };

		r = json_is_string(child.value) ? take(&child, row) :
						  node_fail_type(&child, "a string");
		more = more && place_next(&at);
	}
	return r;
}

static int take_string(const struct node *node, const struct key_row *row)
{
	const char *text = json_string_value(node->value);
	int r = row->choices ? check_choice(node, row->choices) : 0;

	if (r < 0)
		return r;
	if (row->is_valid && !row->is_valid(text))
		return node_fail(node, -EINVAL, "\"%.200s\" is not %s", text, row->valid);
	return policy_add_string(target_of(node, row), text) < 0 ? node_fail_memory(node) : 0;
}

static int take_strings(const struct node *node, const struct key_row *row)
{
	return take_each(node, row, take_string);
}

static bool is_environment_name(const char *name)
{
	return *name && !strchr(name, '=');
}

static bool is_base_name(const char *name)
{
	return *name && !strchr(name, '/');
}

static int take_variables(const struct node *node, const struct key_row *row)
{
	const char *name;
	json_t *value;
	int r = 0;

	if (!json_is_object(node->value))
		return node_fail_type(node, "an object of strings");
	json_object_foreach(node->value, name, value)
	{
		struct node child = { node->loader, node, name, 0, value, node->at };
		char *text = NULL;

		if (node_is_comment(name))
			continue;
		if (!is_environment_name(name) || !json_is_string(value))
			(void)node_find_child(node, name, &child);
		if (!is_environment_name(name))
			return node_fail(&child, -EINVAL, "is not a variable's name");
		if (!json_is_string(value))
			return node_fail_type(&child, "a string");
		r = asprintf(&text, "%s=%s", name, json_string_value(value));
		r = r < 0 ? -ENOMEM : policy_add_string(target_of(node, row), text);
		free(text);
		if (r < 0)
			return node_fail_memory(&child);
	}
	return 0;
}

/* --- paths ---------------------------------------------------------------------------------- */

static int fail_path(const struct node *node, const char *path, int error)
{
	static const char advice[] = " (write it with a \"?\" behind it if it may be absent)";

	if (error == -EINVAL)
		return node_fail(node, error,
				 "\"%.300s\" is no usable path (empty, \"~user\", or no HOME)",
				 path);
	return node_fail(node, error, "\"%.300s\": %s%s", path, strerror(-error),
		    error == -ENOENT ? advice : "");
}

static int write_origin(const struct node *node, char *out, size_t size)
{
	const struct loader *l = node->loader;
	int r;

	if (l->is_profile)
		r = snprintf(out, size, "%s", l->name);
	else
		r = snprintf(out, size, "%s:%u", l->name, node->at.line);
	return r < 0 ? -EINVAL : 0;
}

static int add_path(const struct node *node, const char *path, unsigned rights)
{
	const struct loader *l = node->loader;
	char origin[PATH_MAX + 16];
	int r = write_origin(node, origin, sizeof(origin));

	if (!r)
		r = policy_add_path(l->policy, path, l->base_dir, rights, origin);
	return r < 0 ? fail_path(node, path, r) : 0;
}

/* A profile's relative paths are the root's; without one, or with hooks allowed, there are none. */
static bool is_moot(const struct loader *l, const char *path, unsigned rights)
{
	if (!l->is_profile)
		return false;
	return (path[0] != '/' && !l->base_dir) ||
	       (rights & PATH_PROTECT && l->policy->allow_hooks);
}

static int take_path(const struct node *node, const struct key_row *row)
{
	const char *text = json_string_value(node->value);
	size_t size = strlen(text);
	unsigned rights = row->rights;
	char *path;
	int r;

	if (is_moot(node->loader, text, rights))
		return 0;
	if (size && text[size - 1] == '?') {
		rights |= PATH_OPTIONAL;
		size--;
	}
	path = strndup(text, size);
	r = path ? add_path(node, path, rights) : node_fail_memory(node);
	free(path);
	return r;
}

static int take_paths(const struct node *node, const struct key_row *row)
{
	return take_each(node, row, take_path);
}

/* --- the format ----------------------------------------------------------------------------- */

#define IN_POLICY(member) .offset = offsetof(struct policy, member)

static const char *const network_words[] = { "none", "host", NULL };
static const char *const metachars_words[] = { "on", "off", NULL };
static const char *const tier_words[] = { "MINIMAL", "STANDARD", "HEAVY_COMPUTE", NULL };
static const char *const profile_words[] = { "code", "tool", NULL };
static const char *const layer_words[] = { "landlock", "seccomp", "namespace", "user",
					   "pid",      "ipc",     "uts",       "mount",
					   "network",  "cgroup",  "rlimit",    NULL };

/* What grants stands before what takes away: a link's target is protected where it is writable. */
static const struct key_row filesystem_rows[] = {
	{ "allow_hooks", take_hooks, IN_POLICY(allow_hooks) },
	{ "read", take_paths, .rights = PATH_READ },
	{ "write", take_paths, .rights = PATH_READ | PATH_WRITE },
	{ "exec", take_paths, .rights = PATH_READ | PATH_EXEC },
	{ "deny", take_paths, .rights = PATH_DENY },
	{ "protect", take_paths, .rights = PATH_PROTECT },
	{ .name = NULL },
};

static const struct key_row process_rows[] = {
	{ "create", take_bool, IN_POLICY(processes) },
	{ .name = NULL },
};

static const struct key_row argv_rows[] = {
	{ "metachars", take_choice, .choices = metachars_words, IN_POLICY(metachars) },
	{ "shell", take_bool, IN_POLICY(shell) },
	{ "deny", take_strings, .is_valid = is_base_name, .valid = "the last part of a path",
	  IN_POLICY(deny_argv0) },
	{ .name = NULL },
};

static const struct key_row environment_rows[] = {
	{ "keep", take_strings, .is_valid = is_environment_name, .valid = "a variable's name",
	  IN_POLICY(env_keep) },
	{ "set", take_variables, IN_POLICY(env_set) },
	{ .name = NULL },
};

static const struct key_row document_rows[] = {
	{ .name = "version", .take = take_version },
	{ "profile", take_profile, .choices = profile_words },
	{ "tier", take_tier, .choices = tier_words },
	{ .name = "limits", .take = take_limits },
	{ "filesystem", take_object, .below = filesystem_rows },
	{ "network", take_choice, .choices = network_words, IN_POLICY(network) },
	{ "process", take_object, .below = process_rows },
	{ "load", take_bool, IN_POLICY(load) },
	{ "argv", take_object, .below = argv_rows },
	{ "environment", take_object, .below = environment_rows },
	{ "require", take_strings, .choices = layer_words, IN_POLICY(require) },
	{ .name = NULL },
};

/* --- the text ------------------------------------------------------------------------------- */

static int fail_syntax(const struct loader *l, const struct place *start, const json_error_t *e)
{
	size_t end = e->position > 0 ? (size_t)e->position : 0;
	struct node node = { .loader = l, .at = *start };
	char path[256] = "";

	node.at.line = e->line > 0 ? (unsigned)e->line : 1;
	node.at.column = e->column > 0 ? (unsigned)e->column : 1;
	if (json_error_code(e) != json_error_end_of_input_expected)
		place_name(start->text, start->size, end, path, sizeof(path));
	return node_fail(&node, -EINVAL, "%s%s%s", path, *path ? ": " : "", syntax_words(e));
}

static int load_text(const struct loader *l, const char *json, size_t size)
{
	struct node node = { .loader = l, .at = { .text = json, .line = 1, .column = 1 } };
	json_error_t error;
	int r;

	l->err->text[0] = '\0';
	if (size > DOCUMENT_SIZE_MAX)
		return node_fail(&node, -EFBIG, "the document is larger than 16 MiB");
	node.at = place_start(json, size);
	node.value = json_loadb(json, size, JSON_REJECT_DUPLICATES, &error);
	if (!node.value)
		return fail_syntax(l, &node.at, &error);
	r = take_rows(&node, document_rows);
	json_decref(node.value);
	return r;
}

int document_load(struct policy *p, const char *json, size_t size, const char *name,
		  const char *base_dir, struct document_error *err)
{
	struct loader l = { .policy = p, .name = name, .base_dir = base_dir, .err = err };

	return load_text(&l, json, size);
}

/* --- profiles ------------------------------------------------------------------------------- */

extern const char profile_code_json[], profile_tool_json[]; /* made by embed.sh */

static const struct profile_row {
	const char *name, *origin, *text;
	unsigned root_rights;
} profile_rows[] = {
	{ "code", "profile code", profile_code_json, 0 },
	{ "tool", "profile tool", profile_tool_json, PATH_READ | PATH_WRITE | PATH_EXEC },
	{ .name = NULL },
};

static const struct profile_row *find_profile(const char *name)
{
	const struct profile_row *row = profile_rows;

	while (row->name && strcmp(row->name, name))
		row++;
	return row->name ? row : NULL;
}

const char *document_profile(const char *name)
{
	const struct profile_row *row = find_profile(name);

	return row ? row->text : NULL;
}

static int set_root(struct policy *p, const struct profile_row *row, const char *root)
{
	char *real = realpath(root, NULL);
	int r;

	if (!real)
		return -errno;
	r = row->root_rights ? policy_add_path(p, real, NULL, row->root_rights, row->origin) : 0;
	free(p->root);
	p->root = real;
	return r;
}

int document_load_profile(struct policy *p, const char *name, const char *root,
			  struct document_error *err)
{
	const struct profile_row *row = find_profile(name);
	struct loader l = { .policy = p, .name = name, .is_profile = true, .err = err };
	int r = root && row ? set_root(p, row, root) : 0;

	if (!row) {
		struct node node = { .loader = &l, .at = { .line = 1, .column = 1 } };

		return node_fail_unknown(&node, "unknown profile", name, profile_words);
	}
	if (r < 0) {
		(void)snprintf(err->text, sizeof(err->text), "%.800s: %s", root, strerror(-r));
		document_make_visible(err->text);
		return r;
	}
	l.name = row->origin;
	l.base_dir = root ? p->root : NULL;
	return load_text(&l, row->text, strlen(row->text));
}
