/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stopped thread seen through ptrace. Only x86-64 can be stepped so far: elsewhere an exclusive load and
 * its store, stepped one by one, never succeed, and nobody has told the step counter how to jump over them.
 */
#include "launcher/tracee.h"

#include "backends/cleanup.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

static int peek(pid_t tid, uint64_t at, long *word)
{
	errno = 0;
	*word = ptrace(PTRACE_PEEKDATA, tid, (void *)(uintptr_t)at, NULL);
	return errno ? -errno : 0;
}

static int poke(pid_t tid, uint64_t at, long word)
{
	return ptrace(PTRACE_POKEDATA, tid, (void *)(uintptr_t)at, (void *)word) < 0 ? -errno : 0;
}

#if defined(__x86_64__)

#define BREAKPOINT 0xccul
#define BREAKPOINT_MASK 0xfful
#define BREAKPOINT_SIZE 1 /* the thread stops behind it */
#define CAN_STEP EM_X86_64

static int peek_register(pid_t tid, size_t offset, uint64_t *value)
{
	errno = 0;
	*value = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, (void *)offset, NULL);
	return errno ? -errno : 0;
}

int tracee_pc(pid_t tid, uint64_t *pc)
{
	return peek_register(tid, offsetof(struct user_regs_struct, rip), pc);
}

int tracee_set_pc(pid_t tid, uint64_t pc)
{
	return ptrace(PTRACE_POKEUSER, tid, (void *)offsetof(struct user_regs_struct, rip),
		      (void *)(uintptr_t)pc) < 0 ?
		       -errno :
		       0;
}

static int stack_pointer(pid_t tid, uint64_t *sp)
{
	return peek_register(tid, offsetof(struct user_regs_struct, rsp), sp);
}

static bool is_repeat(unsigned char byte)
{
	return byte == 0xf2 || byte == 0xf3;
}

static bool is_other_prefix(unsigned char byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       byte == 0x26 || byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
}

/* movs, cmps, stos, lods, scas, ins, outs. */
static bool is_string(unsigned char byte)
{
	return (byte >= 0xa4 && byte <= 0xa7) || (byte >= 0xaa && byte <= 0xaf) ||
	       (byte >= 0x6c && byte <= 0x6f);
}

/* syscall, sysenter, int 0x80. */
static bool is_system_call(const unsigned char *at)
{
	return (at[0] == 0x0f && (at[1] == 0x05 || at[1] == 0x34)) ||
	       (at[0] == 0xcd && at[1] == 0x80);
}

enum tracee_insn tracee_insn_at(pid_t tid, uint64_t pc)
{
	union {
		long word;
		unsigned char byte[8];
	} text;
	bool repeats = false;
	size_t i = 0;

	/* A word that reaches into an unmapped page cannot be read; the aligned one around it can. */
	if (peek(tid, pc, &text.word) < 0) {
		i = pc & 7;
		if (i == 0 || peek(tid, pc - i, &text.word) < 0)
			return TRACEE_PLAIN;
	}
	for (; i < 7 && (is_repeat(text.byte[i]) || is_other_prefix(text.byte[i])); i++)
		repeats |= is_repeat(text.byte[i]);
	if (i < 7 && is_system_call(text.byte + i))
		return TRACEE_SYSCALL;
	return repeats && is_string(text.byte[i]) ? TRACEE_REP : TRACEE_PLAIN;
}

void tracee_known_loop(uint64_t rounds)
{
	if (rounds)
		__asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

#else

#define BREAKPOINT 0ul
#define BREAKPOINT_MASK 0ul
#define BREAKPOINT_SIZE 0
#define CAN_STEP EM_NONE

int tracee_pc(pid_t tid, uint64_t *pc)
{
	(void)tid;
	*pc = 0;
	return -EOPNOTSUPP;
}

int tracee_set_pc(pid_t tid, uint64_t pc)
{
	(void)tid;
	(void)pc;
	return -EOPNOTSUPP;
}

static int stack_pointer(pid_t tid, uint64_t *sp)
{
	return tracee_pc(tid, sp);
}

enum tracee_insn tracee_insn_at(pid_t tid, uint64_t pc)
{
	(void)tid;
	(void)pc;
	return TRACEE_PLAIN;
}

void tracee_known_loop(uint64_t rounds)
{
	while (rounds--)
		__asm__ volatile("");
}

#endif

bool tracee_can_step(unsigned machine)
{
	return CAN_STEP != EM_NONE && machine == CAN_STEP;
}

/* Behind argc: the arguments, NULL, the environment, NULL, the vector. */
int tracee_entry(pid_t tid, uint64_t *entry)
{
	uint64_t at;
	long word = 0, value = 0;
	int r = stack_pointer(tid, &at);

	if (r < 0)
		return r;
	r = peek(tid, at, &word);
	at += 8 * ((uint64_t)word + 2);
	for (word = 1; r == 0 && word; at += 8)
		r = peek(tid, at, &word);
	for (word = 1; r == 0 && word && word != AT_ENTRY; at += 16)
		r = peek(tid, at, &word);
	if (r == 0 && word != AT_ENTRY)
		return -ENOENT;
	if (r == 0)
		r = peek(tid, at - 8, &value);
	*entry = (uint64_t)value;
	return r;
}

int tracee_plant(pid_t tid, uint64_t at, long *saved)
{
	int r = peek(tid, at, saved);

	return r < 0 ? r : poke(tid, at, (long)(((unsigned long)*saved & ~BREAKPOINT_MASK) | BREAKPOINT));
}

bool tracee_is_planted_at(pid_t tid, uint64_t at)
{
	uint64_t pc;

	return tracee_pc(tid, &pc) == 0 && pc == at + BREAKPOINT_SIZE;
}

int tracee_unplant(pid_t tid, uint64_t at, long saved)
{
	int r = poke(tid, at, saved);

	return r < 0 ? r : tracee_set_pc(tid, at);
}

int tracee_where(pid_t tid, uint64_t pc, char *module, uint64_t *offset)
{
	char path[64], line[TRACEE_MODULE_MAX + 128];
	unsigned long long from, to, begin;
	_cleanup_file_ FILE *maps = NULL;
	int at;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = 0;
		at = 0;
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &from, &to, &begin, &at) < 3 ||
		    at == 0 || pc < from || pc >= to)
			continue;
		*offset = pc - from + begin;
		snprintf(module, TRACEE_MODULE_MAX, "%s", line + at);
		return 0;
	}
	return maps ? -ENOENT : -errno;
}
