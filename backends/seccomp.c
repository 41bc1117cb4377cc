/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The seccomp filter: what Landlock and the namespaces do not mediate.
 *
 * Shape: everything is allowed that this file does not name; calls newer than the newest it
 * knows answer ENOSYS, so that libc falls back instead of dying; foreign ABIs are killed. The
 * tables say which call is refused with which errno. Sockets are the other way round: only the
 * listed (domain, type, protocol) exist.
 *
 * Compiled in the launcher, loaded in the child. Must never dereference pointers' meaning: a
 * filter sees registers only, so nothing here may rest on memory of the program.
 */
#include "backends/seccomp.h"

#include "backends/cleanup.h"
#include "backends/sys.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* The newest system call known when this was written; above it: ENOSYS. */
#define NEWEST_KNOWN 470

#define MSG_FASTOPEN_BIT 0x20000000u
#define SOCK_TYPE_MASK 0xfu
#define TIOCSTI_REQUEST 0x5412u
#define TIOCLINUX_REQUEST 0x541cu
#define TIOCSETD_REQUEST 0x5423u
struct refusal {
	const char *name;
	int error;
};

/* ENOSYS where libraries probe and fall back; EPERM where a program should hear "no". */
static const struct refusal always[] = {
	{ "io_uring_setup", ENOSYS },    { "io_uring_enter", ENOSYS },
	{ "io_uring_register", ENOSYS }, { "ptrace", EPERM },
	{ "process_vm_readv", EPERM },   { "process_vm_writev", EPERM },
	{ "process_madvise", EPERM },    { "process_mrelease", EPERM },
	{ "kcmp", EPERM },               { "pidfd_getfd", EPERM },
	{ "add_key", ENOSYS },           { "request_key", ENOSYS },
	{ "keyctl", ENOSYS },            { "userfaultfd", ENOSYS },
	{ "perf_event_open", ENOSYS },   { "bpf", EPERM },
	{ "mount", EPERM },              { "umount2", EPERM },
	{ "umount", EPERM },             { "pivot_root", EPERM },
	{ "chroot", EPERM },             { "fsopen", EPERM },
	{ "fsconfig", EPERM },           { "fsmount", EPERM },
	{ "fspick", EPERM },             { "open_tree", EPERM },
	{ "open_tree_attr", EPERM },     { "move_mount", EPERM },
	{ "mount_setattr", EPERM },      { "statmount", EPERM },
	{ "listmount", EPERM },          { "setns", EPERM },
	{ "unshare", EPERM },            { "init_module", EPERM },
	{ "finit_module", EPERM },       { "delete_module", EPERM },
	{ "create_module", ENOSYS },     { "kexec_load", EPERM },
	{ "kexec_file_load", EPERM },    { "reboot", EPERM },
	{ "swapon", EPERM },             { "swapoff", EPERM },
	{ "acct", EPERM },               { "settimeofday", EPERM },
	{ "clock_settime", EPERM },      { "clock_adjtime", EPERM },
	{ "adjtimex", EPERM },           { "stime", EPERM },
	{ "sethostname", EPERM },        { "setdomainname", EPERM },
	{ "quotactl", EPERM },           { "quotactl_fd", EPERM },
	{ "syslog", EPERM },             { "open_by_handle_at", EPERM },
	{ "name_to_handle_at", EPERM },  { "lookup_dcookie", EPERM },
	{ "fanotify_init", EPERM },      { "fanotify_mark", EPERM },
	{ "iopl", EPERM },               { "ioperm", EPERM },
	{ "modify_ldt", EPERM },         { "vhangup", EPERM },
	{ "vm86", ENOSYS },              { "vm86old", ENOSYS },
	{ "uselib", ENOSYS },            { "_sysctl", ENOSYS },
	{ "nfsservctl", ENOSYS },        { "move_pages", EPERM },
	{ "migrate_pages", EPERM },      { "mbind", EPERM },
	{ "set_mempolicy", EPERM },      { "set_mempolicy_home_node", EPERM },
	{ "memfd_secret", ENOSYS },      { "mq_open", ENOSYS },
	{ "clone3", ENOSYS },            { "landlock_create_ruleset", EOPNOTSUPP },
	{ "lsm_set_self_attr", EPERM },  { "map_shadow_stack", ENOSYS },
	{ "vmsplice", EPERM },           { "ustat", EPERM },
	{ "sysfs", EPERM },              { "setxattrat", ENOSYS },
};

/* Where the program may not create processes. vfork and fork have no threads among them. */
static const struct refusal without_processes[] = {
	{ "fork", EPERM },
	{ "vfork", EPERM },
	{ "tkill", EPERM },
	{ "pidfd_send_signal", EPERM },
	{ "rt_sigqueueinfo", EPERM },
	{ "shmget", EPERM },
	{ "semget", EPERM },
	{ "msgget", EPERM },
	{ "execveat", EPERM },
	{ "memfd_create", EPERM },
};

struct socket_row {
	int domain;
	uint32_t type; /* under SOCK_TYPE_MASK */
	int protocol;  /* -1 = any */
};

static const struct socket_row unix_sockets[] = {
	{ AF_UNIX, SOCK_STREAM, -1 },
	{ AF_UNIX, SOCK_DGRAM, -1 },
	{ AF_UNIX, SOCK_SEQPACKET, -1 },
};

static const struct socket_row inet_sockets[] = {
	{ AF_INET, SOCK_STREAM, 0 },  { AF_INET, SOCK_STREAM, 6 },
	{ AF_INET, SOCK_DGRAM, 0 },   { AF_INET, SOCK_DGRAM, 17 },
	{ AF_INET6, SOCK_STREAM, 0 }, { AF_INET6, SOCK_STREAM, 6 },
	{ AF_INET6, SOCK_DGRAM, 0 },  { AF_INET6, SOCK_DGRAM, 17 },
	{ AF_NETLINK, SOCK_RAW, 0 },  { AF_NETLINK, SOCK_DGRAM, 0 },
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static int refuse_table(scmp_filter_ctx ctx, const struct refusal *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int nr = seccomp_syscall_resolve_name(rows[i].name);
		int r;

		if (nr < 0)
			continue; /* this architecture, or this libseccomp, has no such call */
		r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(rows[i].error), nr, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool has_row(const struct socket_row *rows, size_t count, int domain, int type)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].domain == domain && (type < 0 || rows[i].type == (uint32_t)type))
			return true;
	return false;
}

/* The protocols listed for one (domain, type) as a bit set; all ones where any will do. */
static uint32_t listed_protocols(const struct socket_row *rows, size_t count, int domain,
				 uint32_t type)
{
	uint32_t listed = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].domain == domain && rows[i].type == type)
			listed |= rows[i].protocol < 0 ? UINT32_MAX : 1u << rows[i].protocol;
	return listed;
}

/* Refuses every protocol of (domain, type) but the listed; numbers above 31 are never listed. */
static int refuse_protocols(scmp_filter_ctx ctx, int domain, uint32_t type, uint32_t listed)
{
	for (uint32_t protocol = 0; listed != UINT32_MAX && protocol <= 32; protocol++) {
		enum scmp_compare how = protocol == 32 ? SCMP_CMP_GE : SCMP_CMP_EQ;
		int r;

		if (protocol < 32 && (listed & (1u << protocol)))
			continue;
		r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPROTONOSUPPORT), SCMP_SYS(socket), 3,
				     SCMP_A0_32(SCMP_CMP_EQ, (uint32_t)domain, 0),
				     SCMP_A1_32(SCMP_CMP_MASKED_EQ, SOCK_TYPE_MASK, type),
				     SCMP_A2_32(how, protocol, 0));
		if (r < 0)
			return r;
	}
	return 0;
}

static int refuse_types(scmp_filter_ctx ctx, const struct socket_row *rows, size_t count,
			int domain)
{
	for (uint32_t type = 0; type <= SOCK_TYPE_MASK; type++) {
		int r;

		if (has_row(rows, count, domain, (int)type))
			r = refuse_protocols(ctx, domain, type,
					     listed_protocols(rows, count, domain, type));
		else
			r = seccomp_rule_add(
				ctx, SCMP_ACT_ERRNO(EPROTONOSUPPORT), SCMP_SYS(socket), 2,
				SCMP_A0_32(SCMP_CMP_EQ, (uint32_t)domain, 0),
				SCMP_A1_32(SCMP_CMP_MASKED_EQ, SOCK_TYPE_MASK, type));
		if (r < 0)
			return r;
	}
	return 0;
}

/* socket() exists only for the rows: every other domain, type and protocol is refused. */
static int allow_sockets(scmp_filter_ctx ctx, const struct socket_row *rows, size_t count)
{
	int highest = AF_UNSPEC, r;

	for (size_t i = 0; i < count; i++)
		highest = rows[i].domain > highest ? rows[i].domain : highest;
	for (int domain = 0; domain <= highest; domain++) {
		r = has_row(rows, count, domain, -1) ?
			    refuse_types(ctx, rows, count, domain) :
			    seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
					     SCMP_A0_32(SCMP_CMP_EQ, (uint32_t)domain, 0));
		if (r < 0)
			return r;
	}
	return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
				SCMP_A0_32(SCMP_CMP_GT, (uint32_t)highest, 0));
}

static int allow_wished_sockets(scmp_filter_ctx ctx, const struct seccomp_wish *wish)
{
	struct socket_row rows[COUNT(unix_sockets) + COUNT(inet_sockets)];
	size_t count = 0;

	for (size_t i = 0; wish->unix_sockets && i < COUNT(unix_sockets); i++)
		rows[count++] = unix_sockets[i];
	for (size_t i = 0; wish->network_host && i < COUNT(inet_sockets); i++)
		rows[count++] = inet_sockets[i];
	return allow_sockets(ctx, rows, count);
}

/* A call refused where one argument, under a mask, has this value. */
struct arg_refusal {
	int nr;
	unsigned arg;
	uint32_t mask, value;
	int error;
};

#define BIT_REFUSAL(nr, arg, bit) { nr, arg, bit, bit, EPERM }
#define WORD_REFUSAL(nr, arg, word) { nr, arg, UINT32_MAX, word, EPERM }
#define CLONE_REFUSAL(bit) BIT_REFUSAL(SCMP_SYS(clone), 0, bit)
#define FCHMODAT2 452

static const struct arg_refusal by_argument[] = {
	/* MSG_FASTOPEN connects without connect(): Landlock and connect hooks never see it. */
	BIT_REFUSAL(SCMP_SYS(sendto), 3, MSG_FASTOPEN_BIT),
	BIT_REFUSAL(SCMP_SYS(sendmsg), 2, MSG_FASTOPEN_BIT),
	BIT_REFUSAL(SCMP_SYS(sendmmsg), 3, MSG_FASTOPEN_BIT),
	/* Injection into a terminal: the kernel compares the low 32 bits only, and so do we. */
	WORD_REFUSAL(SCMP_SYS(ioctl), 1, TIOCSTI_REQUEST),
	WORD_REFUSAL(SCMP_SYS(ioctl), 1, TIOCLINUX_REQUEST),
	WORD_REFUSAL(SCMP_SYS(ioctl), 1, TIOCSETD_REQUEST),
	/* A program with a listener of its own could say "continue" to what ours is asked about. The
	 * kernel has the same answer for who comes second. */
	{ SCMP_SYS(seccomp), 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
	  EBUSY },
	/* Never a new namespace. */
	CLONE_REFUSAL(CLONE_NEWNS),   CLONE_REFUSAL(CLONE_NEWCGROUP),
	CLONE_REFUSAL(CLONE_NEWUTS),  CLONE_REFUSAL(CLONE_NEWIPC),
	CLONE_REFUSAL(CLONE_NEWUSER), CLONE_REFUSAL(CLONE_NEWPID),
	CLONE_REFUSAL(CLONE_NEWNET),
	/* Nor a child that a tracer of ours would not be told of. */
	CLONE_REFUSAL(CLONE_UNTRACED),
	/* Nor one whose parent is the warden: init would wait for ever for a death it cannot reap. */
	CLONE_REFUSAL(CLONE_PARENT),
	/* Set-id bits would outlive the run. */
	BIT_REFUSAL(SCMP_SYS(chmod), 1, S_ISUID),    BIT_REFUSAL(SCMP_SYS(chmod), 1, S_ISGID),
	BIT_REFUSAL(SCMP_SYS(fchmod), 1, S_ISUID),   BIT_REFUSAL(SCMP_SYS(fchmod), 1, S_ISGID),
	BIT_REFUSAL(SCMP_SYS(fchmodat), 2, S_ISUID), BIT_REFUSAL(SCMP_SYS(fchmodat), 2, S_ISGID),
	BIT_REFUSAL(FCHMODAT2, 2, S_ISUID),	     BIT_REFUSAL(FCHMODAT2, 2, S_ISGID),
};

/* Without processes clone may make threads only. */
static const struct arg_refusal thread_only[] = {
	{ SCMP_SYS(clone), 0, CLONE_THREAD, 0, EPERM },
};

static int refuse_by_argument(scmp_filter_ctx ctx, const struct arg_refusal *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct scmp_arg_cmp cmp = SCMP_CMP32(rows[i].arg, SCMP_CMP_MASKED_EQ,
						     rows[i].mask, rows[i].value);
		int r = seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO(rows[i].error), rows[i].nr, 1,
					       &cmp);

		if (r < 0 && r != -EDOM)
			return r;
	}
	return 0;
}

/*
 * personality: only the query (all ones) and plain Linux (0) are programs' business; turning ASLR
 * off or READ_IMPLIES_EXEC on is not. Each settable bit is refused unless the top one is set too,
 * which no value but the query has.
 */
static int refuse_personality(scmp_filter_ctx ctx)
{
	for (unsigned bit = 0; bit < 31; bit++) {
		uint32_t mask = 0x80000000u | 1u << bit;
		int r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 1,
					 SCMP_A0_32(SCMP_CMP_MASKED_EQ, mask, 1u << bit));

		if (r < 0)
			return r;
	}
	return 0;
}

static int add_rules(scmp_filter_ctx ctx, const struct seccomp_wish *wish)
{
	int r = refuse_table(ctx, always, COUNT(always));

	if (r == 0 && !wish->processes)
		r = refuse_table(ctx, without_processes, COUNT(without_processes));
	if (r == 0 && !wish->processes)
		r = refuse_by_argument(ctx, thread_only, COUNT(thread_only));
	if (r == 0)
		r = refuse_by_argument(ctx, by_argument, COUNT(by_argument));
	if (r == 0)
		r = allow_wished_sockets(ctx, wish);
	if (r == 0)
		r = refuse_personality(ctx);
	return r;
}

/*
 * libseccomp knows no name newer than itself, so newer calls are refused by number, in front of
 * its program (jumps in BPF are relative, so a prefix is harmless): all above NEWEST_KNOWN, and
 * what came after libseccomp 2.5.4. x32 numbers (bit 30) go on to libseccomp's own check, which
 * kills them.
 */
static const struct sock_filter prefix[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* offsetof(struct seccomp_data, nr) */),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 7, 0),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST_KNOWN, 5, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 453 /* map_shadow_stack */, 4, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 457 /* statmount */, 3, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 458 /* listmount */, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 460 /* lsm_set_self_attr */, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 467 /* open_tree_attr */, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, 0x00050000u | ENOSYS /* SECCOMP_RET_ERRNO */),
};

/* libseccomp writes its program to a descriptor only; take it from there into memory. */
static int export_program(scmp_filter_ctx ctx, struct seccomp_program *out)
{
	_cleanup_fd_ int fd = memfd_create("filter", MFD_CLOEXEC);
	struct sock_filter *filter;
	off_t size;
	int r;

	if (fd < 0)
		return -errno;
	r = seccomp_export_bpf(ctx, fd);
	if (r < 0)
		return r;
	size = lseek(fd, 0, SEEK_END);
	if (size <= 0 || (size_t)size + sizeof(prefix) > 4096 * sizeof(*filter))
		return -E2BIG;
	filter = malloc((size_t)size + sizeof(prefix));
	if (!filter)
		return -ENOMEM;
	memcpy(filter, prefix, sizeof(prefix));
	out->program.filter = filter;
	out->program.len = (unsigned short)((size_t)size / sizeof(*filter) + COUNT(prefix));
	return pread(fd, filter + COUNT(prefix), (size_t)size, 0) == size ? 0 : -EIO;
}

int seccomp_compile(const struct seccomp_wish *wish, struct seccomp_program *out)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int r = -ENOMEM;

	*out = (struct seccomp_program){ 0 };
	if (!ctx)
		return r;
	r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r == 0)
		r = add_rules(ctx, wish);
	if (r == 0)
		r = export_program(ctx, out);
	seccomp_release(ctx);
	if (r < 0)
		seccomp_free(out);
	return r;
}

void seccomp_free(struct seccomp_program *p)
{
	free(p->program.filter);
	*p = (struct seccomp_program){ 0 };
}

int seccomp_enter(const struct seccomp_program *p)
{
	return sys_seccomp_filter(&p->program) < 0 ? -errno : 0;
}
