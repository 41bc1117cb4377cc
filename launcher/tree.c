/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measuring the tree of a run through /proc. Not exact: a process may come and go between two looks, and
 * the CPU time of a child nobody waited for is lost with it.
 *
 * Runs in the launcher, on a timer; bounded in what it reads, whatever the program starts.
 */
#include "launcher/tree.h"

#include "backends/cleanup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TREE_MAX 4096

enum { FIELD_UTIME = 14, FIELD_CSTIME = 17, FIELD_THREADS = 20, FIELD_RSS = 24 };

/* Appends the children of `pid` to the list, up to TREE_MAX. */
static size_t add_children(pid_t pid, pid_t *list, size_t count)
{
	char path[64];
	_cleanup_file_ FILE *f = NULL;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "re");
	while (f && count < TREE_MAX && fscanf(f, "%d", &child) == 1)
		list[count++] = child;
	return count;
}

/* Fields are counted from behind the command's name, which may hold anything. */
static void add_fields(const char *at, struct tree_use *use)
{
	uint64_t ticks = 0, tick_ms = 1000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;

	for (int field = 3; field <= FIELD_RSS && at; field++) {
		uint64_t value = strtoull(++at, NULL, 10);

		if (field >= FIELD_UTIME && field <= FIELD_CSTIME)
			ticks += value;
		else if (field == FIELD_THREADS)
			use->threads += value;
		else if (field == FIELD_RSS)
			use->resident_kb += value * page_kb;
		at = strchr(at, ' ');
	}
	use->cpu_ms += ticks * tick_ms;
}

static void add_process(pid_t pid, struct tree_use *use)
{
	char path[64], text[1024];
	_cleanup_fd_ int fd = -1;
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return;
	text[n] = 0;
	at = strrchr(text, ')');
	if (at)
		add_fields(at + 1, use);
}

pid_t tree_house(pid_t warden)
{
	pid_t list[TREE_MAX];

	return add_children(warden, list, 0) ? list[0] : 0;
}

/* The house's own process counts nothing itself, but orphans hang below it. */
void tree_measure(pid_t warden, pid_t house, struct tree_use *use)
{
	pid_t list[TREE_MAX];
	size_t count = add_children(warden, list, 0);

	*use = (struct tree_use){ 0 };
	for (size_t i = 0; i < count; i++) {
		if (list[i] != house)
			add_process(list[i], use);
		count = add_children(list[i], list, count);
	}
}
