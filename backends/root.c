/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The root the program sees: a tmpfs over which the policy's paths are mounted, parents first, each
 * read-only or writable as its rule says, everything nosuid and nodev (device files excepted).
 * Where a rule grants "/" itself, the host's root takes the place of the tmpfs.
 * What is not in the policy does not exist there, so stat, chmod, extended attributes and
 * pathname sockets, which Landlock does not mediate, are closed as well.
 *
 * Runs in the warden, in its own mount namespace, before Landlock (a Landlock domain forbids
 * mounting). Must never leave the old root reachable: it is detached before this returns 0.
 */
#include "backends/root.h"

#include "backends/cleanup.h"
#include "backends/root_parts.h"
#include "backends/sys.h"
#include "shim/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* Places that are private to the session although a profile names them. */
static const struct {
	const char *path, *options; /* NULL: left empty here, root_mount_proc() */
} private_places[] = {
	{ "/tmp", "mode=1777" },
	{ "/dev/shm", "mode=1777" },
	{ "/proc", NULL },
};

/* What the kernel tells through /proc about the host rather than about the session's processes, and no
 * program needs; root could even read the kernel's memory there. The rest stays: node, java, python
 * and ps read cpuinfo, meminfo, stat and uptime, which the mount option subset=pid would hide. */
static const char *const masked_in_proc[] = {
	"/proc/acpi",	     "/proc/asound",	  "/proc/cmdline",  "/proc/config.gz",
	"/proc/kallsyms",    "/proc/kcore",	  "/proc/keys",	    "/proc/key-users",
	"/proc/kmsg",	     "/proc/kpagecgroup", "/proc/kpagecount", "/proc/kpageflags",
	"/proc/scsi",	     "/proc/sched_debug", "/proc/slabinfo", "/proc/sysrq-trigger",
	"/proc/timer_list",  "/proc/vmallocinfo",
};

static const struct {
	const char *name;
	mode_t mode;
} stand_ins[][2] = {
	[STAND_IN_DENIED] = { { "denied-file", S_IFREG }, { "denied-folder", S_IFDIR } },
	[STAND_IN_EMPTY] = { { "empty-file", S_IFREG | 0444 }, { "empty-folder", S_IFDIR | 0555 } },
	[STAND_IN_NOTHING] = { { "no-file", S_IFSOCK }, { "no-folder", S_IFDIR } },
};

/* --- paths of the new root --------------------------------------------------------------------- */

/* openat2() for a path below a root: "/" and "" are the root itself. */
static int open_in(int root, const char *path, uint64_t flags, uint64_t resolve)
{
	const char *below = *path ? path + 1 : path;
	int fd = sys_openat2(root, *below ? below : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC | flags,
			     resolve);

	return fd < 0 ? -errno : fd;
}

int root_open(const struct builder *b, const char *path)
{
	return open_in(b->new_root, path, 0, SYS_RESOLVE_NO_SYMLINKS);
}

/* Steps down to the folder above `path`, making what is missing. Descriptor or -errno. */
static int make_folders(const struct builder *b, const char *path)
{
	_cleanup_fd_ int at = root_open(b, "");
	const char *from = path + 1, *slash;

	for (; at >= 0 && (slash = strchr(from, '/')); from = slash + 1) {
		char name[NAME_MAX + 1];
		size_t length = (size_t)(slash - from);
		int next;

		if (length >= sizeof(name))
			return -ENAMETOOLONG;
		memcpy(name, from, length);
		name[length] = 0;
		if (mkdirat(at, name, 0755) < 0 && errno != EEXIST)
			return -errno;
		next = openat(at, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
		if (next < 0)
			return -errno;
		cleanup_fd(&at);
		at = next;
	}
	return take_fd(&at);
}

static int open_parent(const struct builder *b, const char *path)
{
	char parent[PATH_MAX];
	size_t length = (size_t)(strrchr(path, '/') - path);
	int fd;

	if (length >= sizeof(parent))
		return -ENAMETOOLONG;
	memcpy(parent, path, length);
	parent[length] = 0;
	fd = open_in(b->new_root, parent, O_DIRECTORY, SYS_RESOLVE_NO_SYMLINKS);
	return fd == -ENOENT ? make_folders(b, path) : fd;
}

/* Nothing is made in what is the host's: EROFS or EEXIST tell that it is. A place for a file is one more
 * name of the empty stand-in, which costs a fraction of one more file; in another file system it is one. */
static int make_target(const struct builder *b, int parent, const char *name, bool is_dir)
{
	int r = is_dir ? mkdirat(parent, name, 0755) :
			 linkat(b->blank, stand_ins[STAND_IN_EMPTY][0].name, parent, name, 0);

	if (r < 0 && errno == EXDEV)
		r = mknodat(parent, name, S_IFREG | 0444, 0);
	return r < 0 && errno != EEXIST ? -errno : 0;
}

/* Moves a detached tree to its path, making the place for it. */
static int put_tree(const struct builder *b, int tree, const char *path, bool is_dir)
{
	_cleanup_fd_ int parent = open_parent(b, path);
	const char *name = strrchr(path, '/') + 1;
	int r = parent < 0 ? parent : make_target(b, parent, name, is_dir);

	if (r < 0)
		return r;
	return sys_move_mount(tree, parent, name) < 0 ? -errno : 0;
}

/* --- mounts ------------------------------------------------------------------------------------ */

static int clone_tree(int fd, unsigned flags)
{
	int tree = sys_open_tree(fd, "",
				 SYS_OPEN_TREE_CLONE | SYS_OPEN_TREE_CLOEXEC | SYS_AT_EMPTY_PATH |
					 flags);

	return tree < 0 ? -errno : tree;
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

/* A copy of the host's tree at `path`, not yet mounted. The path was resolved when the policy was read: a
 * link in it is newer than that. Descriptor or -errno. */
static int copy_host_tree(const char *path, unsigned rights, bool *is_dir)
{
	_cleanup_fd_ int fd = sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC,
					  SYS_RESOLVE_NO_SYMLINKS);
	_cleanup_fd_ int tree = -1;
	struct sys_mount_attr attr = { 0 };
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	*is_dir = S_ISDIR(st.st_mode);
	attr.attr_set = attributes_for(path, rights, *is_dir);
	tree = clone_tree(fd, SYS_AT_RECURSIVE);
	if (tree >= 0 && sys_mount_setattr(tree, SYS_AT_RECURSIVE, &attr) < 0)
		return -errno;
	return take_fd(&tree);
}

static int bind_path(const struct builder *b, const char *path, unsigned rights)
{
	bool is_dir = false;
	_cleanup_fd_ int tree = copy_host_tree(path, rights, &is_dir);

	return tree < 0 ? tree : put_tree(b, tree, path, is_dir);
}

int root_pin(int target, bool read_only)
{
	struct sys_mount_attr attr = { .attr_set = SYS_MOUNT_ATTR_RDONLY };
	_cleanup_fd_ int tree = clone_tree(target, SYS_AT_RECURSIVE);

	if (tree < 0)
		return tree;
	if (read_only && sys_mount_setattr(tree, SYS_AT_RECURSIVE, &attr) < 0)
		return -errno;
	return sys_move_mount_over(tree, target) < 0 ? -errno : 0;
}

/* A folder that can be walked through, not listed, for the allowed paths below a denied one. */
static int fresh_folder(const struct builder *b)
{
	for (unsigned i = 0; i < 1u << 20; i++) {
		char name[32];

		snprintf(name, sizeof(name), "reopened-%u", i);
		if (mkdirat(b->blank, name, 0111) == 0)
			return openat(b->blank, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (errno != EEXIST)
			return -errno;
	}
	return -ENOSPC;
}

int root_cover(const struct builder *b, int target, enum stand_in kind)
{
	struct sys_mount_attr attr = { .attr_set = SYS_MOUNT_ATTR_NOSUID | SYS_MOUNT_ATTR_NODEV |
						   SYS_MOUNT_ATTR_NOEXEC | SYS_MOUNT_ATTR_RDONLY };
	_cleanup_fd_ int source = -1, tree = -1;
	struct stat st;

	if (fstat(target, &st) < 0)
		return -errno;
	if (kind == STAND_IN_REOPENED && !S_ISDIR(st.st_mode))
		kind = STAND_IN_DENIED;
	source = kind == STAND_IN_REOPENED ?
			 fresh_folder(b) :
			 openat(b->blank, stand_ins[kind][S_ISDIR(st.st_mode)].name,
				O_PATH | O_CLOEXEC);
	if (source < 0)
		return -errno;
	if (kind == STAND_IN_REOPENED)
		attr.attr_set = SYS_MOUNT_ATTR_NOSUID | SYS_MOUNT_ATTR_NODEV;
	tree = clone_tree(source, 0);
	if (tree < 0)
		return tree;
	if (sys_mount_setattr(tree, 0, &attr) < 0)
		return -errno;
	return sys_move_mount_over(tree, target) < 0 ? -errno : 0;
}

/* A file system of our own at `path` in the new root. */
static int mount_private(const struct builder *b, const char *path, const char *options)
{
	_cleanup_fd_ int parent = open_parent(b, path);
	const char *name = strrchr(path, '/') + 1;
	char target[64];
	int r;

	if (parent < 0)
		return parent;
	r = b->is_host_root ? 0 : make_target(b, parent, name, true);
	if (r < 0 || !options)
		return r;
	snprintf(target, sizeof(target), "/proc/self/fd/%d/%s", parent, name);
	r = mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0 ? -errno : 0;
	return r == -ENOENT && b->is_host_root ? 0 : r;
}

/* --- rules ------------------------------------------------------------------------------------- */

/* The name by which the author knows a path stays usable: a link to where it really is. Never where there
 * is anything already: that is the host's. */
static void link_written(const struct builder *b, const struct path_rule *rule)
{
	_cleanup_fd_ int there = -1, parent = -1;

	if (rule_takes_away(rule) || b->is_host_root || rule->written[0] != '/' ||
	    strcmp(rule->written, rule->path) == 0 || strstr(rule->written, "/.") ||
	    strlen(rule->written) >= PATH_MAX)
		return;
	there = open_in(b->new_root, rule->written, 0, SYS_RESOLVE_IN_ROOT);
	if (there != -ENOENT)
		return;
	parent = open_parent(b, rule->written);
	if (parent >= 0)
		(void)!symlinkat(rule->path, parent, strrchr(rule->written, '/') + 1);
}

static int private_place(const struct path_rule *rule)
{
	size_t i = 0;

	while (strcmp(private_places[i].path, rule->path) != 0)
		i++;
	return (int)i;
}

/* A denied or protected path in a private place is made there, so that the program cannot. */
static int make_in_private_place(const struct builder *b, size_t i)
{
	const struct rule_node *node = &b->tree.nodes[i];
	_cleanup_fd_ int parent = -1;
	struct stat st;
	bool is_dir;

	if (node->above == RULE_NONE ||
	    !rule_is_private_place(b->tree.nodes[node->above].rule) ||
	    !private_places[private_place(b->tree.nodes[node->above].rule)].options)
		return 0;
	is_dir = lstat(node->rule->path, &st) == 0 && S_ISDIR(st.st_mode);
	parent = open_parent(b, node->rule->path);
	return parent < 0 ? parent :
			    make_target(b, parent, strrchr(node->rule->path, '/') + 1, is_dir);
}

static int place_guard(const struct builder *b, size_t i)
{
	const struct path_rule *rule = b->tree.nodes[i].rule;
	unsigned granted = rule->rights & (PATH_READ | PATH_WRITE | PATH_EXEC);
	int r;

	/* Granted and protected at once, outside of everything granted. */
	if (!(rule->rights & PATH_DENY) && granted && !rule_tree_is_guard(&b->tree, i))
		return bind_path(b, rule->path, granted & ~(unsigned)PATH_WRITE);
	r = make_in_private_place(b, i);
	return r < 0 ? r : root_guard(b, i);
}

static int place_rule(const struct builder *b, size_t i)
{
	const struct path_rule *rule = b->tree.nodes[i].rule;
	int r;

	if (b->tree.nodes[i].redundant || (i == 0 && b->is_host_root))
		return 0;
	if (rule_takes_away(rule))
		return place_guard(b, i);
	if (rule_is_private_place(rule))
		return mount_private(b, rule->path, private_places[private_place(rule)].options);
	r = root_hold_parents(b, i);
	if (r == 0)
		r = bind_path(b, rule->path, rule->rights);
	return r == -ENOENT && (rule->rights & PATH_OPTIONAL) ? 0 : r;
}

/* The folders that stand for denied ones were left writable to make places in them. */
static int seal_reopened(const struct builder *b)
{
	struct sys_mount_attr read_only = { .attr_set = SYS_MOUNT_ATTR_RDONLY };

	for (size_t i = 0; i < b->tree.count; i++) {
		_cleanup_fd_ int fd = -1;

		if (!b->tree.nodes[i].reopened)
			continue;
		fd = root_open(b, b->tree.nodes[i].rule->path);
		if (fd >= 0 && sys_mount_setattr(fd, 0, &read_only) < 0)
			return -errno;
	}
	return 0;
}

static int place_rules(const struct builder *b, const char **failed)
{
	for (size_t i = 0; i < b->tree.count; i++) {
		int r = place_rule(b, i);

		if (r < 0) {
			*failed = b->tree.nodes[i].rule->path;
			return r;
		}
	}
	for (size_t i = 0; i < b->tree.count; i++)
		link_written(b, b->tree.nodes[i].rule);
	return 0;
}

/* --- the whole --------------------------------------------------------------------------------- */

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

	if (b->is_host_root)
		return 0;
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

/* The stand-ins: on the new root's own tmpfs, without a name there once all is mounted. */
static int make_blank(struct builder *b)
{
	if (mkdirat(b->new_root, ".blank", 0700) < 0)
		return -errno;
	b->blank = openat(b->new_root, ".blank", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (b->blank < 0)
		return -errno;
	for (int kind = STAND_IN_DENIED; kind <= STAND_IN_NOTHING; kind++) {
		if (mknodat(b->blank, stand_ins[kind][0].name, stand_ins[kind][0].mode, 0) < 0)
			return -errno;
		if (mkdirat(b->blank, stand_ins[kind][1].name, stand_ins[kind][1].mode & 07777) < 0)
			return -errno;
	}
	return 0;
}

/* Mounted stand-ins keep their files alive; the names can go. A reopened folder keeps its own, in a folder
 * nobody can look into. */
static void drop_blank(const struct builder *b, int base)
{
	if (b->blank < 0)
		return;
	for (int kind = STAND_IN_DENIED; kind <= STAND_IN_NOTHING; kind++) {
		(void)unlinkat(b->blank, stand_ins[kind][0].name, 0);
		(void)unlinkat(b->blank, stand_ins[kind][1].name, AT_REMOVEDIR);
	}
	if (unlinkat(base, ".blank", AT_REMOVEDIR) < 0)
		(void)!fchmodat(base, ".blank", 0, 0);
}

static int mask_proc(const struct builder *b)
{
	for (size_t i = 0; i < sizeof(masked_in_proc) / sizeof(*masked_in_proc); i++) {
		_cleanup_fd_ int fd = root_open(b, masked_in_proc[i]);
		int r = fd < 0 ? 0 : root_cover(b, fd, STAND_IN_EMPTY);

		if (r < 0)
			return r;
	}
	return 0;
}

/* From here on the old root is gone. */
static int pivot(const struct builder *b)
{
	struct sys_mount_attr read_only = { .attr_set = SYS_MOUNT_ATTR_RDONLY };

	if (!b->is_writable && sys_mount_setattr(b->new_root, 0, &read_only) < 0)
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
	return b->new_root < 0 ? -errno : make_blank(b);
}

/* A rule for "/": the host's tree over the tmpfs, whose stand-ins stay reachable by descriptor. */
static int take_host_root(struct builder *b, int host)
{
	unsigned rights = b->tree.nodes[0].rule->rights;
	int fd;

	if (sys_move_mount_over(host, b->new_root) < 0)
		return -errno;
	fd = open(b->plan->mount_point, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	cleanup_fd(&b->new_root);
	b->new_root = fd;
	b->is_host_root = true;
	b->is_writable = rights & PATH_WRITE;
	return 0;
}

static bool grants_host_root(const struct rule_tree *t)
{
	return t->count && !t->nodes[0].rule->path[1] && !rule_takes_away(t->nodes[0].rule);
}

bool root_is_hosts(const struct policy *policy)
{
	for (size_t i = 0; i < policy->path_count; i++)
		if (!policy->paths[i].path[1] && !rule_takes_away(&policy->paths[i]))
			return true;
	return false;
}

static int bind_room(const struct builder *b, const struct room_plan *room)
{
	char ring[PATH_MAX];
	int r = bind_path(b, room->folder, PATH_READ);

	if (snprintf(ring, sizeof(ring), "%s/" RING_FILE_NAME, room->folder) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (r == 0)
		r = bind_path(b, ring, PATH_READ | PATH_WRITE);
	return r < 0 ? r : bind_path(b, room->shim, PATH_READ);
}

static int lay_ground(struct builder *b, int *base)
{
	bool is_dir;
	_cleanup_fd_ int host = -1;
	int r;

	if (grants_host_root(&b->tree)) {
		host = copy_host_tree("/", b->tree.nodes[0].rule->rights, &is_dir);
		if (host < 0)
			return host;
	}
	r = open_new_root(b);
	if (r == 0)
		*base = fcntl(b->new_root, F_DUPFD_CLOEXEC, 3);
	if (r == 0 && *base < 0)
		r = -errno;
	return r == 0 && host >= 0 ? take_host_root(b, host) : r;
}

static int furnish(struct builder *b, int base, const char **step)
{
	const struct root_plan *plan = b->plan;
	int r;

	*step = "make links";
	r = make_links(b);
	if (r == 0)
		r = place_rules(b, step);
	if (r == 0)
		r = seal_reopened(b);
	if (r == 0) {
		*step = plan->work;
		r = plan->work ? bind_path(b, plan->work, PATH_WRITE) : 0;
	}
	if (r == 0 && plan->mount_proc) {
		*step = "mount /proc";
		r = plan->mount_proc(plan->ctx, b->new_root);
	}
	if (r == 0) {
		*step = "mask /proc";
		r = mask_proc(b);
	}
	if (r == 0 && plan->room) {
		*step = "the shim's room";
		r = bind_room(b, plan->room);
	}
	if (r == 0 && plan->make_room)
		plan->make_room(plan->ctx, b->new_root);
	drop_blank(b, base);
	if (r == 0) {
		*step = "pivot_root";
		r = pivot(b);
	}
	return r;
}

int root_build(const struct root_plan *plan, const char **step)
{
	struct builder b = { .plan = plan, .new_root = -1, .blank = -1 };
	_cleanup_fd_ int base = -1;
	int r = rule_tree_make(&b.tree, plan->policy);

	*step = "mount a new root";
	if (r == 0)
		r = lay_ground(&b, &base);
	if (r == 0)
		r = furnish(&b, base, step);
	cleanup_fd(&b.blank);
	cleanup_fd(&b.new_root);
	rule_tree_free(&b.tree);
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
