/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Control groups, on a tree of plain files that stands for the kernel's. */
#include "backends/cgroup.h"

#include "backends/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define SID "test-0123456789abcdef"
#define GROUP "stile-" SID

struct fake {
	char base[64];
	struct cgroup_host host;
	struct cgroup group;
};

static void make(const struct fake *f, const char *name)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", f->base, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void put(const struct fake *f, const char *name, const char *text)
{
	char path[512];
	_cleanup_fd_ int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", f->base, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* What stands in a file: static, overwritten by the next call. A number written over a longer one
 * leaves its tail, as in no kernel file; so tests put "" first. */
static const char *get(const struct fake *f, const char *name)
{
	static char text[128];
	char path[512];
	_cleanup_fd_ int fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "%s/%s", f->base, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static bool exists(const struct fake *f, const char *name)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", f->base, name);
	return access(path, F_OK) == 0;
}

static void drop(const struct fake *f, const char *name)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", f->base, name);
	assert_int_equal(unlink(path), 0);
}

static int set_up(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->base, sizeof(f->base), "/tmp/stile-cgroup-XXXXXX");
	assert_non_null(mkdtemp(f->base));
	cgroup_begin(&f->group, SID);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *f = *state;
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf %s", f->base);
	free(f);
	return system(command) == 0 ? 0 : -1;
}

/* A version 2 tree: mounted at v2, own group a/b, a hands memory and pids down. */
static void have_unified(struct fake *f)
{
	char text[512];

	make(f, "v2");
	make(f, "v2/a");
	make(f, "v2/a/b");
	(void)snprintf(text, sizeof(text),
		       "30 20 0:26 / %s/v2 rw,nosuid shared:9 - cgroup2 cgroup2 rw\n", f->base);
	put(f, "mountinfo", text);
	put(f, "cgroup", "0::/a/b\n");
	put(f, "v2/a/cgroup.subtree_control", "memory pids\n");
	put(f, "v2/a/b/cgroup.subtree_control", "\n");
}

/* Version 1: memory with an own group g, pids at the root, no cpuacct. */
static void have_old(struct fake *f)
{
	char text[1024];

	make(f, "memory");
	make(f, "memory/g");
	make(f, "pids");
	(void)snprintf(text, sizeof(text),
		       "30 20 0:26 / %s/memory rw - cgroup cgroup rw,memory\n"
		       "31 20 0:27 / %s/pids rw - cgroup cgroup rw,pids\n",
		       f->base, f->base);
	put(f, "mountinfo", text);
	put(f, "cgroup", "4:memory:/g\n3:pids:/\n");
}

static const char *below(const struct fake *f, const char *path)
{
	assert_true(strncmp(path, f->base, strlen(f->base)) == 0);
	return path + strlen(f->base);
}

static void the_nearest_group_that_hands_controllers_down_is_found(void **state)
{
	struct fake *f = *state;

	have_unified(f);
	cgroup_find(f->base, &f->host);
	assert_true(f->host.places[CGROUP_MEMORY].unified);
	assert_string_equal(below(f, f->host.places[CGROUP_MEMORY].parent), "/v2/a");
	assert_string_equal(below(f, f->host.places[CGROUP_PIDS].parent), "/v2/a");
	assert_string_equal(below(f, f->host.places[CGROUP_CPU].parent), "/v2/a/b");
}

static void a_limit_of_the_own_group_is_not_stepped_out_of(void **state)
{
	struct fake *f = *state;

	have_unified(f);
	put(f, "v2/a/b/memory.max", "1000000\n");
	cgroup_find(f->base, &f->host);
	assert_string_equal(f->host.places[CGROUP_MEMORY].parent, "");
	assert_true(f->host.places[CGROUP_MEMORY].why[0]);
}

static void version_1_groups_are_made_below_the_own_one(void **state)
{
	struct fake *f = *state;

	have_old(f);
	cgroup_find(f->base, &f->host);
	assert_string_equal(below(f, f->host.places[CGROUP_MEMORY].parent), "/memory/g");
	assert_string_equal(below(f, f->host.places[CGROUP_PIDS].parent), "/pids");
	assert_string_equal(f->host.places[CGROUP_CPU].parent, "");
	assert_string_equal(f->host.places[CGROUP_CPU].why, "no cgroup hierarchy with cpuacct is mounted");
}

static void nothing_mounted_is_said(void **state)
{
	struct fake *f = *state;

	cgroup_find(f->base, &f->host);
	assert_string_equal(f->host.places[CGROUP_PIDS].parent, "");
	assert_string_equal(f->host.places[CGROUP_PIDS].why, "no cgroup hierarchy with pids is mounted");
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_PIDS), 0),
			 -EOPNOTSUPP);
	assert_false(cgroup_has(&f->group, CGROUP_PIDS));
}

static void limits_are_written_and_lifted_again(void **state)
{
	struct fake *f = *state;
	const char *max = "v2/a/" GROUP "/memory.max", *pids = "v2/a/" GROUP "/pids.max";

	have_unified(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host,
					CGROUP_BIT(CGROUP_MEMORY) | CGROUP_BIT(CGROUP_PIDS), 0),
			 0);
	put(f, max, "");
	put(f, pids, "");
	assert_int_equal(cgroup_set_limits(&f->group, 4096, 7), 0);
	assert_string_equal(get(f, max), "4096");
	assert_string_equal(get(f, pids), "7");
	put(f, max, "");
	put(f, pids, "");
	assert_int_equal(cgroup_set_limits(&f->group, UINT64_MAX, UINT64_MAX), 0);
	assert_string_equal(get(f, max), "max");
	assert_string_equal(get(f, pids), "max");
	assert_true(cgroup_birthplace(&f->group) >= 0);
	cgroup_end(&f->group, &f->host);
}

static void the_number_of_processes_is_written_when_it_is_another(void **state)
{
	struct fake *f = *state;
	const char *pids = "v2/a/" GROUP "/pids.max";

	have_unified(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_PIDS), 0), 0);
	put(f, pids, "");
	assert_int_equal(cgroup_set_limits(&f->group, UINT64_MAX, 7), 0);
	assert_string_equal(get(f, pids), "7");
	put(f, pids, "untouched");
	assert_int_equal(cgroup_set_limits(&f->group, UINT64_MAX, 7), 0);
	assert_string_equal(get(f, pids), "untouched");
	put(f, pids, "");
	assert_int_equal(cgroup_set_limits(&f->group, UINT64_MAX, 8), 0);
	assert_string_equal(get(f, pids), "8");
	put(f, pids, "");
	f->group.members[CGROUP_PIDS] = 4711;
	assert_int_equal(cgroup_set_limits(&f->group, UINT64_MAX, 8), 0);
	assert_string_equal(get(f, pids), "8");
	cgroup_end(&f->group, &f->host);
}

static void a_limit_that_cannot_be_written_is_an_error(void **state)
{
	struct fake *f = *state;

	have_unified(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_MEMORY), 0), 0);
	assert_int_equal(cgroup_set_limits(&f->group, 4096, UINT64_MAX), -ENOENT);
	cgroup_end(&f->group, &f->host);
}

/* The house's processes in a version 1 group are not the program's. */
static void what_is_in_the_group_before_the_run_does_not_count(void **state)
{
	struct fake *f = *state;
	const char *max = "pids/" GROUP "/pids.max";

	have_old(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_PIDS), 0), 0);
	put(f, max, "");
	put(f, "pids/" GROUP "/pids.current", "2\n");
	assert_int_equal(cgroup_set_limits(&f->group, UINT64_MAX, 5), 0);
	assert_string_equal(get(f, max), "7");
	assert_int_equal(cgroup_birthplace(&f->group), -1);
	cgroup_end(&f->group, &f->host);
}

static void only_kills_of_this_run_are_its_own(void **state)
{
	struct fake *f = *state;
	const char *events = "v2/a/" GROUP "/memory.events", *max = "v2/a/" GROUP "/memory.max";

	have_unified(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_MEMORY), 0), 0);
	put(f, max, "");
	put(f, events, "low 0\noom 3\noom_kill 2\noom_group_kill 1\n");
	assert_int_equal(cgroup_set_limits(&f->group, 4096, UINT64_MAX), 0);
	assert_false(cgroup_ran_out(&f->group));
	put(f, events, "low 0\noom 4\noom_kill 3\noom_group_kill 2\n");
	assert_true(cgroup_ran_out(&f->group));
	cgroup_end(&f->group, &f->host);
}

static void cpu_time_counts_from_the_start_of_the_run(void **state)
{
	struct fake *f = *state;
	const char *stat = "v2/a/b/" GROUP "/cpu.stat";

	have_unified(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_CPU), 0), 0);
	put(f, stat, "usage_usec 1000\nuser_usec 900\n");
	assert_int_equal(cgroup_set_limits(&f->group, UINT64_MAX, UINT64_MAX), 0);
	put(f, stat, "usage_usec 4500\nuser_usec 900\n");
	assert_int_equal(cgroup_cpu_us(&f->group), 3500);
	cgroup_end(&f->group, &f->host);
}

static void the_end_removes_the_group(void **state)
{
	struct fake *f = *state;

	have_unified(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_MEMORY), 0), 0);
	assert_true(exists(f, "v2/a/" GROUP));
	cgroup_end(&f->group, &f->host);
	assert_false(exists(f, "v2/a/" GROUP));
	cgroup_end(&f->group, &f->host);
}

static void the_sweep_removes_only_names_of_ours(void **state)
{
	struct fake *f = *state;

	have_unified(f);
	make(f, "v2/a/" GROUP);
	make(f, "v2/a/stile-b");
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_sweep(&f->host, "../a/" GROUP), 0);
	assert_int_equal(cgroup_sweep(&f->host, "b"), 0);
	assert_true(exists(f, "v2/a/" GROUP));
	assert_int_equal(cgroup_sweep(&f->host, SID), 0);
	assert_false(exists(f, "v2/a/" GROUP));
	assert_true(exists(f, "v2/a/stile-b"));
}

static void the_warden_is_moved_in_once(void **state)
{
	struct fake *f = *state;
	const char *procs = "pids/" GROUP "/cgroup.procs";

	have_old(f);
	cgroup_find(f->base, &f->host);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_PIDS), 0), 0);
	put(f, procs, "");
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_PIDS), 77), 0);
	assert_string_equal(get(f, procs), "77");
	drop(f, procs);
	assert_int_equal(cgroup_require(&f->group, &f->host, CGROUP_BIT(CGROUP_PIDS), 77), 0);
	cgroup_end(&f->group, &f->host);
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(the_nearest_group_that_hands_controllers_down_is_found),
		ROW(a_limit_of_the_own_group_is_not_stepped_out_of),
		ROW(version_1_groups_are_made_below_the_own_one),
		ROW(nothing_mounted_is_said),
		ROW(limits_are_written_and_lifted_again),
		ROW(the_number_of_processes_is_written_when_it_is_another),
		ROW(a_limit_that_cannot_be_written_is_an_error),
		ROW(what_is_in_the_group_before_the_run_does_not_count),
		ROW(only_kills_of_this_run_are_its_own),
		ROW(cpu_time_counts_from_the_start_of_the_run),
		ROW(the_end_removes_the_group),
		ROW(the_sweep_removes_only_names_of_ours),
		ROW(the_warden_is_moved_in_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
