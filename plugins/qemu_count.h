/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page between the launcher and the plugin that counts inside qemu: a file of the run folder, mapped by
 * the plugin and gone from its folder before the program's first instruction.
 *
 * Guest and plugin share one address space, so a hostile native program can write here: the launcher
 * bounds what it reads.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define QEMU_COUNT_MAGIC 0x554d45515f454c54ull /* "TL_QEMU" */
#define QEMU_COUNT_MODULE_MAX 1024

enum qemu_count_state {
	QEMU_COUNT_NEW,
	QEMU_COUNT_ARMED,   /* the plugin runs, the program is not at its entry point yet */
	QEMU_COUNT_STARTED,
	QEMU_COUNT_STOPPED  /* at the budget */
};

struct qemu_count {
	uint64_t magic;               /* by the plugin */
	_Atomic uint32_t state;       /* enum qemu_count_state */
	_Atomic uint32_t threads;     /* beside the first */
	_Atomic uint32_t forks, refused_execs, signals;
	_Atomic uint64_t total;       /* instructions since qemu began, of all processes */
	uint64_t startup;             /* of them, before the entry point */
	uint64_t limit;               /* total at the budget, UINT64_MAX = none */
	uint64_t where_offset;        /* of the next instruction, in the file */
	char where_module[QEMU_COUNT_MODULE_MAX];
};
