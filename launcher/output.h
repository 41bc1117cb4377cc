/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Captured output: a fixed buffer of `cap` bytes that counts everything and keeps the beginning.
 * Runs in the launcher; never grows with what the program writes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTPUT_MARKER "\n[sandbox: output truncated]\n"

struct output {
	char *data;
	size_t used, cap, allocated; /* allocated grows up to cap, never past it */
	uint64_t total;              /* all that was written */
};

void output_init(struct output *o, size_t cap);
/* Takes `size` bytes; what does not fit is counted and dropped. Returns 0 or -ENOMEM. */
int output_take(struct output *o, const char *data, size_t size);
bool output_is_truncated(const struct output *o);
void output_reset(struct output *o); /* empty again, keeps the memory */
void output_free(struct output *o);

/* The text as valid UTF-8 (invalid bytes as U+FFFD, one for each maximal bad sequence), with
 * OUTPUT_MARKER behind it when truncated (a character cut by the cap is dropped). malloc'd, *size
 * without a final NUL (there is one too); *had_invalid set. NULL = ENOMEM. */
char *output_text(const struct output *o, size_t *size, bool *had_invalid);
/* malloc'd base64 of the kept bytes. */
char *output_base64(const struct output *o);

/* Copies text for a terminal: control characters other than \n and \t as \xNN, U+2028/9 and C1
 * controls too. malloc'd. */
char *output_visible(const char *text, size_t size);
