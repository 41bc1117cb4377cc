/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One stopped thread of a traced program: its registers, the instruction it is about to run, a breakpoint in
 * its text. What the processor's family decides is here and nowhere else.
 *
 * Runs in the tracer. The thread is in a ptrace stop whenever one of these is called; -ESRCH: it was killed
 * in the meantime.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACEE_MODULE_MAX 1024

enum tracee_insn {
	TRACEE_PLAIN,
	TRACEE_REP,    /* a repeated string instruction: each round stops, all of them are one step */
	TRACEE_SYSCALL /* may sleep; the thread may not come back */
};

/* Can this build step programs of this ELF machine (e_machine)? */
bool tracee_can_step(unsigned machine);

/* Both 0 or -errno. */
int tracee_pc(pid_t tid, uint64_t *pc);
int tracee_set_pc(pid_t tid, uint64_t pc);

/* What stands at `pc`. Unreadable memory is plain: the step will fault. */
enum tracee_insn tracee_insn_at(pid_t tid, uint64_t pc);

/* The entry point of the program just executed, by the auxiliary vector on the new stack. 0 or -errno. */
int tracee_entry(pid_t tid, uint64_t *entry);

/* A breakpoint in the text; *saved is for tracee_unplant(), which also puts the thread that ran into it
 * back on it. 0 or -errno. */
int tracee_plant(pid_t tid, uint64_t at, long *saved);
int tracee_unplant(pid_t tid, uint64_t at, long saved);

/* Did the thread stop at this breakpoint? */
bool tracee_is_planted_at(pid_t tid, uint64_t at);

/* One byte code of the same loop everywhere: runs `rounds` rounds of two instructions, for calibration and
 * for counters that must prove themselves. */
void tracee_known_loop(uint64_t rounds);

/* Which file is mapped at `pc`, and where in it that is; module has TRACEE_MODULE_MAX bytes. 0 or -errno. */
int tracee_where(pid_t tid, uint64_t pc, char *module, uint64_t *offset);
