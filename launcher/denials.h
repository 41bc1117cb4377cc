/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was refused to a running program: one list a run, fed by the shim's ring (told, not trusted) and
 * by the kernel's notifications (seen, trusted). The same refusal again only raises a count, so what
 * is kept is bounded whatever the program does; what found no room is counted as lost.
 */
#pragma once

#include "policy/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DENIALS_MAX 1024 /* different ones kept; the others are counted as lost */
#define DENIAL_FRAMES_MAX 16
#define DENIAL_UNKNOWN UINT64_MAX

/* One native frame. The program told it: names of files are cut to their room, numbers may be lies. */
struct denial_frame {
	uint64_t offset;       /* into the module */
	char module[256];      /* "" = the program itself */
	char symbol[128];      /* "" = not known */
	uint64_t symbol_offset; /* from the symbol's start */
};

/* Where in a script; line 0 = not known. */
struct denial_script {
	char file[256], function[128];
	uint32_t line;
};

/* One refusal. The texts are borrowed while it is handed in, and the list's own when it is handed out. */
struct denial {
	uint64_t at_ms;        /* since the start; DENIAL_UNKNOWN = not known */
	int32_t pid;           /* as the program's namespace numbers it; 0 = not known */
	enum layer layer;      /* who refused */
	bool trusted;          /* the kernel says so; false = the shim does */
	bool bypassed;         /* the kernel saw it, and the shim of that process did not tell of it */
	bool is_past_shim;     /* no hook tells of the like: not to have told is no bypassing */
	enum axis axis;
	const char *call;      /* "openat", "connect", "subprocess.Popen"; NULL or "" = not known */
	const char *target;    /* a path, "address:port", …; NULL or "" = none */
	int error;             /* errno the program got; 0 = not known */
	uint32_t rule;         /* of the policy block; 0 = the default */
	const char *reason;    /* one sentence */
	const char *fix;       /* NULL or "" = nothing would allow it */
	uint64_t count;        /* how often; 0 counts as 1 */
	const struct denial_frame *frames; /* innermost first; NULL = none */
	size_t frame_count;
	const struct denial_script *script; /* NULL = not known */
};

struct denials;

/* An empty list, for one run at a time; NULL = out of memory. Freed with denials_free (NULL is fine). */
struct denials *denials_new(void);
void denials_free(struct denials *list);

/* Forgets all of the run before. */
void denials_clear(struct denials *list);

/*
 * Takes a refusal in: the texts are copied. The same one again (who says so, layer, axis, call, target,
 * error, innermost frame and line of the script; in whatever process) only raises the count of the
 * first. Never fails: what finds no room is counted as lost. A NULL list takes nothing.
 */
void denials_add(struct denials *list, const struct denial *denial);

/*
 * Once both sides are in: what the kernel saw and the shim told (same axis, target and error) becomes
 * one, trusted, with the shim's place in the program; what the kernel alone saw in a process that
 * the shim covers is marked as bypassed, unless a hook told of something else on that axis (but paths): one call of
 * libc is several of the kernel's. `is_covered` is asked with the denial's pid.
 */
void denials_reconcile(struct denials *list, bool (*is_covered)(void *ctx, int32_t pid), void *ctx);

/* Refusals of which nothing but their number is known. */
void denials_add_lost(struct denials *list, uint64_t count);

/* How many different ones there are, and the i-th of them in the order of their coming. */
size_t denials_count(const struct denials *list);
const struct denial *denials_at(const struct denials *list, size_t i);

/* How many there were, the lost ones included; and how many were lost. A NULL list has none. */
uint64_t denials_total(const struct denials *list);
uint64_t denials_lost(const struct denials *list);
