/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What syscall(number, …) asks of the policy: the same questions as libc's names for
 * these calls.
 *
 * Runs inside the program. Only calls that can be refused are here; every other number is
 * jumped to. A program that makes the system call with its own instruction is not seen at
 * all: the walls are for that.
 */
#include "shim/raw_syscall.h"

#include "shim/exec.h"
#include "shim/raw.h"

#include <errno.h>
#include <linux/openat2.h>
#include <sched.h>

#define CWD  -1
#define NONE -1
#define RW   PATH_WRITE
#define MADE (ASK_NOFOLLOW | ASK_ENTRY)

/* number, subject, dir, what, flags, access, ask, jumps. Of two paths the second, where
 * it is made. */
static const struct raw_row rows[] = {
	{ SYS_openat, SUBJECT_PATH, 0, 1, 2, 0, 0, false },
	{ SYS_openat2, SUBJECT_PATH, 0, 1, 2, 0, 0, false },
	{ SYS_unlinkat, SUBJECT_PATH, 0, 1, NONE, RW, MADE, false },
	{ SYS_mkdirat, SUBJECT_PATH, 0, 1, NONE, RW, MADE, false },
	{ SYS_mknodat, SUBJECT_PATH, 0, 1, NONE, RW, MADE, false },
	{ SYS_symlinkat, SUBJECT_PATH, 1, 2, NONE, RW, MADE, false },
	{ SYS_linkat, SUBJECT_PATH, 2, 3, NONE, RW, MADE, false },
	{ SYS_renameat2, SUBJECT_PATH, 2, 3, NONE, RW, MADE, false },
	{ SYS_fchmodat, SUBJECT_PATH, 0, 1, NONE, RW, 0, false },
	{ SYS_fchownat, SUBJECT_PATH, 0, 1, 4, RW, 0, false },
	{ SYS_utimensat, SUBJECT_PATH, 0, 1, 3, RW, 0, false },
	{ SYS_truncate, SUBJECT_PATH, CWD, 0, NONE, RW, 0, false },
#ifdef SYS_open
	{ SYS_open, SUBJECT_PATH, CWD, 0, 1, 0, 0, false },
	{ SYS_creat, SUBJECT_PATH, CWD, 0, NONE, RW, ASK_NEW, false },
	{ SYS_unlink, SUBJECT_PATH, CWD, 0, NONE, RW, MADE, false },
	{ SYS_rmdir, SUBJECT_PATH, CWD, 0, NONE, RW, MADE, false },
	{ SYS_mkdir, SUBJECT_PATH, CWD, 0, NONE, RW, MADE, false },
	{ SYS_mknod, SUBJECT_PATH, CWD, 0, NONE, RW, MADE, false },
	{ SYS_symlink, SUBJECT_PATH, CWD, 1, NONE, RW, MADE, false },
	{ SYS_link, SUBJECT_PATH, CWD, 1, NONE, RW, MADE, false },
	{ SYS_rename, SUBJECT_PATH, CWD, 1, NONE, RW, MADE, false },
	{ SYS_renameat, SUBJECT_PATH, 2, 3, NONE, RW, MADE, false },
	{ SYS_chmod, SUBJECT_PATH, CWD, 0, NONE, RW, 0, false },
	{ SYS_chown, SUBJECT_PATH, CWD, 0, NONE, RW, 0, false },
	{ SYS_fork, SUBJECT_PROCESS, NONE, NONE, NONE, 0, 0, true },
	{ SYS_vfork, SUBJECT_PROCESS, NONE, NONE, NONE, 0, 0, true },
#endif
	{ SYS_clone, SUBJECT_PROCESS, NONE, NONE, 0, 0, 0, true },
	{ SYS_execve, SUBJECT_EXEC, CWD, 0, NONE, PATH_EXEC, 0, false },
	{ SYS_execveat, SUBJECT_EXEC, 0, 1, 4, PATH_EXEC, 0, false },
	{ SYS_socket, SUBJECT_FAMILY, 0, NONE, NONE, 0, 0, false },
	{ SYS_connect, SUBJECT_ADDRESS, NONE, 1, 2, NETWORK_CONNECT, 0, false },
	{ SYS_bind, SUBJECT_ADDRESS, NONE, 1, 2, NETWORK_BIND, 0, false },
	{ SYS_sendto, SUBJECT_ADDRESS, NONE, 4, 5, NETWORK_SEND, 0, false },
	{ SYS_sendmsg, SUBJECT_MESSAGE, NONE, 1, NONE, NETWORK_SEND, 0, false },
	{ SYS_kill, SUBJECT_SIGNAL, 0, NONE, NONE, 0, 0, false },
	{ SYS_tgkill, SUBJECT_SIGNAL, 0, NONE, NONE, 0, 0, false },
	{ SYS_ptrace, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_process_vm_readv, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_process_vm_writev, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_mount, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_umount2, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_pivot_root, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_chroot, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_unshare, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_setns, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_bpf, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_init_module, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
	{ SYS_finit_module, SUBJECT_SYSCALL, NONE, NONE, NONE, 0, 0, false },
};

const struct raw_row *raw_find(long number)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

/* openat2 has its flags in memory. */
static int flags_of(const struct raw_row *row, const long a[6])
{
	const struct open_how *how = (const void *)a[row->flags];

	if (row->number != SYS_openat2)
		return (int)a[row->flags];
	return raw_is_readable(how) ? (int)how->flags : 0;
}

static bool is_open(const struct raw_row *row)
{
	return row->subject == SUBJECT_PATH && !row->access;
}

static void ask_path(const struct raw_row *row, const long a[6], struct question *out)
{
	int flags = row->flags == NONE ? 0 : flags_of(row, a);

	out->number = row->dir == CWD ? AT_FDCWD : (int)a[row->dir];
	if (is_open(row)) {
		out->access = (uint8_t)ask_open_access(flags);
		out->flags = (uint16_t)ask_open_flags(flags);
		return;
	}
	if (row->flags != NONE)
		out->flags |= (uint16_t)ask_at_flags(flags);
}

bool raw_ask(const struct raw_row *row, const long a[6], struct question *out)
{
	*out = (struct question){ .subject = row->subject,
				  .access = row->access,
				  .flags = row->ask };
	if (row->what >= 0)
		out->what = (const void *)a[row->what];
	switch (row->subject) {
	case SUBJECT_PATH:
	case SUBJECT_EXEC:
		ask_path(row, a, out);
		return true;
	case SUBJECT_ADDRESS:
		out->length = (size_t)a[row->flags];
		return true;
	case SUBJECT_PROCESS:
		return row->flags == NONE || !(a[row->flags] & CLONE_THREAD);
	case SUBJECT_FAMILY:
	case SUBJECT_SIGNAL:
		out->number = (int)a[row->dir];
		return true;
	default:
		return true;
	}
}

long raw_go(long number, const long a[6], const struct call *call)
{
	long result;
	int error;

	if (call->ask->subject == SUBJECT_EXEC)
		return exec_by_number(number, a, call);
	error = call_before(call);
	if (error) {
		errno = error;
		return -1;
	}
	result = raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	error = raw_is_error(result) ? (int)-result : 0;
	call_after(call, error);
	if (!error)
		return result;
	errno = error;
	return -1;
}
