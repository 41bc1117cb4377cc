/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Landlock rulesets. The tables come from landlock(7) and the kernel's uapi header; system headers
 * are often older than the kernel, so the constants are our own.
 *
 * Runs in the launcher (probe) and in the warden before it lets programs start. Must never
 * grant more than a rule's rights: what Landlock cannot take away below a grant (deny, protect,
 * read below write) is the mount namespace's work, and native.c refuses such a policy without it.
 */
#include "backends/landlock.h"

#include "backends/cleanup.h"
#include "backends/rule_tree.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9,
	FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,
	FS_RESOLVE_UNIX = 1 << 16
};

enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1, NET_UDP_ALL = 7 << 2 };
enum { SCOPE_ABSTRACT_UNIX = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

/* What each ABI adds to the one before; rows 7 and 8 add flags, not rights. */
static const struct {
	uint64_t fs, net, scoped;
} abi_adds[LANDLOCK_ABI_KNOWN + 1] = {
	[1] = { .fs = (1 << 13) - 1 },
	[2] = { .fs = FS_REFER },
	[3] = { .fs = FS_TRUNCATE },
	[4] = { .net = NET_BIND_TCP | NET_CONNECT_TCP },
	[5] = { .fs = FS_IOCTL_DEV },
	[6] = { .scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL },
	[9] = { .fs = FS_RESOLVE_UNIX },
	[10] = { .net = NET_UDP_ALL },
};

/* PATH_… to Landlock rights; the second column counts only for folders. */
static const struct {
	unsigned path_right;
	uint64_t any, dir;
} grants[] = {
	{ PATH_READ, FS_READ_FILE, FS_READ_DIR },
	{ PATH_EXEC, FS_EXECUTE, 0 },
	{ PATH_WRITE, FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV | FS_RESOLVE_UNIX,
	  FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SOCK |
		  FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER },
};

int landlock_abi(void)
{
	int abi = sys_landlock_create(NULL, 0, 1u /* LANDLOCK_CREATE_RULESET_VERSION */);

	return abi < 0 ? -errno : abi;
}

struct landlock_set landlock_set_for(int abi, enum network_mode network)
{
	struct landlock_set set = { 0 };

	set.abi = abi > LANDLOCK_ABI_KNOWN ? LANDLOCK_ABI_KNOWN : abi;
	for (int i = 1; i <= set.abi; i++) {
		set.fs |= abi_adds[i].fs;
		set.net |= abi_adds[i].net;
		set.scoped |= abi_adds[i].scoped;
	}
	if (network == NETWORK_HOST)
		set.net = 0;
	return set;
}

uint64_t landlock_rights(const struct landlock_set *set, unsigned path_rights, bool is_dir)
{
	uint64_t rights = 0;

	for (size_t i = 0; i < sizeof(grants) / sizeof(*grants); i++) {
		if (!(path_rights & grants[i].path_right))
			continue;
		rights |= grants[i].any;
		if (is_dir)
			rights |= grants[i].dir;
	}
	return rights & set->fs;
}

/* The attribute struct grew with the ABI: an older kernel refuses a longer one with E2BIG only
 * where the tail is not zero, so the full size is always right. */
static int create(const struct landlock_set *set)
{
	struct sys_landlock_ruleset attr = {
		.handled_fs = set->fs,
		.handled_net = set->net,
		.scoped = set->scoped,
	};
	int fd = sys_landlock_create(&attr, sizeof(attr), 0);

	return fd < 0 ? -errno : fd;
}

int landlock_create(int abi, enum network_mode network, struct landlock_set *set)
{
	for (int row = abi; row >= 1; row--) {
		int fd;

		*set = landlock_set_for(row, network);
		row = set->abi;
		fd = create(set);
		set->retried = row < (abi > LANDLOCK_ABI_KNOWN ? LANDLOCK_ABI_KNOWN : abi);
		if (fd != -EINVAL)
			return fd;
	}
	return -EINVAL;
}

int landlock_grant(int ruleset, const struct landlock_set *set, int fd, unsigned path_rights)
{
	struct sys_landlock_path rule = { .parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	rule.allowed = landlock_rights(set, path_rights, S_ISDIR(st.st_mode));
	if (!rule.allowed)
		return 0;
	return sys_landlock_add_path(ruleset, &rule) < 0 ? -errno : 0;
}

int landlock_grant_in_place(int ruleset, const struct landlock_set *set, int fd)
{
	struct sys_landlock_path rule = { .allowed = (FS_READ_FILE | FS_WRITE_FILE) & set->fs,
					  .parent_fd = fd };

	return sys_landlock_add_path(ruleset, &rule) < 0 ? -errno : 0;
}

/* A right covers all below, but in a root of our own there is nothing else to list: what is not the
 * policy's are folders that lead to it, and stand-ins that are empty. */
static int grant_listing(int ruleset, const struct landlock_set *set)
{
	_cleanup_fd_ int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sys_landlock_path rule = { .allowed = FS_READ_DIR & set->fs, .parent_fd = fd };

	if (fd < 0)
		return -errno;
	return sys_landlock_add_path(ruleset, &rule) < 0 ? -errno : 0;
}

int landlock_grant_policy(int ruleset, const struct landlock_set *set, const struct policy *p,
			  bool own_root)
{
	for (size_t i = 0; i < p->path_count; i++) {
		const struct path_rule *rule = &p->paths[i];
		_cleanup_fd_ int fd = -1;
		int r;

		unsigned rights = rule->rights;

		if (rights & PATH_PROTECT)
			rights &= ~(unsigned)PATH_WRITE;
		if (rights & PATH_DENY || !(rights & (PATH_READ | PATH_WRITE | PATH_EXEC)))
			continue;
		/* A profile's /tmp means a private one: the host's is not granted in its place. */
		if (!own_root && rule_is_private_place(rule) && strcmp(rule->path, "/proc"))
			continue;
		fd = open(rule->path, O_PATH | O_CLOEXEC);
		if (fd < 0 && (rule->rights & PATH_OPTIONAL))
			continue;
		if (fd < 0)
			return -errno;
		r = landlock_grant(ruleset, set, fd, rights);
		if (r < 0)
			return r;
	}
	return own_root ? grant_listing(ruleset, set) : 0;
}

int landlock_enter(int ruleset)
{
	return sys_landlock_restrict(ruleset) < 0 ? -errno : 0;
}

int landlock_create_signal_scope(int abi)
{
	struct landlock_set set = { .scoped = SCOPE_SIGNAL };

	return abi < LANDLOCK_ABI_SIGNALS ? -EOPNOTSUPP : create(&set);
}
