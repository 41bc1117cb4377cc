/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes of cgroup delegation, v1 and v2: make a folder below our own cgroup, set its limit, let a child
 * enter it and run into the limit. Most hosts fail at one of the first steps, which is then named.
 *
 * Runs in a forked child of the launcher; the folder is removed before it ends.
 */
#include "launcher/probes.h"

#include "backends/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MIB ((size_t)1 << 20)

/* A controller's place; shared with the children by the fork. */
struct place {
	const char *controller;
	bool is_v2;
	char own[PATH_MAX];    /* folder of our own cgroup */
	char folder[PATH_MAX]; /* of the probe, below it */
};

/* Is `word` one of a list with these separators? */
static bool has_word(const char *list, const char *word, const char *separators)
{
	size_t length = strlen(word);

	for (const char *at = list; *at; at += strspn(at, separators)) {
		size_t n = strcspn(at, separators);

		if (n == length && strncmp(at, word, n) == 0)
			return true;
		at += n;
	}
	return false;
}

/* Our path in the hierarchy of the controller, from /proc/self/cgroup. */
static int find_own_path(struct place *p, char *path, size_t size)
{
	_cleanup_file_ FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX];
	int r = -ENOENT;

	while (file && fgets(line, sizeof(line), file)) {
		char *list = strchr(line, ':'), *at = list ? strchr(list + 1, ':') : NULL;

		if (!at)
			continue;
		*at++ = 0;
		at[strcspn(at, "\n")] = 0;
		if (list[1] && !has_word(list + 1, p->controller, ","))
			continue;
		snprintf(path, size, "%s", at);
		p->is_v2 = !list[1];
		r = 0;
		if (!p->is_v2)
			break;
	}
	return r;
}

/* Is this line of mountinfo the hierarchy? Then its root and mount point. */
static bool take_mount(const struct place *p, char *line, char *root, char *point)
{
	char type[32], options[512];
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(rest, " - %31s %*s %511s", type, options) != 2)
		return false;
	if (strcmp(type, p->is_v2 ? "cgroup2" : "cgroup"))
		return false;
	if (!p->is_v2 && !has_word(options, p->controller, ","))
		return false;
	return sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) == 2;
}

static int find_place(struct place *p)
{
	_cleanup_file_ FILE *file = fopen("/proc/self/mountinfo", "re");
	char path[PATH_MAX], root[PATH_MAX], point[PATH_MAX], line[2 * PATH_MAX];
	int r = find_own_path(p, path, sizeof(path));

	while (r == 0 && file && fgets(line, sizeof(line), file)) {
		size_t length;

		if (!take_mount(p, line, root, point))
			continue;
		length = strcmp(root, "/") ? strlen(root) : 0;
		if (strncmp(path, root, length))
			continue;
		if ((size_t)snprintf(p->own, sizeof(p->own), "%s%s", point, path + length) <
		    sizeof(p->own))
			return 0;
	}
	return -ENOENT;
}

static int write_value(const struct place *p, const char *name, const char *value)
{
	char path[2 * PATH_MAX];
	_cleanup_fd_ int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, value, strlen(value)) < 0 ? -errno : 0;
}

static bool has_controller(const struct place *p)
{
	char path[2 * PATH_MAX], list[512] = "";
	_cleanup_file_ FILE *file = NULL;

	snprintf(path, sizeof(path), "%s/cgroup.controllers", p->folder);
	file = fopen(path, "re");
	return file && fgets(list, sizeof(list), file) && has_word(list, p->controller, " \n");
}

static int touch(size_t size)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; at != MAP_FAILED && i < size; i += 4096)
		((volatile char *)at)[i] = 1;
	return at == MAP_FAILED ? -ENOMEM : 0;
}

static int touch_little(struct finding *f)
{
	(void)f;
	return touch(2 * MIB);
}

static int touch_much(struct finding *f)
{
	(void)f;
	return touch(96 * MIB);
}

static int do_nothing(struct finding *f)
{
	(void)f;
	return 0;
}

static int enter_memory(const struct place *p, struct finding *f)
{
	static const char limit[] = "33554432"; /* 32 MiB */

	errno = -write_value(p, p->is_v2 ? "memory.max" : "memory.limit_in_bytes", limit);
	if (errno)
		return probe_fail(f, "setting the memory limit");
	/* Swap may not be counted here; then the pages that are must do. */
	(void)write_value(p, p->is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes",
			  p->is_v2 ? "0" : limit);
	errno = -write_value(p, "cgroup.procs", "0");
	return errno ? probe_fail(f, "entering the probe's cgroup") : 0;
}

static int show_memory(const struct place *p, struct finding *f)
{
	int r = enter_memory(p, f), little, much;

	if (r < 0)
		return r;
	little = probe_in_child(touch_little, f);
	much = probe_in_child(touch_much, f);
	if (little != 0)
		return probe_disprove(f, "2 MiB could not be had below the limit of 32 MiB");
	if (much < 0 || !WIFSIGNALED(much) || WTERMSIG(much) != SIGKILL)
		return probe_disprove(f, "96 MiB were had past the limit of 32 MiB");
	return probe_prove(f, "v%d: 96 MiB past a limit of 32 MiB ended in SIGKILL, 2 MiB did not",
			   p->is_v2 ? 2 : 1);
}

static int show_pids(const struct place *p, struct finding *f)
{
	int before;

	errno = -write_value(p, "pids.max", "2");
	if (errno)
		return probe_fail(f, "setting the limit of processes");
	errno = -write_value(p, "cgroup.procs", "0");
	if (errno)
		return probe_fail(f, "entering the probe's cgroup");
	before = probe_in_child(do_nothing, f);
	errno = -write_value(p, "pids.max", "1");
	if (errno)
		return probe_fail(f, "lowering the limit of processes");
	if (before != 0)
		return probe_disprove(f, "no process could be made below the limit");
	if (probe_in_child(do_nothing, f) != -EAGAIN)
		return probe_disprove(f, "a second process starts past the limit of 1");
	return probe_prove(f, "v%d: past the limit fork() answered EAGAIN", p->is_v2 ? 2 : 1);
}

static int in_folder(const struct place *p, struct finding *f,
		     int (*show)(const struct place *, struct finding *))
{
	pid_t pid;
	int status;

	if (p->is_v2 && !has_controller(p))
		return probe_disprove(f, "a cgroup can be made, but this controller is not handed down to it");
	pid = fork();
	if (pid == 0)
		_exit(show(p, f) < 0);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return probe_fail(f, "fork");
	return status ? -EPERM : 0;
}

static int probe_controller(struct finding *f, const char *controller,
			    int (*show)(const struct place *, struct finding *))
{
	struct place p = { .controller = controller };
	int r = find_place(&p);

	if (r < 0)
		return probe_disprove(f, "no cgroup hierarchy with this controller is mounted here");
	if ((size_t)snprintf(p.folder, sizeof(p.folder), "%s/stile-probe-%d", p.own,
			     (int)getpid()) >= sizeof(p.folder))
		return probe_disprove(f, "the path of our own cgroup is too long");
	if (mkdir(p.folder, 0700) < 0)
		return probe_fail(f, "making a cgroup below our own");
	r = in_folder(&p, f, show);
	for (int i = 0; i < 100 && rmdir(p.folder) < 0 && errno == EBUSY; i++)
		(void)usleep(1000);
	return r;
}

int probe_cgroup_memory(struct finding *f)
{
	return probe_controller(f, "memory", show_memory);
}

int probe_cgroup_pids(struct finding *f)
{
	return probe_controller(f, "pids", show_pids);
}
