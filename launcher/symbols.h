/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for addresses in ELF files, for the frames of denials. */
#pragma once

#include "launcher/denials.h"

struct symbols;

/* `open_file` gives a descriptor (then ours) of a regular file, or -errno: it decides which files are looked
 * at, since the program names them. Freed with symbols_free (NULL is fine); NULL = out of memory. */
struct symbols *symbols_new(int (*open_file)(void *ctx, const char *path), void *ctx);
void symbols_free(struct symbols *symbols);

/* Fills symbol and symbol_offset of one frame, from its module (an absolute path) and offset. What cannot be
 * named stays "". */
void symbols_name(struct symbols *symbols, struct denial_frame *frame);
