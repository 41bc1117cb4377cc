/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frozen policy: one flat, read-only, position-independent block of memory.
 *
 * Everything that decides (path.c, argv.c) reads only this: it never allocates, never locks,
 * makes no system call and is safe in a signal handler. All references are byte offsets from
 * the block's start, so it can be mapped anywhere, in any process.
 */
#pragma once

#include "policy/limits.h"
#include "policy/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POLICY_BLOCK_MAGIC 0x454c4954u /* "TILE" */
#define POLICY_BLOCK_VERSION 1u

struct policy_block {
	uint32_t magic, version;
	uint64_t size; /* bytes, the whole block */
	uint32_t network, processes, load, shell, metachars;
	uint32_t root;        /* offset of the project root's text, 0 = none */
	uint32_t profile;     /* offset of the profile's name */
	uint32_t rule_count;  /* rules[0] is the default (deny) */
	uint32_t rules;       /* offset of struct block_rule[rule_count] */
	uint32_t slot_count;  /* hash slots, a power of two */
	uint32_t slots;       /* offset of uint32_t[slot_count]: rule index, 0 = empty */
	uint32_t deny_count;  /* extra denylist entries */
	uint32_t deny;        /* offset of uint32_t[deny_count] of text offsets, sorted */
	struct limits limits;
};

struct block_rule {
	uint64_t hash;   /* of path */
	uint32_t path;   /* text offset */
	uint32_t length; /* of path */
	uint32_t rights; /* PATH_… of policy.h, inheritance already folded in */
	uint32_t origin; /* text offset */
};

static inline const char *block_text(const struct policy_block *b, uint32_t offset)
{
	return (const char *)b + offset;
}

/*
 * May `access` (one or more of PATH_READ|PATH_WRITE|PATH_EXEC) be had on this absolute,
 * normalised path? The longest rule that is a prefix by components decides. Cost depends on the
 * path's depth only. Writes the verdict; reason and fix stand in `text`, and are "" where it is NULL.
 */
void policy_decide_path(const struct policy_block *b, const char *path, unsigned access,
			struct verdict_text *text, struct verdict *out);

/* The rights of the longest matching rule and its index (0 = default: none). */
unsigned policy_path_rights(const struct policy_block *b, const char *path, uint32_t *rule);

/* Lexical normalisation (no file system): `path` against absolute `base` into out[size].
 * Resolves ".", "..", "//", trailing "/". Returns length or -ENAMETOOLONG. */
int policy_path_normalise(const char *base, const char *path, char *out, size_t size);

/*
 * The preflight (spec: the runner): in order, first reason wins. `cwd` is absolute; `home` may be
 * NULL; `follow` looks a path up in the world, since deciding itself makes no system calls: it
 * writes the real path of an existing one to out[size] and returns 0, else -errno.
 */
struct preflight {
	char *const *argv;
	const char *cwd;
	const char *home;
	int (*follow)(void *ctx, const char *path, char *out, size_t size);
	void *ctx;
};
void policy_preflight(const struct policy_block *b, const struct preflight *ask,
		      struct verdict_text *text, struct verdict *out);
