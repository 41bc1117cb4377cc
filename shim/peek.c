/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading memory that may not be there (peek.h). Runs inside the program, in signal
 * handlers too: no memory of its own, no lock, one raw system call a page, errno
 * untouched.
 */
#include "shim/peek.h"

#include "shim/raw.h"

#define PAGE 4096u /* the smallest there is: right on every kernel */

static bool is_page_readable(struct peek *peek, uintptr_t page)
{
	uintptr_t *seen = &peek->page[page / PAGE % PEEK_PAGES];

	if (page < PAGE)
		return false;
	if (*seen == page)
		return true;
	if (!raw_is_readable((const void *)page))
		return false;
	*seen = page;
	return true;
}

bool peek_can_read(struct peek *peek, uintptr_t at, size_t size)
{
	uintptr_t last = at + size - 1;

	if (!size || last < at)
		return false;
	for (uintptr_t page = at & ~(uintptr_t)(PAGE - 1); page <= last; page += PAGE)
		if (!is_page_readable(peek, page))
			return false;
	return true;
}

/* The program's memory, not an object of ours: no sanitizer may judge it. */
__attribute__((no_sanitize("address"))) static void copy(unsigned char *to,
							 uintptr_t from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = ((const volatile unsigned char *)from)[i];
}

bool peek_read(struct peek *peek, uintptr_t at, void *out, size_t size)
{
	if (size > 8 || !peek_can_read(peek, at, size))
		return false;
	copy(out, at, size);
	return true;
}

uint64_t cursor_number(struct cursor *c, size_t size)
{
	uint64_t value = 0;

	if (c->is_bad || c->at > c->end || size > c->end - c->at ||
	    !peek_read(c->peek, c->at, &value, size)) {
		c->is_bad = true;
		return 0;
	}
	c->at += size;
	return value;
}

void cursor_skip(struct cursor *c, uint64_t size)
{
	if (c->is_bad || c->at > c->end || size > c->end - c->at)
		c->is_bad = true;
	else
		c->at += size;
}

/* Both LEB forms; *shift = bits taken, so that the signed one knows where its sign
 * stands. */
static uint64_t take_leb(struct cursor *c, unsigned *shift)
{
	uint64_t value = 0, byte;

	*shift = 0;
	do {
		byte = cursor_number(c, 1);
		if (*shift < 64)
			value |= (byte & 0x7f) << *shift;
		*shift += 7;
	} while (byte & 0x80 && *shift < 70);
	return value;
}

uint64_t cursor_uleb(struct cursor *c)
{
	unsigned shift;

	return take_leb(c, &shift);
}

int64_t cursor_sleb(struct cursor *c)
{
	unsigned shift;
	uint64_t value = take_leb(c, &shift);

	if (shift < 64 && value >> (shift - 1) & 1)
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}
