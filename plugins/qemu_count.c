/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A plugin for qemu's user mode that counts the guest's instructions and ends it before the first one past
 * its budget. Loaded by qemu (GPL) as a file of its own, inside the walls; nothing else of stile is.
 *
 * Far from the budget a block of instructions is counted when it is entered: nothing interrupts one but a
 * fault. Near it everything is translated anew, and each instruction asks first. A repeated string
 * instruction comes as many, and counts when its first round begins. A program executed in the guest's
 * place would run outside of qemu, uncounted: the kernel refuses it.
 *
 * Arguments: page=FILE, budget=N (none: only count), entry=N: the entry point, from the start of the text.
 */
#include "plugins/qemu_count.h"
#include "plugins/qemu_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MARGIN 20000 /* a reset comes a few blocks late, each of at most 512 instructions, in each thread */
#define CPUS 4096    /* threads whose repeated instructions are told apart */

QEMU_PLUGIN_EXPORT const int qemu_plugin_version = 1;

/* qemu has no place for a plugin's own data: its callbacks get one word, which we need. */
static struct {
	qemu_plugin_id_t id;
	struct qemu_count *page;
	uint64_t budget, entry_offset, limit;
	bool is_shared;  /* more than one thread or process adds */
	bool is_near;    /* the budget: instruction by instruction */
	bool is_started;
	const void *repeating[CPUS]; /* the unfinished instruction, by its place */
} self;

static uint64_t add(uint64_t n)
{
	uint64_t before;

	if (self.is_shared)
		return atomic_fetch_add_explicit(&self.page->total, n, memory_order_relaxed);
	before = atomic_load_explicit(&self.page->total, memory_order_relaxed);
	atomic_store_explicit(&self.page->total, before + n, memory_order_relaxed);
	return before;
}

static void note_where(const void *place)
{
	unsigned long from, to, offset;
	char line[QEMU_COUNT_MODULE_MAX + 128];
	FILE *maps = fopen("/proc/self/maps", "re");
	int at;

	while (maps && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = 0;
		at = 0;
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &from, &to, &offset, &at) < 3 ||
		    !at || (uintptr_t)place < from || (uintptr_t)place >= to)
			continue;
		self.page->where_offset = (uintptr_t)place - from + offset;
		snprintf(self.page->where_module, sizeof(self.page->where_module), "%.*s",
			 QEMU_COUNT_MODULE_MAX - 1, line + at);
		break;
	}
}

/* The guest's buffers are lost, as with any kill. */
__attribute__((noreturn)) static void stop(const void *place)
{
	uint32_t was = QEMU_COUNT_STARTED;

	if (atomic_compare_exchange_strong(&self.page->state, &was, QEMU_COUNT_STOPPED))
		note_where(place);
	_exit(1);
}

static void register_all(qemu_plugin_id_t id);

static void on_block(unsigned int cpu, void *count)
{
	uint64_t n = (uintptr_t)count;
	uint64_t total = add(n) + n;

	self.repeating[cpu % CPUS] = NULL;
	if (total + MARGIN > self.limit && !self.is_near) {
		self.is_near = true;
		qemu_plugin_reset(self.id, register_all);
	}
}

static void on_repeated(unsigned int cpu, void *place)
{
	if (self.repeating[cpu % CPUS] != place)
		(void)add(1);
	self.repeating[cpu % CPUS] = place;
}

static void on_near(unsigned int cpu, void *place)
{
	self.repeating[cpu % CPUS] = NULL;
	if (add(1) >= self.limit)
		stop(place);
}

static void on_near_repeated(unsigned int cpu, void *place)
{
	bool goes_on = self.repeating[cpu % CPUS] == place;

	self.repeating[cpu % CPUS] = place;
	if (!goes_on && add(1) >= self.limit)
		stop(place);
}

/* The program stands at its entry point: from here on it is its own. */
static void on_entry(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	if (self.is_started)
		return;
	self.is_started = true;
	self.page->startup = self.page->total;
	if (self.budget < UINT64_MAX - self.page->startup)
		self.page->limit = self.limit = self.page->startup + self.budget;
	self.page->state = QEMU_COUNT_STARTED;
}

static bool is_prefix(unsigned char byte)
{
	return byte == 0xf2 || byte == 0xf3 || byte == 0x66 || byte == 0x67 ||
	       (byte & 0xf0) == 0x40;
}

/* movs, cmps, stos, lods, scas, ins, outs behind a rep. */
static bool is_repeated(const struct qemu_plugin_insn *insn)
{
	const unsigned char *byte = qemu_plugin_insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn), i = 0;
	bool repeats = false;

	for (; i < size && is_prefix(byte[i]); i++)
		repeats |= (byte[i] & 0xfe) == 0xf2;
	return repeats && i < size &&
	       ((byte[i] >= 0xa4 && byte[i] <= 0xa7) || (byte[i] >= 0xaa && byte[i] <= 0xaf) ||
		(byte[i] >= 0x6c && byte[i] <= 0x6f));
}

static bool is_entry(const struct qemu_plugin_tb *tb)
{
	return qemu_plugin_tb_vaddr(tb) == qemu_plugin_start_code() + self.entry_offset;
}

/* Blocks end with a repeated instruction, so that it is at most their last; it counts by itself. */
static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb), plain = 0;
	bool is_near = self.is_near || self.budget < MARGIN;

	(void)id;
	if (!self.is_started && is_entry(tb))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_entry, QEMU_PLUGIN_CB_NO_REGS, NULL);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		void *place = qemu_plugin_insn_haddr(insn);
		bool repeats = is_repeated(insn);

		if (repeats || is_near)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn,
				!is_near ? on_repeated : repeats ? on_near_repeated : on_near,
				QEMU_PLUGIN_CB_NO_REGS, place);
		plain += !repeats;
	}
	if (plain && !is_near)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)plain);
}

static void on_cpu(qemu_plugin_id_t id, unsigned int cpu)
{
	(void)id;
	if (cpu == 0)
		return;
	self.is_shared = true;
	self.page->threads++;
}

/* The numbers are the guest's: of x86-64. */
static void on_call(qemu_plugin_id_t id, unsigned int cpu, int64_t number, uint64_t a1, uint64_t a2,
		    uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id, (void)cpu, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	switch (number) {
	case 15: /* rt_sigreturn: a fault may have left a block half-way */
		self.page->signals++;
		break;
	case 57: /* fork */
	case 58: /* vfork */
		self.page->forks++;
		self.is_shared = true;
		break;
	case 56: /* clone, of a thread or a process */
		self.page->forks += !(a1 & 0x10000 /* CLONE_THREAD */);
		self.is_shared = true;
		break;
	case 59:  /* execve */
	case 322: /* execveat */
		self.page->refused_execs++;
		break;
	default:
		break;
	}
}

/* Also after a reset, which forgets them. */
static void register_all(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, on_cpu);
	qemu_plugin_register_vcpu_syscall_cb(id, on_call);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
}

/* What the guest would execute runs on the processor itself. */
static int refuse_exec(void)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(rows) / sizeof(*rows), rows };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int open_page(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	void *page;

	if (fd < 0)
		return -1;
	page = mmap(NULL, sizeof(*self.page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	(void)unlink(path);
	if (page == MAP_FAILED)
		return -1;
	self.page = page;
	return 0;
}

static const char *value_of(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return strncmp(argument, name, length) == 0 && argument[length] == '=' ?
		       argument + length + 1 :
		       NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	const char *value;

	(void)info;
	self.id = id;
	self.budget = self.limit = UINT64_MAX;
	for (int i = 0; i < argc; i++) {
		if ((value = value_of(argv[i], "page")) && open_page(value) < 0)
			return -1;
		if ((value = value_of(argv[i], "budget")))
			self.budget = strtoull(value, NULL, 10);
		if ((value = value_of(argv[i], "entry")))
			self.entry_offset = strtoull(value, NULL, 10);
	}
	if (!self.page || refuse_exec() < 0)
		return -1;
	self.page->limit = UINT64_MAX;
	self.page->magic = QEMU_COUNT_MAGIC;
	self.page->state = QEMU_COUNT_ARMED;
	register_all(id);
	return 0;
}
