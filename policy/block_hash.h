/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hash of a path in a policy block: FNV-1a, 64 bits, one byte at a time. Shared by the half
 * that builds the table (compile.c) and the half that asks it (path.c).
 */
#pragma once

#include <stdint.h>

#define BLOCK_HASH_START 0xcbf29ce484222325u

static inline uint64_t block_hash_add(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * 0x100000001b3u;
}

/* FNV's low bits are its weakest: the high half is folded in. */
static inline uint32_t block_slot(uint64_t hash, uint32_t mask)
{
	return (uint32_t)(hash ^ (hash >> 32)) & mask;
}
