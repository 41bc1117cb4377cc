/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Init's own program, as the bytes of its ELF file. */
#pragma once

#include <stddef.h>

extern const unsigned char init_image[];
extern const size_t init_image_bytes;
