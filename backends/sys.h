/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Raw system calls that libc lacks or wraps too thickly; nobody else writes `syscall(`.
 * Safe in a forked child: nothing here allocates or locks. -1 and errno on failure, as libc.
 */
#pragma once

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Numbers that are the same on every architecture; older headers lack some. */
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define SYS_OPEN_TREE_CLONE 1u
#define SYS_OPEN_TREE_CLOEXEC 02000000u
#define SYS_AT_RECURSIVE 0x8000u
#define SYS_AT_EMPTY_PATH 0x1000u
#define SYS_MOVE_MOUNT_F_EMPTY_PATH 0x4u
#define SYS_MOVE_MOUNT_T_EMPTY_PATH 0x40u
#define SYS_RESOLVE_NO_SYMLINKS 0x4u
#define SYS_RESOLVE_IN_ROOT 0x10u
#define SYS_MOUNT_ATTR_RDONLY 0x1u
#define SYS_MOUNT_ATTR_NOSUID 0x2u
#define SYS_MOUNT_ATTR_NODEV 0x4u
#define SYS_MOUNT_ATTR_NOEXEC 0x8u

struct sys_mount_attr {
	uint64_t attr_set, attr_clr, propagation, userns_fd;
};

struct sys_landlock_ruleset {
	uint64_t handled_fs, handled_net, scoped;
};

struct sys_landlock_path {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

static inline int sys_open_tree(int dir, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, dir, path, flags);
}

static inline int sys_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	const struct {
		uint64_t flags, mode, resolve;
	} how = { flags, flags & O_CREAT ? 0644 : 0, resolve };

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* Mounts a detached tree over what the second descriptor is. */
static inline int sys_move_mount_over(int from, int to)
{
	return (int)syscall(SYS_move_mount, from, "", to, "",
			    SYS_MOVE_MOUNT_F_EMPTY_PATH | SYS_MOVE_MOUNT_T_EMPTY_PATH);
}

static inline int sys_move_mount(int from, int to_dir, const char *to)
{
	return (int)syscall(SYS_move_mount, from, "", to_dir, to, SYS_MOVE_MOUNT_F_EMPTY_PATH);
}

static inline int sys_mount_setattr(int fd, unsigned flags, struct sys_mount_attr *attr)
{
	return (int)syscall(SYS_mount_setattr, fd, "", flags | SYS_AT_EMPTY_PATH, attr,
			    sizeof(*attr));
}

static inline int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline int sys_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0u);
}

static inline int sys_landlock_create(const struct sys_landlock_ruleset *attr, size_t size,
				      unsigned flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

static inline int sys_landlock_add_path(int ruleset, const struct sys_landlock_path *rule)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset, 1, rule, 0u);
}

static inline int sys_landlock_restrict(int ruleset)
{
	return (int)syscall(SYS_landlock_restrict_self, ruleset, 0u);
}

static inline int sys_seccomp_filter(const void *program)
{
	return (int)syscall(SYS_seccomp, 1u /* SECCOMP_SET_MODE_FILTER */, 0u, program);
}

#define SYS_SECCOMP_WAIT_KILLABLE 0x20u /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, Linux 5.19 */

/* The filter, and the descriptor that is told of what it returns USER_NOTIF for. */
static inline int sys_seccomp_listener(const void *program, unsigned flags)
{
	return (int)syscall(SYS_seccomp, 1u /* SECCOMP_SET_MODE_FILTER */,
			    0x8u /* …_FLAG_NEW_LISTENER */ | flags, program);
}

static inline int sys_execveat(int dir, const char *path, char *const argv[], char *const envp[],
			       int flags)
{
	return (int)syscall(SYS_execveat, dir, path, argv, envp, flags);
}

static inline int sys_close_range(unsigned first, unsigned last)
{
	return (int)syscall(436, first, last, 0u);
}

static inline int sys_capset(const void *header, const void *data)
{
	return (int)syscall(SYS_capset, header, data);
}

/* fork() whose child is born in the control group behind this descriptor (Linux 5.7; -1 = ours). The child's
 * number, as the caller's namespace has it, stands in *pid before the child runs. */
static inline pid_t sys_fork_into(int cgroup, pid_t *pid)
{
	struct clone_args args = { .flags = CLONE_PARENT_SETTID,
				   .exit_signal = SIGCHLD,
				   .parent_tid = (uint64_t)(uintptr_t)pid };

	if (cgroup >= 0) {
		args.flags |= 0x200000000ull; /* CLONE_INTO_CGROUP */
		args.cgroup = (uint64_t)cgroup;
	}
	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

/* Sleeps while *word is `value`; the word may be shared between processes. */
static inline int sys_futex_wait(const void *word, uint32_t value)
{
	return (int)syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static inline int sys_futex_wake(const void *word)
{
	return (int)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Counts one thread on whatever processor it runs. */
static inline int sys_perf_event_open(struct perf_event_attr *attr, pid_t tid)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Every signal's default action, the two that libc keeps for itself (and will not reset) included. */
static inline void sys_default_signals(void)
{
	const unsigned long nothing[4] = { 0 }; /* struct kernel_sigaction: SIG_DFL, no flags */

	for (int signal = 1; signal <= 64; signal++)
		(void)syscall(SYS_rt_sigaction, signal, nothing, NULL, 8ul);
}

static inline pid_t sys_getpid(void)
{
	return (pid_t)syscall(SYS_getpid);
}
