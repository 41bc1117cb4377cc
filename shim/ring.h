/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ring file: what the shim tells the launcher. A file of bounded size, made by stile before the program
 * starts, mapped shared by the shim in every process of a run, and read by the launcher with pread.
 *
 * Everything here can be written by the program at any time. The launcher therefore believes nothing in
 * it: indices are bounded, texts are cut at their room, and what it takes from here is `trusted: false`.
 *
 * Layout, all sparse:   struct ring_header (one page) | struct ring_counter (one page)
 *                       | struct ring_process[RING_PROCESSES] | struct ring_denial[RING_DENIALS]
 *                       | struct ring_record[RING_RECORDS]
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define RING_MAGIC 0x474e49525f454c54ull /* "TL_RING" */
#define RING_VERSION 1u
#define RING_PAGE 4096u
#define RING_PROCESSES 1024u
#define RING_DENIALS 512u /* different ones; the same one again only counts */
#define RING_RECORDS 8192u
#define RING_TARGET_MAX 416 /* a longer path goes on in the next records */
#define RING_FRAMES 16
#define RING_MODULE_MAX 96

/* Where the room stands that holds the shim, the frozen policy and the ring, for the program: in a root of
 * our own always here, else a folder of the session that RING_ROOM_VARIABLE names. */
#define RING_ROOM "/.stile"
#define RING_ROOM_VARIABLE "STILE_ROOM"
/* A program of AddressSanitizer's refuses to start behind any library but its own runtime, which it knows by
 * this part of the name; it does no harm there, since every hook goes on to the next one of its name. */
#define RING_SHIM_NAME "shim-behind-libasan.so"
#define RING_POLICY_NAME "policy"
#define RING_FILE_NAME "ring"

/* Set by the launcher before the start; the shim reads them once, in its constructor. */
enum ring_flag {
	RING_WALLS = 1 << 0,      /* the kernel refuses by itself: ask it first, then explain */
	RING_OBSERVE = 1 << 1,    /* refuse nothing in the shim */
	RING_RECORD_ALL = 1 << 2, /* allowed calls too go into the records */
	RING_LOSSLESS = 1 << 3,   /* wait (a little) for the reader rather than lose records */
	RING_JUDGE_STAT = 1 << 4, /* the policy asks about stat-like calls too */
	RING_CODE = 1 << 5        /* profile code: what CPython's own events are refused for */
};

struct ring_header {
	uint64_t magic;
	uint32_t version, flags;
	uint64_t start_ns;                /* CLOCK_MONOTONIC when the program was started */
	_Atomic uint64_t written;         /* records ever reserved; record n stands in slot n % RING_RECORDS */
	_Atomic uint64_t read;            /* records the launcher has taken; only its hint to us */
	_Atomic uint64_t records_lost;
	_Atomic uint64_t denials_lost;    /* no room for a new one */
	_Atomic uint64_t processes_lost;
};

/* One page for the step counter (issue of its own); named here so that the layout is in one place. */
struct ring_counter {
	uint64_t magic;
	uint32_t state, unit;
	_Atomic uint64_t count, count_all;
	uint64_t budget; /* UINT64_MAX = none */
	char counter[32], runtime[64];
	char where_file[1024], where_function[256];
	uint32_t where_line, spare;
};

enum ring_process_state {
	RING_FREE,
	RING_EXEC,     /* a hook is about to exec `exe`; stays so where the new image has no shim */
	RING_ATTACHED, /* the shim runs in it */
	RING_EXEC_FAILED
};

struct ring_process {
	_Atomic uint32_t state; /* enum ring_process_state, written last */
	uint32_t pid, parent;   /* as the program's pid namespace numbers them */
	uint32_t spare;
	uint64_t at_ns;         /* CLOCK_MONOTONIC */
	char exe[RING_TARGET_MAX];
};

/* One native frame. `module` is the file's name as the loader knows it, "" = the program itself, "[unknown]" =
 * in no file: a JIT's code, or a libc that cannot tell; the offset is 0 then. */
struct ring_frame {
	uint64_t address; /* as mapped */
	uint64_t offset;  /* within the module: address minus its load bias */
	char module[RING_MODULE_MAX];
};

/* Where in a script; line 0 = not known. */
struct ring_script {
	uint32_t line;
	char file[252], function[128];
};

/* One call, judged. */
struct ring_record {
	_Atomic uint64_t number; /* 1 + n once record n is whole; written last */
	uint64_t at_ns;          /* CLOCK_MONOTONIC */
	uint32_t pid, tid;
	uint16_t hook;           /* row of hooks.def; RING_MORE = the target of the one before goes on */
	uint8_t axis, action, layer, access; /* of verdict.h; access: PATH_… asked for */
	uint16_t length;         /* of target, in bytes; may go on in the next records */
	int32_t error;           /* errno the program got, 0 = none */
	uint32_t rule;           /* of the block */
	char target[RING_TARGET_MAX];
};
#define RING_MORE 0xffff
#define RING_NO_HOOK 0xfffe /* an interpreter's event: a denial's `call` alone names it */

/* One kind of refused call: the same hook, target, error and caller only raise `count`. */
struct ring_denial {
	_Atomic uint64_t key;   /* hash of what makes it the same; 0 = free */
	_Atomic uint64_t count;
	_Atomic uint32_t whole; /* 1 once the rest can be read */
	uint32_t frame_count;
	struct ring_record record;
	struct ring_script script;
	struct ring_frame frames[RING_FRAMES];
	char call[48];          /* the name the program called, or CPython's event */
	char text[512];         /* the sentence the program was given, "" = the verdict's own */
};

#define RING_AT_COUNTER (RING_PAGE)
#define RING_AT_PROCESSES (2 * RING_PAGE)
#define RING_AT_DENIALS (RING_AT_PROCESSES + RING_PROCESSES * sizeof(struct ring_process))
#define RING_AT_RECORDS (RING_AT_DENIALS + RING_DENIALS * sizeof(struct ring_denial))
#define RING_BYTES (RING_AT_RECORDS + RING_RECORDS * sizeof(struct ring_record))

_Static_assert(sizeof(struct ring_header) <= RING_PAGE, "the header is one page");
_Static_assert(sizeof(struct ring_counter) <= RING_PAGE, "the counter is one page");
