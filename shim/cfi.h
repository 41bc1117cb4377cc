/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One step up the stack by call frame information: from a frame's registers and its
 * description to its caller's registers. Runs inside the program, in signal handlers too;
 * takes nothing but stack, trusts no instruction of the tables and reads memory only
 * through a struct peek.
 */
#pragma once

#include "shim/fde.h"

/* DWARF's numbers: how many columns there are, and which are the stack pointer, frame
 * pointer, and the return address. */
#if defined(__aarch64__)
#define CFI_COLUMNS 33
#define CFI_FP	    29
#define CFI_RETURN  30
#define CFI_SP	    31
#else
#define CFI_COLUMNS 17
#define CFI_FP	    6
#define CFI_SP	    7
#define CFI_RETURN  16
#endif

struct registers {
	uint64_t value[CFI_COLUMNS];
	uint64_t known; /* bit n: value[n] is right */
	uintptr_t pc;
	bool is_signal; /* pc is where a signal struck, not a return address */
};

static inline bool registers_have(const struct registers *r, uint64_t column)
{
	return column < CFI_COLUMNS && r->known >> column & 1;
}

/* The caller's registers in place of these. False: the stack ends here, or its tables
 * make no sense. */
bool cfi_step(struct peek *peek, const struct fde *fde, struct registers *r);
