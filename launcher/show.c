/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The effective policy as `stile check --show` prints it, for people and for programs. Both forms read
 * the same struct that a run compiles; nothing is decided here. Runs in the launcher.
 */
#include "launcher/show.h"

#include "backends/cleanup.h"
#include "launcher/output.h"

#include <stdio.h>
#include <string.h>

static const struct {
	unsigned right;
	const char *name;
} right_names[] = {
	{ PATH_READ, "read" },	 { PATH_WRITE, "write" },     { PATH_EXEC, "exec" },
	{ PATH_DENY, "deny" },	 { PATH_PROTECT, "protect" },
};

#define RIGHTS (sizeof(right_names) / sizeof(*right_names))

static const char *network_name(const struct policy *p)
{
	return p->network == NETWORK_HOST ? "host" : "none";
}

void show_policy(const struct policy *p)
{
	printf("profile %s\nroot %s\nnetwork %s\nprocesses %s\n", p->profile,
	       p->root ? p->root : "(the run folder)", network_name(p),
	       p->processes ? "yes" : "no");
	for (size_t i = 0; i < p->path_count; i++) {
		for (size_t n = 0; n < RIGHTS; n++)
			if (p->paths[i].rights & right_names[n].right)
				printf("%s ", right_names[n].name);
		printf("%s (%s)\n", p->paths[i].path, p->paths[i].origin);
	}
}

/* Paths may hold any bytes; NULL is null. */
static json_t *make_text(const char *text)
{
	struct output view = { .data = (char *)(uintptr_t)text };
	_cleanup_free_ char *clean = NULL;
	bool had_invalid;
	size_t size;

	if (!text)
		return json_null();
	view.used = strlen(text);
	view.total = view.used;
	clean = output_text(&view, &size, &had_invalid);
	return clean ? json_stringn(clean, size) : NULL;
}

static json_t *make_rights(unsigned rights)
{
	json_t *list = json_array();

	for (size_t i = 0; i < RIGHTS; i++)
		if (rights & right_names[i].right)
			(void)json_array_append_new(list, json_string(right_names[i].name));
	return list;
}

static json_t *make_paths(const struct policy *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->path_count; i++)
		(void)json_array_append_new(
			list, json_pack("{so so so so}", "path", make_text(p->paths[i].path),
					"written", make_text(p->paths[i].written), "rights",
					make_rights(p->paths[i].rights), "origin",
					make_text(p->paths[i].origin)));
	return list;
}

static json_t *make_list(const struct string_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		(void)json_array_append_new(array, make_text(list->item[i]));
	return array;
}

static json_t *make_value(const struct limit_row *row, uint64_t value)
{
	if (value > INT64_MAX)
		return json_null();
	return row->unit == UNIT_SECONDS ? json_real((double)value / 1000) :
					   json_integer((json_int_t)value);
}

static json_t *make_limits(const struct limits *limits)
{
	json_t *object = json_object();

	for (const struct limit_row *row = limit_rows; row->key; row++)
		(void)json_object_set_new(
			object, row->key,
			make_value(row, *(const uint64_t *)(const void *)((const char *)limits +
									  row->offset)));
	return object;
}

json_t *show_policy_json(const struct policy *p)
{
	return json_pack("{so so ss sb sb sb sb ss so s{so so} so so so}", "profile",
			 make_text(p->profile), "root", make_text(p->root), "network",
			 network_name(p), "processes", p->processes, "load", p->load, "shell",
			 p->shell, "allow_hooks", p->allow_hooks, "metachars",
			 p->metachars == METACHARS_ON ? "on" : "off", "paths", make_paths(p),
			 "environment", "keep", make_list(&p->env_keep), "set",
			 make_list(&p->env_set), "require", make_list(&p->require), "denylist",
			 make_list(&p->deny_argv0), "limits", make_limits(&p->limits));
}
