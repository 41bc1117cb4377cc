/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DWARF expressions, as call frame information uses them. Runs inside the program, in
 * signal handlers too. */
#pragma once

#include "shim/cfi.h"

/* Works out the expression of exactly this block; *first (NULL = none) is on its stack to
 * begin with. False when it is one that today's compilers do not write, or reads what
 * cannot be read. */
bool cfi_expression(struct cursor block, const struct registers *r, const uint64_t *first,
		    uint64_t *out);
