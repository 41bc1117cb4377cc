/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a path leads: asked of the kernel, and walked, with the same answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* top/{dir/file, link -> dir, dangling -> dir/missing, loop -> loop, up ->
 * dir/../dir/file} */
struct world {
	char top[64];
	int fd; /* of top */
	struct resolved out, walked;
};

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	(void)snprintf(w->top, sizeof(w->top), "/tmp/test-resolve-XXXXXX");
	assert_non_null(mkdtemp(w->top));
	w->fd = open(w->top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(w->fd, "dir", 0700), 0);
	assert_int_equal(close(openat(w->fd, "dir/file", O_CREAT | O_WRONLY, 0600)), 0);
	assert_int_equal(symlinkat("dir", w->fd, "link"), 0);
	assert_int_equal(symlinkat("dir/missing", w->fd, "dangling"), 0);
	assert_int_equal(symlinkat("loop", w->fd, "loop"), 0);
	assert_int_equal(symlinkat("dir/../dir/file", w->fd, "up"), 0);
	*state = w;
	return 0;
}

static int drop_world(void **state)
{
	static const char *const names[] = { "dir/file", "link", "dangling", "loop",
					     "up" };
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		(void)unlinkat(w->fd, names[i], 0);
	(void)unlinkat(w->fd, "dir", AT_REMOVEDIR);
	(void)close(w->fd);
	(void)rmdir(w->top);
	free(w);
	return 0;
}

/* Both ways lead to top/`wanted`. */
static void assert_leads(struct world *w, const char *path, unsigned flags,
			 const char *wanted, bool exists)
{
	char full[PATH_MAX];

	(void)snprintf(full, sizeof(full), "%s%s%s", w->top, *wanted ? "/" : "", wanted);
	assert_int_equal(resolve_path(w->fd, path, flags, &w->out), 0);
	assert_string_equal(w->out.path, full);
	assert_int_equal(w->out.exists, exists);
	assert_int_equal(resolve_by_walking(w->fd, path, flags, &w->walked), 0);
	assert_string_equal(w->walked.path, full);
	assert_int_equal(w->walked.exists, exists);
}

static void assert_fails(struct world *w, const char *path, int error)
{
	assert_int_equal(resolve_path(w->fd, path, 0, &w->out), error);
	assert_int_equal(resolve_by_walking(w->fd, path, 0, &w->walked), error);
}

static void takes_names_from_the_folder(void **state)
{
	assert_leads(*state, "dir/file", 0, "dir/file", true);
	assert_leads(*state, ".//dir/./file", 0, "dir/file", true);
	assert_leads(*state, ".", 0, "", true);
}

static void follows_links(void **state)
{
	assert_leads(*state, "link/file", 0, "dir/file", true);
	assert_leads(*state, "up", 0, "dir/file", true);
	assert_leads(*state, "link", 0, "dir", true);
}

static void goes_up_from_where_a_link_leads(void **state)
{
	assert_leads(*state, "link/../dir/file", 0, "dir/file", true);
}

static void leaves_the_last_link_when_asked(void **state)
{
	assert_leads(*state, "link", RESOLVE_NOFOLLOW, "link", true);
	assert_leads(*state, "dangling", RESOLVE_NOFOLLOW, "dangling", true);
	assert_leads(*state, "link/", RESOLVE_NOFOLLOW, "dir", true);
}

static void names_what_is_missing(void **state)
{
	assert_leads(*state, "none", 0, "none", false);
	assert_leads(*state, "dangling", 0, "dir/missing", false);
	assert_leads(*state, "link/none/deep", 0, "dir/none/deep", false);
	assert_leads(*state, "none", RESOLVE_NOFOLLOW, "none", false);
}

static void fails_as_the_kernel_does(void **state)
{
	assert_fails(*state, "loop", -ELOOP);
	assert_fails(*state, "dir/file/x", -ENOTDIR);
}

static void refuses_what_is_too_long(void **state)
{
	struct world *w = *state;
	char path[PATH_MAX + 2];

	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_fails(w, path, -ENAMETOOLONG);
}

static void tells_a_bad_pointer(void **state)
{
	struct world *w = *state;

	assert_int_equal(resolve_path(w->fd, NULL, 0, &w->out), -EFAULT);
	assert_int_equal(resolve_path(w->fd, (const char *)1, 0, &w->out), -EFAULT);
}

static void finds_the_file_behind_a_descriptor(void **state)
{
	struct world *w = *state;
	int fd = openat(w->fd, "dir/file", O_RDONLY | O_CLOEXEC);
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_leads(w, name, 0, "dir/file", true);
	assert_int_equal(resolve_path(fd, "", RESOLVE_EMPTY, &w->out), 0);
	assert_string_equal(w->out.path, w->walked.path);
	assert_int_equal(resolve_path(fd, "", 0, &w->out), -ENOENT);
	assert_int_equal(close(fd), 0);
}

static void a_pipe_has_no_path(void **state)
{
	struct world *w = *state;
	char name[64];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
	assert_fails(w, name, -ENODATA);
	assert_int_equal(resolve_fd(fds[0], &w->out), -ENODATA);
	assert_int_equal(close(fds[0]) | close(fds[1]), 0);
}

static void a_removed_file_has_no_path(void **state)
{
	struct world *w = *state;
	int fd = openat(w->fd, "gone", O_CREAT | O_RDONLY | O_CLOEXEC, 0600);

	assert_int_equal(unlinkat(w->fd, "gone", 0), 0);
	assert_int_equal(resolve_fd(fd, &w->out), -ENODATA);
	assert_int_equal(close(fd), 0);
}

static void stays_below_the_root(void **state)
{
	struct world *w = *state;

	assert_int_equal(resolve_path(w->fd, "/../..", 0, &w->out), 0);
	assert_string_equal(w->out.path, "/");
	assert_int_equal(resolve_by_walking(w->fd, "/../..", 0, &w->out), 0);
	assert_string_equal(w->out.path, "/");
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, make_world, drop_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(takes_names_from_the_folder),
		CLAIM(follows_links),
		CLAIM(goes_up_from_where_a_link_leads),
		CLAIM(leaves_the_last_link_when_asked),
		CLAIM(names_what_is_missing),
		CLAIM(fails_as_the_kernel_does),
		CLAIM(refuses_what_is_too_long),
		CLAIM(tells_a_bad_pointer),
		CLAIM(finds_the_file_behind_a_descriptor),
		CLAIM(a_pipe_has_no_path),
		CLAIM(a_removed_file_has_no_path),
		CLAIM(stays_below_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
