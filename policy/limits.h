/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of one run, and the tiers that name common sets of them.
 * Pure data. LIMIT_NONE means "not limited"; 0 is a real limit.
 */
#pragma once

#include <stdint.h>

#define LIMIT_NONE UINT64_MAX

struct limits {
	uint64_t wall_ms;
	uint64_t cpu_ms;       /* of the whole tree; LIMIT_NONE = derived from wall_ms */
	uint64_t memory_bytes;
	uint64_t processes;    /* the program and its threads and children, at once */
	uint64_t open_files;   /* descriptors per process */
	uint64_t file_bytes;   /* one file */
	uint64_t disk_bytes;   /* all of the run folder */
	uint64_t inodes;       /* in the run folder */
	uint64_t output_bytes; /* kept of each stream */
	uint64_t stack_bytes;
	uint64_t steps;
	uint64_t repairs;
};

/* A fresh set: everything LIMIT_NONE but output_bytes = 65536 and wall_ms = 30000. */
struct limits limits_default(void);

/*
 * The tier of that name (case-insensitive) written over steps, wall_ms, memory_bytes and
 * repairs (numbers: spec of the tiers). Returns 0, or -ENOENT for an unknown name.
 */
int limits_apply_tier(struct limits *limits, const char *name);

/*
 * The one parser for numbers. Sizes: bytes, or with suffix K M G T (1024) and optional iB/B.
 * Seconds: decimals allowed ("2.5"), result in milliseconds. Counts: plain decimal.
 * "none" gives LIMIT_NONE where `allow_none`. Never accepts signs, blanks, exponents, hex.
 * Returns 0, -EINVAL (not a number), -ERANGE (too large or too small to mean anything).
 */
enum limit_unit { UNIT_COUNT, UNIT_BYTES, UNIT_SECONDS };
int limits_parse(const char *text, enum limit_unit unit, int allow_none, uint64_t *out);

/* One row per limit: key in documents and results, flag, unit; ends with key = NULL. */
struct limit_row {
	const char *key;   /* "wall_s", "memory", … in a document's "limits" */
	const char *flag;  /* "--wall", "--memory", … */
	enum limit_unit unit;
	unsigned offset;   /* offsetof(struct limits, …) */
	const char *help;
};
extern const struct limit_row limit_rows[];

/* The row of that key, or NULL. */
const struct limit_row *limits_find(const char *key);
