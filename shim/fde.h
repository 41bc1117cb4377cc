/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame description of one address: found in a mapped file's .eh_frame_hdr, read from
 * its .eh_frame. Runs inside the program, in signal handlers too; believes nothing that
 * stands in the tables.
 */
#pragma once

#include "shim/peek.h"

/* A mapped file's unwind tables. */
struct fde_tables {
	uintptr_t low, high; /* the mapping: nothing outside of it is read */
	uintptr_t header;    /* of .eh_frame_hdr */
};

struct fde {
	uintptr_t start, end; /* the code it is about */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_column;
	bool is_signal; /* a signal's trampoline: its pc is no return address */
	struct cursor common, own; /* call frame instructions: the CIE's, then its own */
};

/* Finds and reads the description that covers pc. */
bool fde_find(struct peek *peek, const struct fde_tables *tables, uintptr_t pc,
	      struct fde *out);
