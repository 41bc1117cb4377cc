/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sentences that quote hostile text.
 *
 * Every reason names arguments and paths an attacker chose. They are written the way
 * Python's %r writes them: one line, no control characters, no invisible ones, whatever
 * the bytes were. Runs wherever a verdict is made, the shim's signal handlers included:
 * no allocation, no locale, no stdio.
 */
#include "policy/repr.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * What str.isprintable() denies above ASCII: the categories Cc, Cf, Co, Zl, Zp and Zs of
 * Unicode 14 (CPython 3.11). Unassigned code points are left printable; which ones are
 * unassigned changes with every Unicode version, and with every Python.
 */
static const struct {
	uint32_t first, last;
} unprintable[] = {
	{0x80, 0xa0},	    {0xad, 0xad},	{0x600, 0x605},	     {0x61c, 0x61c},
	{0x6dd, 0x6dd},	    {0x70f, 0x70f},	{0x890, 0x891},	     {0x8e2, 0x8e2},
	{0x1680, 0x1680},   {0x180e, 0x180e},	{0x2000, 0x200f},    {0x2028, 0x202f},
	{0x205f, 0x206f},   {0x3000, 0x3000},	{0xd800, 0xf8ff},    {0xfeff, 0xfeff},
	{0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},  {0x13430, 0x13438},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff},
};

struct sentence sentence_begin(char *text, size_t size)
{
	text[0] = '\0';
	return (struct sentence){.text = text, .size = size};
}

static void add_bytes(struct sentence *s, const char *bytes, size_t length)
{
	size_t room = s->size - s->used - 1;

	if (length > room)
		length = room;
	memcpy(s->text + s->used, bytes, length);
	s->used += length;
	s->text[s->used] = '\0';
}

void sentence_add(struct sentence *s, const char *text)
{
	add_bytes(s, text, strlen(text));
}

/* A character or an escape is written whole or not at all. */
static void add_whole(struct sentence *s, const char *bytes, size_t length)
{
	if (length < s->size - s->used)
		add_bytes(s, bytes, length);
}

static void add_hex(struct sentence *s, char letter, uint32_t value, int digits)
{
	char out[10] = {'\\', letter};

	for (int i = 0; i < digits; i++)
		out[2 + i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 15];
	add_whole(s, out, 2 + (size_t)digits);
}

static void add_escaped(struct sentence *s, uint32_t code)
{
	if (code < 0x100)
		add_hex(s, 'x', code, 2);
	else if (code < 0x10000)
		add_hex(s, 'u', code, 4);
	else
		add_hex(s, 'U', code, 8);
}

static bool is_printable(uint32_t code)
{
	for (size_t i = 0; i < sizeof(unprintable) / sizeof(unprintable[0]); i++)
		if (code >= unprintable[i].first && code <= unprintable[i].last)
			return false;
	return true;
}

/* One UTF-8 character of at most `left` bytes; its length, or 0 when it is none. */
static size_t decode(const unsigned char *p, size_t left, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;

	if (p[0] < 0xc2 || p[0] > 0xf4 || length > left)
		return 0;
	*code = p[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3fu);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >> 11) == 0x1b)
		return 0;
	return length;
}

static void add_ascii(struct sentence *s, char c, char quote)
{
	static const char plain[] = "\n\r\t", letters[] = "nrt";
	const char *at = c ? strchr(plain, c) : NULL;

	if (at)
		add_whole(s, (char[]){'\\', letters[at - plain]}, 2);
	else if (c == '\\' || c == quote)
		add_whole(s, (char[]){'\\', c}, 2);
	else if (c < 0x20 || c == 0x7f)
		add_hex(s, 'x', (unsigned char)c, 2);
	else
		add_bytes(s, &c, 1);
}

void sentence_add_repr(struct sentence *s, const char *text, size_t length)
{
	const bool has_single = memchr(text, '\'', length);
	const char quote = has_single && !memchr(text, '"', length) ? '"' : '\'';
	size_t step;

	add_bytes(s, &quote, 1);
	for (size_t i = 0; i < length; i += step) {
		const unsigned char *p = (const unsigned char *)text + i;
		uint32_t code = *p;

		step = 1;
		if (*p < 0x80) {
			add_ascii(s, (char)*p, quote);
			continue;
		}
		step = decode(p, length - i, &code);
		if (step && is_printable(code))
			add_whole(s, text + i, step);
		else
			add_escaped(s, step ? code : *p);
		step += !step;
	}
	add_bytes(s, &quote, 1);
}

size_t python_repr(const char *text, char *out, size_t size)
{
	struct sentence s = sentence_begin(out, size);

	sentence_add_repr(&s, text, strlen(text));
	return s.used;
}
