/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking at a file because a program named it: what it executed, what it had loaded, what it asked for.
 * Runs in the launcher, which may see more than the program and must never be led to show it: only what
 * the policy lets the program read is opened, after all links; and opening must do nothing (a device
 * acts when it is opened, a FIFO waits), so a file is held by O_PATH until it is known to be regular.
 */
#include "launcher/program_file.h"

#include "backends/cleanup.h"
#include "backends/sys.h"
#include "launcher/look.h"
#include "policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX (1ll << 30)

/* A place of the session's own is not the host's of that name. */
static bool is_within(const struct program_files *files, const char *real)
{
	uint32_t rule;

	if (files->anywhere)
		return true;
	return (policy_path_rights(files->block, real, &rule) & (PATH_READ | PATH_EXEC)) &&
	       !look_is_private(files->block, rule);
}

int program_file_open(const struct program_files *files, const char *path)
{
	_cleanup_fd_ int place = -1;
	char real[PATH_MAX], name[48];
	struct stat st;
	int fd;

	if (path[0] != '/' || !realpath(path, real))
		return path[0] == '/' ? -errno : -EINVAL;
	if (!is_within(files, real))
		return -EACCES;
	place = sys_openat2(AT_FDCWD, real, O_PATH | O_CLOEXEC, SYS_RESOLVE_NO_SYMLINKS);
	if (place < 0 || fstat(place, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX)
		return -EINVAL;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

bool program_file_exists(const char *path)
{
	struct stat st;

	return path[0] == '/' &&
	       fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
}
