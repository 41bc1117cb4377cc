/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding where this process may make control groups: below its own group in a version 1 hierarchy, and
 * in version 2 in the nearest group, from its own upwards, that is writable and hands the
 * controllers down. A step upwards is taken only past groups that limit nothing: never out of a
 * limit somebody set.
 *
 * Runs in the launcher. Only looks.
 */
#include "backends/cgroup.h"

#include "backends/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static const struct use_row {
	const char *controller; /* of version 2, "" = every group has it */
	const char *old;        /* of version 1 */
	const char *limit;      /* file of version 2 whose "max" means none */
} uses[CGROUP_USES] = {
	[CGROUP_MEMORY] = { "memory", "memory", "memory.max" },
	[CGROUP_PIDS] = { "pids", "pids", "pids.max" },
	[CGROUP_CPU] = { "", "cpuacct", NULL },
};

/* One mounted hierarchy, as mountinfo has it. */
struct hierarchy {
	char root[PATH_MAX], point[PATH_MAX];
	char type[32], options[512];
};

/* Is `word` one of a list separated by `separators`? */
static bool lists(const char *list, const char *separators, const char *word)
{
	size_t length = strlen(word);

	while (*list) {
		size_t part = strcspn(list, separators);

		if (part == length && strncmp(list, word, length) == 0)
			return true;
		list += part;
		list += strspn(list, separators);
	}
	return false;
}

/* Paths with blanks are escaped there; no cgroup mount has any. */
static bool parse_mount(const char *line, struct hierarchy *h)
{
	const char *tail = strstr(line, " - ");

	return tail && sscanf(line, "%*s %*s %*s %4095s %4095s", h->root, h->point) == 2 &&
	       sscanf(tail, " - %31s %*s %511s", h->type, h->options) == 2 &&
	       !strchr(h->point, '\\');
}

/* The first mount of this kind: version 2, or version 1 with `controller`. */
static bool find_mount(const char *proc, const char *controller, struct hierarchy *h)
{
	_cleanup_file_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[PATH_MAX];
	size_t room = 0;

	snprintf(path, sizeof(path), "%s/mountinfo", proc);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = 0;
		if (!parse_mount(line, h))
			continue;
		if (controller ? !strcmp(h->type, "cgroup") && lists(h->options, ",", controller) :
				 !strcmp(h->type, "cgroup2"))
			return true;
	}
	return false;
}

/* This process's group in that hierarchy, "" when it is not told. */
static void find_own_group(const char *proc, const char *controller, char *out, size_t size)
{
	_cleanup_file_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[PATH_MAX];
	size_t room = 0;

	out[0] = 0;
	snprintf(path, sizeof(path), "%s/cgroup", proc);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) >= 0) {
		char *names = strchr(line, ':');
		char *group = names ? strchr(names + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = 0;
		names++;
		group[strcspn(group, "\n")] = 0;
		if (controller ? !lists(names, ",", controller) : names[0] != 0)
			continue;
		snprintf(out, size, "%s", group);
		return;
	}
}

/* The own group's folder; in a container the path may not be visible: then the mount point is it. */
static void own_folder(const char *proc, const char *controller, const struct hierarchy *h,
		       char *out, size_t size)
{
	char group[PATH_MAX];
	const char *below = group;
	size_t root = strcmp(h->root, "/") ? strlen(h->root) : 0;

	find_own_group(proc, controller, group, sizeof(group));
	if (strncmp(group, h->root, root) == 0)
		below += root;
	if (!strcmp(below, "/") || strstr(below, "/.."))
		below = "";
	if ((size_t)snprintf(out, size, "%s%s", h->point, below) >= size || access(out, F_OK) < 0)
		snprintf(out, size, "%s", h->point);
}

static bool read_line(const char *folder, const char *file, char *out, size_t size)
{
	char path[PATH_MAX + 64];
	_cleanup_fd_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, out, size - 1);
	if (n < 0)
		return false;
	out[n] = 0;
	out[strcspn(out, "\n")] = 0;
	return true;
}

static bool can_make_in(const char *folder)
{
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}

static bool hands_down(const char *folder, enum cgroup_use use)
{
	char list[512];

	return !uses[use].controller[0] ||
	       (read_line(folder, "cgroup.subtree_control", list, sizeof(list)) &&
		lists(list, " ", uses[use].controller));
}

static bool limits_nothing(const char *folder)
{
	char text[64];

	for (int use = 0; use < CGROUP_USES; use++)
		if (uses[use].limit && read_line(folder, uses[use].limit, text, sizeof(text)) &&
		    strcmp(text, "max") != 0)
			return false;
	return true;
}

/* From `own` upwards to the mount point: the nearest group that serves this use. */
static bool find_parent(const char *point, const char *own, enum cgroup_use use, char *out,
			size_t size)
{
	snprintf(out, size, "%s", own);
	for (;;) {
		char *slash = strrchr(out, '/');

		if (can_make_in(out) && hands_down(out, use))
			return true;
		if (strlen(out) <= strlen(point) || !slash || !limits_nothing(out))
			break;
		*slash = 0;
	}
	out[0] = 0;
	return false;
}

static bool find_unified(const char *proc, enum cgroup_use use, struct cgroup_place *place)
{
	char own[PATH_MAX];
	struct hierarchy h;

	if (!find_mount(proc, NULL, &h))
		return false;
	own_folder(proc, NULL, &h, own, sizeof(own));
	place->unified = find_parent(h.point, own, use, place->parent, sizeof(place->parent));
	if (!place->unified)
		snprintf(place->why, sizeof(place->why),
			 "cgroup v2: no writable group hands the %s controller down",
			 uses[use].old);
	return place->unified;
}

static void find_old(const char *proc, enum cgroup_use use, struct cgroup_place *place)
{
	struct hierarchy h;

	if (!find_mount(proc, uses[use].old, &h)) {
		if (!place->why[0])
			snprintf(place->why, sizeof(place->why), "no cgroup hierarchy with %s is mounted",
				 uses[use].old);
		return;
	}
	own_folder(proc, uses[use].old, &h, place->parent, sizeof(place->parent));
	if (can_make_in(place->parent))
		return;
	snprintf(place->why, sizeof(place->why), "cgroup v1 %s: %s", uses[use].old,
		 strerror(errno));
	place->parent[0] = 0;
}

void cgroup_find(const char *proc, struct cgroup_host *host)
{
	*host = (struct cgroup_host){ 0 };
	for (int use = 0; use < CGROUP_USES; use++)
		if (!find_unified(proc, (enum cgroup_use)use, &host->places[use]))
			find_old(proc, (enum cgroup_use)use, &host->places[use]);
}
