/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Protected and denied paths in the new root. Each part of such a path below the writable folder it
 * is in becomes a mount point, for a mount point cannot be renamed, replaced or removed: folders on the
 * way as they are, the last part read-only or covered, a placeholder for what is missing covered
 * by something empty. A link or file in the way (left by an earlier run, or put there since the policy
 * was read) is held as it is: what it hides cannot come into being behind it.
 *
 * Runs in the warden. Must never follow a link: it would mount somewhere else.
 */
#include "backends/placeholder.h"
#include "backends/root_parts.h"

#include "backends/cleanup.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* Protected names that are folders when they exist. */
static const char *const folder_names[] = { "hooks", ".vscode", ".idea", ".claude", ".ssh" };

enum progress { GO_ON = 0, HELD = 1 };

struct part {
	char path[PATH_MAX];
	size_t slash;  /* before the last component */
	bool is_last;
	bool is_denied;
};

static bool is_mount_root(int fd)
{
	struct statx st;

	return statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) == 0 &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static int make_read_only(int fd)
{
	struct sys_mount_attr attr = { .attr_set = SYS_MOUNT_ATTR_RDONLY };

	return sys_mount_setattr(fd, SYS_AT_RECURSIVE, &attr) < 0 ? -errno : 0;
}

static int open_folder_of(const struct builder *b, const struct part *part)
{
	char folder[PATH_MAX];

	memcpy(folder, part->path, part->slash);
	folder[part->slash] = 0;
	return root_open(b, folder);
}

/* The lock that keeps the placeholders alive is out of the program's reach as they are. */
static int hold_lock(const struct builder *b, const struct part *part)
{
	_cleanup_fd_ int folder = open_folder_of(b, part), lock = -1;

	if (folder < 0)
		return folder;
	lock = sys_openat2(folder, PLACEHOLDER_LOCK, O_PATH | O_NOFOLLOW | O_CLOEXEC,
			   SYS_RESOLVE_NO_SYMLINKS);
	if (lock < 0)
		return -errno;
	return is_mount_root(lock) ? 0 : root_cover(b, lock, STAND_IN_EMPTY);
}

/*
 * Missing, and no placeholder could be made: in a folder where the program cannot make anything either
 * that is well, unless it owns the folder and could give itself the right.
 */
static int hold_missing(const struct builder *b, const struct part *part)
{
	_cleanup_fd_ int folder = open_folder_of(b, part);
	struct stat st;

	if (folder < 0)
		return folder;
	if (faccessat(folder, ".", W_OK, AT_EACCESS) < 0)
		return HELD;
	if (fstat(folder, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid() || st.st_mode & S_IWUSR)
		return -ENOENT;
	return is_mount_root(folder) ? make_read_only(folder) : root_pin(folder, true);
}

static bool is_folder_meant(const struct part *part)
{
	const char *name = part->path + part->slash + 1;

	for (size_t i = 0; i < sizeof(folder_names) / sizeof(*folder_names); i++)
		if (strcmp(name, folder_names[i]) == 0)
			return true;
	return !part->is_last;
}

/* A missing file looks empty. A missing folder looks like nothing of use: an empty .git that is a file
 * would be an error to git, as it would be if it could be read. */
static int hold_placeholder(const struct builder *b, const struct part *part, int fd)
{
	int r = hold_lock(b, part);

	if (r < 0)
		return r;
	return root_cover(b, fd, part->is_denied	  ? STAND_IN_DENIED :
				 is_folder_meant(part) ? STAND_IN_NOTHING :
							 STAND_IN_EMPTY);
}

static int hold_last(const struct builder *b, const struct part *part, int fd)
{
	if (part->is_denied)
		return root_cover(b, fd, STAND_IN_DENIED);
	return is_mount_root(fd) ? make_read_only(fd) : root_pin(fd, true);
}

/* GO_ON to what is below, HELD, or -errno. */
static int hold_part(const struct builder *b, const struct part *part)
{
	_cleanup_fd_ int fd = root_open(b, part->path);
	struct stat st;
	int r;

	if (fd == -ENOENT)
		r = hold_missing(b, part);
	else if (fd < 0)
		r = fd;
	else if (fstat(fd, &st) < 0)
		r = -errno;
	else if (placeholder_is_mark(&st))
		r = hold_placeholder(b, part, fd);
	else if (part->is_last)
		r = hold_last(b, part, fd);
	else if (S_ISDIR(st.st_mode))
		return is_mount_root(fd) ? GO_ON : root_pin(fd, false);
	else
		r = is_mount_root(fd) ? 0 : root_pin(fd, true);
	return r < 0 ? r : HELD;
}

static int hold_path(const struct builder *b, const struct path_rule *rule, size_t start)
{
	struct part part = { .slash = start - 1, .is_denied = rule->rights & PATH_DENY };
	size_t length = strlen(rule->path);

	if (length >= sizeof(part.path))
		return -ENAMETOOLONG;
	for (size_t i = start;; i++) {
		int r;

		if (rule->path[i] && rule->path[i] != '/')
			continue;
		memcpy(part.path, rule->path, i);
		part.path[i] = 0;
		part.is_last = i == length;
		r = hold_part(b, &part);
		if (r != GO_ON)
			return r < 0 ? r : 0;
		part.slash = i;
	}
}

/* Below what is only readable nothing can change: the path alone counts, if it is there at all. */
static int cover_still(const struct builder *b, const struct rule_node *node)
{
	_cleanup_fd_ int fd = root_open(b, node->rule->path);

	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
	return root_cover(b, fd, node->reopened ? STAND_IN_REOPENED : STAND_IN_DENIED);
}

int root_guard(const struct builder *b, size_t i)
{
	const struct rule_node *node = &b->tree.nodes[i];
	const struct path_rule *above = rule_tree_mount_above(&b->tree, i);
	size_t start = above && above->path[1] ? strlen(above->path) + 1 : 1;
	int r = 0;

	if (rule_tree_is_guard(&b->tree, i))
		r = hold_path(b, node->rule, start);
	else if (node->rule->rights & PATH_DENY)
		r = cover_still(b, node);
	/* The folders on the way are held now; what is allowed again below needs a place to stand in. */
	if (r == 0 && node->reopened && rule_tree_is_guard(&b->tree, i))
		r = cover_still(b, node);
	return r;
}

int root_hold_parents(const struct builder *b, size_t i)
{
	const struct path_rule *above = rule_tree_mount_above(&b->tree, i);
	const char *path = b->tree.nodes[i].rule->path;
	char part[PATH_MAX];

	if (!above || rule_takes_away(above) || rule_is_private_place(above) ||
	    !(above->rights & PATH_WRITE) || b->tree.nodes[i].rule->rights & PATH_WRITE)
		return 0;
	for (size_t at = above->path[1] ? strlen(above->path) + 1 : 1; path[at]; at++) {
		_cleanup_fd_ int fd = -1;
		int r;

		if (path[at] != '/')
			continue;
		memcpy(part, path, at);
		part[at] = 0;
		fd = root_open(b, part);
		r = fd < 0 ? fd : is_mount_root(fd) ? 0 : root_pin(fd, false);
		if (r < 0)
			return r;
	}
	return 0;
}
