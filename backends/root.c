/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The root the program sees: a tmpfs over which the policy's paths are mounted, parents first, each
 * read-only or writable as its rule says, everything nosuid and nodev (device files excepted).
 * What is not in the policy does not exist there, so stat, chmod, extended attributes and
 * pathname sockets, which Landlock does not mediate, are closed as well.
 *
 * Runs in the warden, in its own mount namespace, before Landlock (a Landlock domain forbids
 * mounting). Must never leave the old root reachable: it is detached before this returns 0.
 */
#include "backends/root.h"

#include "backends/cleanup.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* Places that are private to the session although a profile names them. */
static const struct {
	const char *path, *type, *options;
} private_places[] = {
	{ "/tmp", "tmpfs", "mode=1777" },
	{ "/dev/shm", "tmpfs", "mode=1777" },
	{ "/proc", NULL, NULL }, /* left empty here: root_mount_proc() */
};

struct builder {
	const struct root_plan *plan;
	int new_root;  /* O_PATH of the tmpfs */
	int blank;     /* O_PATH of a folder that holds the stand-ins for denied files */
};

static bool is_from_profile(const struct path_rule *rule)
{
	return strncmp(rule->origin, "profile ", 8) == 0;
}

static int private_place(const struct path_rule *rule)
{
	for (size_t i = 0; i < sizeof(private_places) / sizeof(*private_places); i++)
		if (is_from_profile(rule) && strcmp(rule->path, private_places[i].path) == 0)
			return (int)i;
	return -1;
}

bool root_is_private_place(const struct path_rule *rule)
{
	return private_place(rule) >= 0;
}

/* Makes the folders above `path` in the new root, and a folder or an empty file at its end. */
static int make_target(const struct builder *b, const char *path, bool is_dir)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(part))
		return -ENAMETOOLONG;
	for (size_t i = 1; i < length; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path + 1, i - 1);
		part[i - 1] = 0;
		if (mkdirat(b->new_root, part, 0755) < 0 && errno != EEXIST && errno != EROFS)
			return -errno;
	}
	if (is_dir)
		return mkdirat(b->new_root, path + 1, 0755) < 0 && errno != EEXIST &&
				       errno != EROFS ?
			       -errno :
			       0;
	if (faccessat(b->new_root, path + 1, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return mknodat(b->new_root, path + 1, S_IFREG | 0444, 0) < 0 && errno != EEXIST ? -errno :
											  0;
}

/* Restricts a detached tree and moves it to its place. */
static int attach(const struct builder *b, int tree, const char *path, uint64_t attributes)
{
	struct sys_mount_attr attr = { .attr_set = attributes };

	if (sys_mount_setattr(tree, SYS_AT_RECURSIVE, &attr) < 0)
		return -errno;
	return sys_move_mount(tree, b->new_root, path + 1) < 0 ? -errno : 0;
}

static uint64_t attributes_for(const char *path, unsigned rights, bool is_dir)
{
	uint64_t attributes = SYS_MOUNT_ATTR_NOSUID;

	if (is_dir || strncmp(path, "/dev/", 5) != 0)
		attributes |= SYS_MOUNT_ATTR_NODEV;
	if (!(rights & PATH_WRITE))
		attributes |= SYS_MOUNT_ATTR_RDONLY;
	return attributes;
}

static int bind_path(const struct builder *b, const char *path, unsigned rights)
{
	_cleanup_fd_ int tree =
		sys_open_tree(AT_FDCWD, path,
			      SYS_OPEN_TREE_CLONE | SYS_OPEN_TREE_CLOEXEC | SYS_AT_RECURSIVE);
	struct stat st;
	int r;

	if (tree < 0)
		return -errno;
	if (fstat(tree, &st) < 0)
		return -errno;
	r = make_target(b, path, S_ISDIR(st.st_mode));
	if (r < 0)
		return r;
	return attach(b, tree, path, attributes_for(path, rights, S_ISDIR(st.st_mode)));
}

/* A file system of our own at `path` in the new root. */
static int mount_private(const struct builder *b, const char *path, const char *type,
			 const char *options, unsigned long flags)
{
	char target[PATH_MAX];
	int r = make_target(b, path, true);

	if (r < 0 || !type)
		return r;
	if ((size_t)snprintf(target, sizeof(target), "/proc/self/fd/%d%s", b->new_root, path) >=
	    sizeof(target))
		return -ENAMETOOLONG;
	return mount(type, target, type, flags, options) < 0 ? -errno : 0;
}

/* A denied folder is covered by an empty, unreadable, read-only one; a file likewise. */
static int cover(const struct builder *b, const char *path)
{
	_cleanup_fd_ int tree = -1;
	struct stat st;

	if (fstatat(b->new_root, path + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	tree = sys_open_tree(b->blank, S_ISDIR(st.st_mode) ? "folder" : "file",
			     SYS_OPEN_TREE_CLONE | SYS_OPEN_TREE_CLOEXEC);
	if (tree < 0)
		return -errno;
	return attach(b, tree, path,
		      SYS_MOUNT_ATTR_RDONLY | SYS_MOUNT_ATTR_NOSUID | SYS_MOUNT_ATTR_NODEV |
			      SYS_MOUNT_ATTR_NOEXEC);
}

static bool is_mount_point(const struct builder *b, const char *path)
{
	struct statx st;

	return statx(b->new_root, path + 1, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) == 0 &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* Folders between the covering rule and a protected path become mount points themselves: a mount
 * point cannot be renamed away, a folder that holds one could. */
static int pin_parents(const struct builder *b, const char *path, const char *covering,
		       unsigned rights)
{
	char part[PATH_MAX];

	for (size_t i = strlen(covering) + 1; path[i]; i++) {
		int r;

		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		/* A second bind would cover what is mounted below the first. */
		r = is_mount_point(b, part) ? 0 : bind_path(b, part, rights);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '/' || length == 1);
}

/* The longest granting rule above `path`. */
static const struct path_rule *covering_rule(const struct policy *p, const char *path)
{
	const struct path_rule *best = NULL;

	for (size_t i = 0; i < p->path_count; i++) {
		const struct path_rule *rule = &p->paths[i];

		if (rule->rights & (PATH_DENY | PATH_PROTECT) || !is_below(path, rule->path))
			continue;
		if (!best || strlen(rule->path) > strlen(best->path))
			best = rule;
	}
	return best;
}

static int place_protected(const struct builder *b, const struct path_rule *rule)
{
	const struct path_rule *above = covering_rule(b->plan->policy, rule->path);
	int r;

	if (!above || access(rule->path, F_OK) < 0)
		return 0;
	r = pin_parents(b, rule->path, above->path, above->rights);
	return r < 0 ? r : bind_path(b, rule->path, above->rights & ~(unsigned)PATH_WRITE);
}

/* A denied path that is not there yet can be made only where its folder is writable. */
static int place_denied(const struct builder *b, const struct path_rule *rule)
{
	const struct path_rule *above = covering_rule(b->plan->policy, rule->path);
	int r;

	if (!above)
		return 0;
	if (faccessat(b->new_root, rule->path + 1, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return above->rights & PATH_WRITE ? -EOPNOTSUPP : 0;
	r = pin_parents(b, rule->path, above->path, above->rights);
	return r < 0 ? r : cover(b, rule->path);
}

/* The name by which the author knows a path stays usable: a link to where it really is. */
static void link_written(const struct builder *b, const struct path_rule *rule)
{
	if (rule->written[0] != '/' || strcmp(rule->written, rule->path) == 0)
		return;
	if (make_target(b, rule->written, false) < 0)
		return;
	if (unlinkat(b->new_root, rule->written + 1, 0) == 0)
		(void)!symlinkat(rule->path, b->new_root, rule->written + 1);
}

static int place_rule(const struct builder *b, const struct path_rule *rule)
{
	int place = private_place(rule), r;

	if (rule->rights & PATH_DENY)
		return place_denied(b, rule);
	if (rule->rights & PATH_PROTECT)
		return place_protected(b, rule);
	if (place >= 0)
		return mount_private(b, rule->path, private_places[place].type,
				     private_places[place].options, MS_NOSUID | MS_NODEV);
	r = bind_path(b, rule->path, rule->rights);
	return r == -ENOENT && (rule->rights & PATH_OPTIONAL) ? 0 : r;
}

static int by_length(const void *a, const void *b)
{
	const struct path_rule *const *left = a, *const *right = b;
	size_t la = strlen((*left)->path), lb = strlen((*right)->path);

	return la < lb ? -1 : la > lb;
}

/* Does the mount of the nearest rule above already give exactly this rule's rights? */
static bool is_redundant(const struct policy *p, const struct path_rule *rule)
{
	const struct path_rule *above = covering_rule(p, rule->path);
	const unsigned mounted = PATH_WRITE | PATH_DENY | PATH_PROTECT;

	return above && private_place(above) < 0 && strncmp(rule->path, "/dev/", 5) != 0 &&
	       (above->rights & mounted) == (rule->rights & mounted);
}

static int place_rules(const struct builder *b, const char **failed)
{
	const struct policy *p = b->plan->policy;
	_cleanup_free_ const struct path_rule **sorted = calloc(p->path_count + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < p->path_count; i++)
		sorted[i] = &p->paths[i];
	qsort(sorted, p->path_count, sizeof(*sorted), by_length);
	for (size_t i = 0; i < p->path_count; i++) {
		int r = 0;

		if (!is_redundant(p, sorted[i]))
			r = place_rule(b, sorted[i]);
		if (r < 0) {
			*failed = sorted[i]->path;
			return r;
		}
	}
	for (size_t i = 0; i < p->path_count; i++)
		link_written(b, sorted[i]);
	return 0;
}

/* The usual links of a merged /usr, and the standard names below /dev. */
static int make_links(const struct builder *b)
{
	static const char *const merged[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64",
					      "/libx32" };
	static const struct {
		const char *name, *target;
	} devices[] = { { "dev/fd", "/proc/self/fd" },
			{ "dev/stdin", "/proc/self/fd/0" },
			{ "dev/stdout", "/proc/self/fd/1" },
			{ "dev/stderr", "/proc/self/fd/2" } };
	char target[PATH_MAX];

	for (size_t i = 0; i < sizeof(merged) / sizeof(*merged); i++) {
		ssize_t n = readlink(merged[i], target, sizeof(target) - 1);

		if (n <= 0)
			continue;
		target[n] = 0;
		(void)!symlinkat(target, b->new_root, merged[i] + 1);
	}
	if (mkdirat(b->new_root, "dev", 0755) < 0 && errno != EEXIST)
		return -errno;
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		(void)!symlinkat(devices[i].target, b->new_root, devices[i].name);
	return 0;
}

/* The stand-ins live on a tmpfs of their own that is mounted nowhere the program can reach. */
static int make_blank(struct builder *b)
{
	if (mkdirat(b->new_root, ".blank", 0700) < 0)
		return -errno;
	b->blank = openat(b->new_root, ".blank", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (b->blank < 0)
		return -errno;
	if (mkdirat(b->blank, "folder", 0) < 0 || mknodat(b->blank, "file", S_IFREG, 0) < 0)
		return -errno;
	return 0;
}

/* Mounted stand-ins keep their files alive; the names can go. */
static void drop_blank(const struct builder *b)
{
	(void)unlinkat(b->blank, "folder", AT_REMOVEDIR);
	(void)unlinkat(b->blank, "file", 0);
	(void)unlinkat(b->new_root, ".blank", AT_REMOVEDIR);
}

static bool has_deny(const struct policy *p)
{
	for (size_t i = 0; i < p->path_count; i++)
		if (p->paths[i].rights & PATH_DENY)
			return true;
	return false;
}

/* From here on the old root is gone. */
static int pivot(const struct builder *b)
{
	struct sys_mount_attr read_only = { .attr_set = SYS_MOUNT_ATTR_RDONLY };

	if (sys_mount_setattr(b->new_root, 0, &read_only) < 0)
		return -errno;
	if (fchdir(b->new_root) < 0 || sys_pivot_root(".", ".") < 0)
		return -errno;
	if (umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

static int open_new_root(struct builder *b)
{
	const char *point = b->plan->mount_point;

	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return -errno;
	if (mount("stile", point, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
		return -errno;
	b->new_root = open(point, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return b->new_root < 0 ? -errno : 0;
}

int root_build(const struct root_plan *plan, const char **step)
{
	struct builder b = { .plan = plan, .new_root = -1, .blank = -1 };
	bool denies = has_deny(plan->policy);
	int r;

	*step = "mount a new root";
	r = open_new_root(&b);
	if (r == 0 && denies)
		r = make_blank(&b);
	if (r == 0) {
		*step = "make links";
		r = make_links(&b);
	}
	if (r == 0)
		r = place_rules(&b, step);
	if (r == 0) {
		*step = plan->work;
		r = plan->work ? bind_path(&b, plan->work, PATH_WRITE) : 0;
	}
	if (denies && b.blank >= 0)
		drop_blank(&b);
	if (r == 0 && plan->mount_proc) {
		*step = "mount /proc";
		r = plan->mount_proc(plan->ctx, b.new_root);
	}
	if (r == 0) {
		*step = "pivot_root";
		r = pivot(&b);
	}
	cleanup_fd(&b.blank);
	cleanup_fd(&b.new_root);
	return r;
}

int root_mount_proc(int new_root)
{
	char target[64];

	if (faccessat(new_root, "proc", F_OK, 0) < 0)
		return 0;
	snprintf(target, sizeof(target), "/proc/self/fd/%d/proc", new_root);
	return mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 ? -errno :
											   0;
}
