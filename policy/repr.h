/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sentences that quote hostile text: a bounded writer, and Python's repr() of a string.
 * No allocation, no locale, safe in a signal handler.
 */
#pragma once

#include <stddef.h>

/* A sentence under construction in caller-owned room; always NUL-terminated, cut when
 * full. */
struct sentence {
	char *text;
	size_t size;
	size_t used;
};

/* Starts an empty sentence in text[size]; size is at least 1. */
struct sentence sentence_begin(char *text, size_t size);

/* Appends plain text as it is. */
void sentence_add(struct sentence *s, const char *text);

/* Appends Python's %r of the first `length` bytes of `text`: UTF-8 that Python calls
 * printable as it is, the rest escaped, bytes that are not UTF-8 as \xNN. */
void sentence_add_repr(struct sentence *s, const char *text, size_t length);

/* Python's repr of a whole string into out[size]; returns the length written. */
size_t python_repr(const char *text, char *out, size_t size);
