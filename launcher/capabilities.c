/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capabilities: the policy in force told as facts. It is meant to stand in a model's prompt, so it
 * says only what the walls of this very session do and what its limits are, and gives no advice.
 *
 * Runs in the launcher. Must never claim a wall that the session lacks.
 */
#include "launcher/capabilities.h"

#include "backends/cleanup.h"
#include "backends/rlimits.h"
#include "backends/root.h"
#include "launcher/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOUNTED (PATH_READ | PATH_WRITE | PATH_EXEC)

/* One kind of paths, listed together. */
static const struct group {
	const char *key;   /* in JSON */
	const char *title; /* in the text */
	unsigned mask, rights;
} groups[] = {
	{ "read", "Files, readable", MOUNTED | PATH_DENY | PATH_PROTECT, PATH_READ },
	{ "read_execute", "Files, readable and executable", MOUNTED | PATH_DENY | PATH_PROTECT,
	  PATH_READ | PATH_EXEC },
	{ "read_write", "Files, readable and writable", MOUNTED | PATH_DENY | PATH_PROTECT,
	  PATH_READ | PATH_WRITE },
	{ "read_write_execute", "Files, readable, writable and executable",
	  MOUNTED | PATH_DENY | PATH_PROTECT, MOUNTED },
	{ "protected", "Never writable, existing or not", PATH_DENY | PATH_PROTECT, PATH_PROTECT },
	{ "denied", "Not usable at all", PATH_DENY, PATH_DENY },
};

#define GROUPS (sizeof(groups) / sizeof(*groups))

/* The rules in the order of a tree: a folder stands right before all below it. */
struct listing {
	const struct policy *policy;
	const struct path_rule **rules; /* owned */
	bool *implied;                  /* the folder above has the very rights; owned */
	size_t count;
	bool own_root;
};

static int order_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a == '/' || *b == '/')
		return *a == *b ? 0 : !*a || (*b && *a == '/') ? -1 : 1;
	return (unsigned char)*a - (unsigned char)*b;
}

static int by_path(const void *a, const void *b)
{
	const struct path_rule *const *left = a, *const *right = b;

	return order_paths((*left)->path, (*right)->path);
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '/' || length == 1);
}

static bool same_rights(const struct path_rule *a, const struct path_rule *b)
{
	const unsigned told = MOUNTED | PATH_DENY | PATH_PROTECT;

	return (a->rights & told) == (b->rights & told);
}

/* `above` is a stack of the folders that hold the present rule. */
static int mark_implied(struct listing *l)
{
	_cleanup_free_ const struct path_rule **above = calloc(l->count + 1, sizeof(*above));
	size_t depth = 0;

	if (!above)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		while (depth && !is_below(l->rules[i]->path, above[depth - 1]->path))
			depth--;
		l->implied[i] = depth && same_rights(above[depth - 1], l->rules[i]);
		above[depth++] = l->rules[i];
	}
	return 0;
}

static void listing_free(struct listing *l)
{
	free(l->rules);
	free(l->implied);
}

#define _cleanup_listing_ __attribute__((cleanup(listing_free)))

static int make_listing(struct listing *l, const struct session *s)
{
	const struct policy *p = s->policy;

	*l = (struct listing){ .policy = p,
			       .count = p->path_count,
			       .own_root = s->layers.namespaces[NS_MOUNT].enforced };
	l->rules = calloc(l->count + 1, sizeof(*l->rules));
	l->implied = calloc(l->count + 1, sizeof(*l->implied));
	if (!l->rules || !l->implied)
		return -1;
	for (size_t i = 0; i < l->count; i++)
		l->rules[i] = &p->paths[i];
	qsort(l->rules, l->count, sizeof(*l->rules), by_path);
	return mark_implied(l);
}

/* The session's own places are told apart, where it has them; without a root of its own a run
 * is not given the host's in their stead. */
static bool is_private(const struct path_rule *rule)
{
	return root_is_private_place(rule) && strcmp(rule->path, "/proc");
}

static bool is_listed(const struct listing *l, size_t i, const struct group *group)
{
	const struct path_rule *rule = l->rules[i];
	const char *root = l->policy->root;

	/* Protection is by mounts alone. */
	if (group->rights == PATH_PROTECT && !l->own_root)
		return false;
	return (rule->rights & group->mask) == group->rights && !l->implied[i] &&
	       !is_private(rule) && !(root && strcmp(rule->path, root) == 0);
}

static void tell_group(FILE *out, const struct listing *l, const struct group *group)
{
	const char *before = "";

	for (size_t i = 0; i < l->count; i++) {
		if (!is_listed(l, i, group))
			continue;
		if (!*before)
			fprintf(out, "%s: ", group->title);
		fprintf(out, "%s%s", before, l->rules[i]->path);
		before = " ";
	}
	if (*before)
		fputc('\n', out);
}

static void tell_private(FILE *out, const struct listing *l)
{
	for (size_t i = 0; l->own_root && i < l->count; i++)
		if (is_private(l->rules[i]))
			fprintf(out, "%s: private, empty at the start of each run.\n",
				l->rules[i]->path);
	fputs("TMPDIR: a folder of the run's own, writable, removed after it.\n", out);
}

/* The project folder, NULL where the run folder is the program's directory. */
static const char *project_of(const struct policy *p)
{
	for (size_t i = 0; p->root && i < p->path_count; i++)
		if (strcmp(p->paths[i].path, p->root) == 0 && (p->paths[i].rights & PATH_WRITE))
			return p->root;
	return NULL;
}

static void tell_directory(FILE *out, const struct session *s)
{
	const char *project = project_of(s->policy);

	if (project)
		fprintf(out, "Directory: %s, readable, writable and executable; it stays.\n",
			project);
	else
		fputs("Directory: a new empty folder for each run with nothing but the program, readable and writable; removed after the run.\n",
		      out);
}

static void tell_files(FILE *out, const struct session *s, const struct listing *l)
{
	bool is_walled = s->layers.landlock.enforced;

	if (!is_walled) {
		fputs("Files: whatever the user may; nothing is enforced.\n", out);
		return;
	}
	for (size_t i = 0; i < GROUPS; i++)
		tell_group(out, l, &groups[i]);
	tell_private(out, l);
	fputs(l->own_root ? "Other files: do not exist.\n" :
			    "Other files: cannot be opened, though stat may see them.\n",
	      out);
}

static void tell_network(FILE *out, const struct session *s)
{
	if (s->policy->network == NETWORK_HOST || !s->layers.seccomp.enforced)
		fputs("Network: the host's.\n", out);
	else
		fputs("Network: none; Internet sockets cannot be made.\n", out);
}

static void tell_processes(FILE *out, const struct session *s, const struct limits *limits)
{
	if (!s->policy->processes && s->layers.seccomp.enforced)
		fputs("Processes: one; no other can be started, threads can.\n", out);
	else if (limits->processes != LIMIT_NONE)
		fprintf(out, "Processes: others may be started; limit %" PRIu64 " at once.\n",
			limits->processes);
	else
		fputs("Processes: others may be started.\n", out);
}

static void tell_clock(FILE *out, const struct limits *limits)
{
	uint64_t cpu = rlimits_cpu_seconds(limits);

	if (limits->wall_ms == LIMIT_NONE)
		fputs("Clock: not limited.\n", out);
	else
		fprintf(out, "Clock: %.10g s of wall clock, then everything is killed.\n",
			(double)limits->wall_ms / 1000);
	if (cpu != LIMIT_NONE)
		fprintf(out, "CPU: %" PRIu64 " s.\n", cpu);
}

static void tell_steps(FILE *out, const struct limits *limits)
{
	if (limits->steps == LIMIT_NONE)
		fputs("Steps: no budget.\n", out);
	else
		fprintf(out, "Steps: budget %" PRIu64 "; not counted in this version.\n",
			limits->steps);
}

/* The limits that are one number and need no words of their own. */
static const struct {
	const char *title, *unit;
	size_t offset;
} plain_limits[] = {
	{ "Memory", "bytes", offsetof(struct limits, memory_bytes) },
	{ "Run folder", "bytes", offsetof(struct limits, disk_bytes) },
	{ "Run folder", "files and folders", offsetof(struct limits, inodes) },
	{ "One file", "bytes at most", offsetof(struct limits, file_bytes) },
	{ "Open files", "descriptors", offsetof(struct limits, open_files) },
};

static void tell_limits(FILE *out, const struct limits *limits)
{
	tell_steps(out, limits);
	tell_clock(out, limits);
	for (size_t i = 0; i < sizeof(plain_limits) / sizeof(*plain_limits); i++) {
		uint64_t value = *(const uint64_t *)(const void *)((const char *)limits +
								   plain_limits[i].offset);

		if (value != LIMIT_NONE)
			fprintf(out, "%s: %" PRIu64 " %s.\n", plain_limits[i].title, value,
				plain_limits[i].unit);
	}
	if (limits->memory_bytes == LIMIT_NONE)
		fputs("Memory: not limited.\n", out);
	if (limits->output_bytes != LIMIT_NONE)
		fprintf(out,
			"Output: the first %" PRIu64 " bytes of standard output and of standard error are kept.\n",
			limits->output_bytes);
}

char *capabilities_text(const struct session *s, const struct limits *limits)
{
	_cleanup_listing_ struct listing listing;
	char *text = NULL;
	size_t size;
	FILE *out = make_listing(&listing, s) < 0 ? NULL : open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (s->unavailable[0])
		fprintf(out, "Code execution is unavailable: %s\n", s->unavailable);
	else {
		tell_directory(out, s);
		tell_files(out, s, &listing);
		tell_network(out, s);
		tell_processes(out, s, limits);
		tell_limits(out, limits);
	}
	return fclose(out) == 0 ? text : NULL;
}

/* A path may hold bytes that are no UTF-8. */
static json_t *make_text(const char *text)
{
	struct output view = { .data = (char *)(uintptr_t)text, .used = strlen(text) };
	_cleanup_free_ char *clean = NULL;
	bool had_invalid;
	size_t size;

	view.total = view.used;
	clean = output_text(&view, &size, &had_invalid);
	return clean ? json_stringn(clean, size) : NULL;
}

static json_t *make_count(uint64_t value)
{
	return value > INT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *make_files(const struct listing *l)
{
	json_t *files = json_object();

	for (size_t k = 0; k < GROUPS; k++) {
		json_t *list = json_array();

		for (size_t i = 0; i < l->count; i++)
			if (is_listed(l, i, &groups[k]))
				(void)json_array_append_new(list, make_text(l->rules[i]->path));
		(void)json_object_set_new(files, groups[k].key, list);
	}
	return files;
}

static json_t *make_facts(const struct session *s, const struct limits *limits,
			  const struct listing *l)
{
	const struct policy *p = s->policy;
	const char *project = project_of(p);
	json_t *limit = json_object();

	for (const struct limit_row *row = limit_rows; row->key; row++) {
		uint64_t value =
			*(const uint64_t *)(const void *)((const char *)limits + row->offset);

		(void)json_object_set_new(limit, row->key,
					  row->unit == UNIT_SECONDS && value != LIMIT_NONE ?
						  json_real((double)value / 1000) :
						  make_count(value));
	}
	return json_pack("{ss ss so so ss sb so}", "profile", p->profile, "backend",
			 sandbox_mode_name(s->mode), "directory",
			 project ? make_text(project) : json_null(), "files", make_files(l),
			 "network", p->network == NETWORK_HOST ? "host" : "none", "processes",
			 p->processes, "limits", limit);
}

json_t *capabilities_json(const struct session *s, const struct limits *limits)
{
	_cleanup_free_ char *text = capabilities_text(s, limits);
	_cleanup_listing_ struct listing listing;

	if (make_listing(&listing, s) < 0 || !text)
		return NULL;
	return json_pack("{so so}", "capabilities", make_text(text), "facts",
			 s->unavailable[0] ? json_null() : make_facts(s, limits, &listing));
}
