/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading memory that may not be there: the program's stack, the tables of its files.
 *
 * Runs inside the program, also in signal handlers. Each page is proved readable before
 * its first byte is touched, by a system call that copies from it and then fails on
 * another argument, so a table that lies costs an answer and never a fault. Another
 * thread may still unmap in between: that is the program's doing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEEK_PAGES 16

/* Pages already proved; { 0 } to begin with, short-lived. */
struct peek {
	uintptr_t page[PEEK_PAGES];
};

/* May all of [at, at + size) be read? */
bool peek_can_read(struct peek *peek, uintptr_t at, size_t size);

/* Copies size bytes (at most 8) from at. */
bool peek_read(struct peek *peek, uintptr_t at, void *out, size_t size);

/* A forward reader of [at, end): what cannot be read gives 0 and sets is_bad, for good.
 */
struct cursor {
	struct peek *peek;
	uintptr_t at, end;
	bool is_bad;
};

/* An unsigned little-endian number of 1, 2, 4 or 8 bytes. */
uint64_t cursor_number(struct cursor *c, size_t size);
uint64_t cursor_uleb(struct cursor *c);
int64_t cursor_sleb(struct cursor *c);
void cursor_skip(struct cursor *c, uint64_t size);
