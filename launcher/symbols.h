/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for addresses in ELF files, for the frames of denials. */
#pragma once

#include "launcher/denials.h"

#include <stdbool.h>

struct symbols;

/* `may_read` is asked before a file is opened: the names of the files come from the program. Freed with
 * symbols_free (NULL is fine); NULL = out of memory. */
struct symbols *symbols_new(bool (*may_read)(void *ctx, const char *path), void *ctx);
void symbols_free(struct symbols *symbols);

/* Fills symbol and symbol_offset of one frame, from its module (an absolute path) and offset. What cannot be
 * named stays "". */
void symbols_name(struct symbols *symbols, struct denial_frame *frame);

/* Opens a regular file for reading, and nothing else: no device is so much as opened. Descriptor or
 * -errno. */
int symbols_open_file(const char *path);
