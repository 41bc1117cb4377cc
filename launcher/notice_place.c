/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding what a path of the program's means: read from its memory, from its working directory or the
 * folder behind its descriptor, in its own root, links followed as its kernel would.
 *
 * Runs in the launcher's loop. What it finds may have changed a moment later; nothing is decided by it
 * that the walls do not decide again.
 */
#include "launcher/notice_parts.h"

#include "backends/cleanup.h"
#include "backends/sys.h"
#include "launcher/look.h"
#include "policy/policy.h"
#include "policy/repr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define LINKS_MAX 8

static int read_link(const char *link, char out[PATH_MAX])
{
	ssize_t n = readlink(link, out, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	out[n] = 0;
	/* Pipes, memory files and what was removed have no place. */
	return out[0] == '/' && !strstr(out, " (deleted)") && strncmp(out, "/memfd:", 7) ? 0 : -ENOENT;
}

/* What the program's descriptor is, or its working directory. */
static int read_folder(const struct notices *n, int folder, char out[PATH_MAX])
{
	char link[64];

	if (folder == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)n->now.tid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)n->now.tid, folder);
	return read_link(link, out);
}

/* The path as the program's root has it, links not yet followed. */
static int put_together(const struct notices *n, int folder, const char *text, char out[PATH_MAX])
{
	char base[PATH_MAX] = "";
	int r = text[0] == '/' ? 0 : read_folder(n, folder, base);

	if (r < 0)
		return r;
	return snprintf(out, PATH_MAX, "%s%s%s", base, base[0] && text[0] ? "/" : "", text) < PATH_MAX ?
		       0 :
		       -ENAMETOOLONG;
}

static int open_in_root(int root, const char *path, bool is_link)
{
	int fd = sys_openat2(root, path, O_PATH | O_CLOEXEC | (is_link ? O_NOFOLLOW : 0),
			     SYS_RESOLVE_IN_ROOT);

	return fd < 0 ? -errno : fd;
}

static int name_of(int fd, char out[PATH_MAX])
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return read_link(link, out);
}

/* Where nothing is, its folder is what counts. */
static int find_missing(int root, char path[PATH_MAX], struct notice_place *out)
{
	char folder[PATH_MAX], *last = strrchr(path, '/');
	int r = -ENOENT;

	if (last && last[1] && strcmp(last, "/..") && strcmp(last, "/.")) {
		*last = 0;
		out->folder = open_in_root(root, path[0] ? path : "/", false);
		*last = '/';
		r = out->folder < 0 ? out->folder : name_of(out->folder, folder);
	}
	if (r == 0 && snprintf(out->path, PATH_MAX, "%s%s", folder[1] ? folder : "", last) < PATH_MAX)
		return 0;
	return policy_path_normalise("/", path, out->path, PATH_MAX) < 0 ? -ENAMETOOLONG : 0;
}

/* A link that leads nowhere: `path` becomes what it says. -ENOENT: it is none. */
static int read_lost_link(int root, char path[PATH_MAX])
{
	_cleanup_fd_ int fd = open_in_root(root, path, true);
	char text[PATH_MAX], base[PATH_MAX];
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", text, sizeof(text) - 1);

	if (n < 0)
		return -ENOENT;
	text[n] = 0;
	snprintf(base, sizeof(base), "%s", path);
	*(strrchr(base, '/') + 1) = 0;
	return snprintf(path, PATH_MAX, "%s%s", text[0] == '/' ? "" : base, text) < PATH_MAX ?
		       0 :
		       -ENAMETOOLONG;
}

static int find_in_root(int root, char path[PATH_MAX], bool is_link, struct notice_place *out)
{
	for (int links = 0; links < LINKS_MAX; links++) {
		out->fd = open_in_root(root, path, is_link);
		if (out->fd >= 0)
			return name_of(out->fd, out->path);
		if (out->fd != -ENOENT)
			return out->fd;
		if (is_link || read_lost_link(root, path) < 0)
			return find_missing(root, path, out);
	}
	return -ELOOP;
}

static int find(const struct notices *n, char path[PATH_MAX], bool is_link,
		struct notice_place *out)
{
	char link[64];
	_cleanup_fd_ int root = -1;

	snprintf(link, sizeof(link), "/proc/%d/root", (int)n->now.tid);
	root = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -errno : find_in_root(root, path, is_link, out);
}

int notice_find_path(const struct notices *n, const char *text, bool is_link,
		     struct notice_place *out)
{
	char path[PATH_MAX];
	int r;

	out->fd = out->folder = -1;
	r = put_together(n, AT_FDCWD, text, path);
	return r < 0 ? r : find(n, path, is_link, out);
}

int notice_find_place(const struct notices *n, const struct notify_path *where, bool is_link,
		      struct notice_place *out)
{
	const uint64_t *args = (const uint64_t *)n->now.data.args;
	char text[PATH_MAX], path[PATH_MAX];
	int r;

	out->fd = out->folder = -1;
	r = (int)notify_read_text(&n->now, args[where->text], text, sizeof(text));
	if (r >= 0)
		r = put_together(n, where->folder < 0 ? AT_FDCWD : (int)args[where->folder], text,
				 path);
	return r < 0 ? r : find(n, path, is_link, out);
}

void notice_leave_place(struct notice_place *place)
{
	cleanup_fd(&place->fd);
	cleanup_fd(&place->folder);
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

bool notice_is_session(const struct notices *n, const char *path)
{
	return is_below(path, n->ground.work) || is_below(path, n->ground.room);
}

/* In /tmp and its like, which are the run's own: the host's are not there, or not open. */
static bool is_private(const struct notices *n, const char *path)
{
	uint32_t rule = 0;

	(void)policy_path_rights(n->ground.block, path, &rule);
	return look_is_private(n->ground.block, rule);
}

bool notice_is_hidden(const struct notices *n, const struct notice_place *place)
{
	return n->ground.has_own_root && place->fd < 0 &&
	       (!policy_path_rights(n->ground.block, place->path, NULL) ||
		is_private(n, place->path)) &&
	       faccessat(AT_FDCWD, place->path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void refuse_private(struct notices *n, const char *path, unsigned access,
			   struct verdict *out)
{
	struct sentence reason = sentence_begin(n->text.reason, sizeof(n->text.reason));

	sentence_add(&reason, "path ");
	sentence_add_repr(&reason, path, strlen(path));
	sentence_add(&reason, " is the host's, and that folder is the run's own");
	snprintf(n->text.fix, sizeof(n->text.fix), "%s %s",
		 access & PATH_EXEC ? "--exec" : access & PATH_WRITE ? "--write" : "--read", path);
	out->action = ACTION_DENY;
	out->reason = n->text.reason;
	out->fix = n->text.fix;
}

void notice_ask_path(struct notices *n, const struct notice_place *place, unsigned access,
		     struct verdict *out)
{
	policy_decide_path(n->ground.block, place->path, access, &n->text, out);
	if (out->action == ACTION_ALLOW && is_private(n, place->path) &&
	    (notice_is_hidden(n, place) ||
	     (!n->ground.has_own_root && strncmp(place->path, "/proc", 5))))
		refuse_private(n, place->path, access, out);
}
