/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keys of a session's request, their types, and the first mistake as one sentence. Runs in the
 * launcher on text from whoever writes to the session, which may be anything; must never end it.
 */
#include "launcher/request_line.h"

#include "launcher/repairs.h"
#include "policy/document.h"
#include "policy/syntax.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY_TYPE (-1)

/* null is as good as absent, but for op. */
static const struct key_row {
	const char *name;
	int type; /* a json_type */
	const char *expected;
} key_rows[] = {
	{ "op", JSON_STRING, "a text" },
	{ "argv", JSON_ARRAY, "a list of texts" },
	{ "stdin", JSON_STRING, "a text" },
	{ "limits", JSON_OBJECT, "an object" },
	{ "tier", JSON_STRING, "a text" },
	{ "execution_profile", JSON_STRING, "a text" },
	{ "language", JSON_STRING, "a text" },
	{ "code", JSON_STRING, "a text" },
	{ "task", JSON_STRING, "a text" },
	{ "env", JSON_OBJECT, "an object of names and texts" },
	{ "id", ANY_TYPE, "" },
};

#define KEYS (sizeof(key_rows) / sizeof(*key_rows))

static int refuse_key(const char *where, const char *key, const char *near, char *why, size_t size)
{
	snprintf(why, size, "%s%s: unknown key%s%s%s", where, key, near ? "; did you mean \"" : "",
		 near ? near : "", near ? "\"?" : "");
	return -EINVAL;
}

#define LIMITS_MAX 32

static const char *nearest_limit(const char *key)
{
	const char *known[LIMITS_MAX + 1] = { NULL };

	for (size_t i = 0; i < LIMITS_MAX && limit_rows[i].key; i++)
		known[i] = limit_rows[i].key;
	return suggest_nearest(key, known);
}

static const char *nearest_key(const char *key)
{
	const char *known[KEYS + 1] = { NULL };

	for (size_t i = 0; i < KEYS; i++)
		known[i] = key_rows[i].name;
	return suggest_nearest(key, known);
}

static int check_keys(json_t *object, char *why, size_t size)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		size_t i = 0;

		while (i < KEYS && strcmp(key_rows[i].name, key))
			i++;
		if (i == KEYS)
			return refuse_key("", key, nearest_key(key), why, size);
		if (key_rows[i].type == ANY_TYPE || json_is_null(value) ||
		    (int)json_typeof(value) == key_rows[i].type)
			continue;
		snprintf(why, size, "%s: %s is expected", key, key_rows[i].expected);
		return -EINVAL;
	}
	return 0;
}

/* The strings of the list as a NULL-terminated one that points into it. */
static int take_argv(struct request_line *line, char *why, size_t size)
{
	json_t *array = json_object_get(line->object, "argv");
	size_t count = json_array_size(array);

	if (!json_is_array(array))
		return 0;
	line->argv = calloc(count + 1, sizeof(*line->argv));
	if (!line->argv)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		line->argv[i] = (char *)(uintptr_t)json_string_value(json_array_get(array, i));
		if (line->argv[i])
			continue;
		snprintf(why, size, "argv[%zu]: a text is expected", i);
		return -EINVAL;
	}
	return 0;
}

static int take_variable(char **out, const char *name, json_t *value, char *why, size_t size)
{
	const char *text = json_string_value(value);

	if (!*name || strchr(name, '='))
		snprintf(why, size, "env: '%s' is not a variable's name", name);
	else if (!text)
		snprintf(why, size, "env.%s: a text is expected", name);
	else if (asprintf(out, "%s=%s", name, text) >= 0)
		return 0;
	else
		*out = NULL;
	return -EINVAL;
}

/* The variables as an environment has them. */
static int take_env(struct request_line *line, char *why, size_t size)
{
	json_t *object = json_object_get(line->object, "env"), *value;
	size_t count = 0;
	const char *name;

	if (!json_is_object(object))
		return 0;
	line->env = calloc(json_object_size(object) + 1, sizeof(*line->env));
	if (!line->env)
		return -ENOMEM;
	json_object_foreach(object, name, value)
		if (take_variable(&line->env[count++], name, value, why, size) < 0)
			return -EINVAL;
	return 0;
}

static void take_text(const struct request_line *line, const char *key, const char **text,
		      size_t *size)
{
	json_t *value = json_object_get(line->object, key);

	*text = json_string_value(value);
	if (size)
		*size = json_string_length(value);
}

static int check_task(const char *task, char *why, size_t size)
{
	if (!task || (*task && strlen(task) <= REPAIRS_TASK_MAX))
		return 0;
	snprintf(why, size, "task: a text of 1 to %d bytes is expected", REPAIRS_TASK_MAX);
	return -EINVAL;
}

static int take_keys(struct request_line *line, char *why, size_t size)
{
	int r;

	if (!json_is_object(line->object)) {
		snprintf(why, size, "a request is an object");
		return -EINVAL;
	}
	take_text(line, "op", &line->op, NULL);
	if (!line->op) {
		snprintf(why, size,
			 "op: a text is expected (run, run_code, capabilities, ping, close)");
		return -EINVAL;
	}
	r = check_keys(line->object, why, size);
	if (r < 0)
		return r;
	take_text(line, "language", &line->language, NULL);
	take_text(line, "code", &line->code, &line->code_size);
	take_text(line, "stdin", &line->input, &line->input_size);
	take_text(line, "task", &line->task, NULL);
	r = check_task(line->task, why, size);
	if (r == 0)
		r = take_argv(line, why, size);
	return r < 0 ? r : take_env(line, why, size);
}

int request_line_fitting(const char *text, size_t room)
{
	size_t length = strlen(text);

	if (length <= room)
		return (int)length;
	while (room && ((unsigned char)text[room] & 0xc0) == 0x80)
		room--;
	return (int)room;
}

/* A sentence that quotes the request may have been cut inside a character. */
static int finish(int r, char *why)
{
	json_t *text = r < 0 ? json_string(why) : NULL;

	for (char *at = why; r < 0 && *at; at++)
		if ((*at & 0x80 && !text) || *at == '\n')
			*at = '?';
	json_decref(text);
	return r;
}

int request_line_read(struct request_line *line, const char *text, size_t length, char *why,
		      size_t size)
{
	json_error_t error;

	*line = (struct request_line){
		.object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error),
	};
	if (line->object)
		return finish(take_keys(line, why, size), why);
	snprintf(why, size, "column %d: %s", error.column, syntax_words(&error));
	return finish(-EINVAL, why);
}

void request_line_free(struct request_line *line)
{
	for (size_t i = 0; line->env && line->env[i]; i++)
		free(line->env[i]);
	free(line->env);
	free(line->argv);
	json_decref(line->object);
	*line = (struct request_line){ 0 };
}

/* A number or a text as in a document: {"wall_s": 2.5, "memory": "256M", "steps": "none"}. */
static int take_limit(struct limits *limits, const char *key, json_t *value, char *why, size_t size)
{
	const struct limit_row *row = limits_find(key);
	char number[64];
	const char *text = json_string_value(value);

	if (json_is_integer(value))
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(number, sizeof(number), "%.3f", json_real_value(value));
	if (!row)
		return refuse_key("limits.", key, nearest_limit(key), why, size);
	if (!text && !json_is_number(value))
		snprintf(why, size, "limits.%s: a number or a text is expected", key);
	else if (limits_parse(text ? text : number, row->unit, 1,
			      (uint64_t *)(void *)((char *)limits + row->offset)) < 0)
		snprintf(why, size, "limits.%s: bad value", key);
	else
		return 0;
	return -EINVAL;
}

int request_line_take_limits(const struct request_line *line, struct limits *limits, char *why,
			     size_t size)
{
	json_t *own = json_object_get(line->object, "limits"), *value;
	const char *tier, *key;

	take_text(line, "tier", &tier, NULL);
	if (!tier)
		take_text(line, "execution_profile", &tier, NULL);
	if (tier && limits_apply_tier(limits, tier) < 0) {
		snprintf(why, size, "tier: unknown tier '%s'", tier);
		return finish(-EINVAL, why);
	}
	json_object_foreach(own, key, value)
		if (take_limit(limits, key, value, why, size) < 0)
			return finish(-EINVAL, why);
	return 0;
}
