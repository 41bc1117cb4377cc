/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shim's own state and the few functions its files share. Everything here is hidden: the library
 * exports exactly the names of hooks.def.
 *
 * Runs inside the program, at any time: in signal handlers, after vfork, in threads. No malloc, no
 * stdio, no locks, no environment after the constructor; errno is the program's.
 */
#pragma once

#include "policy/block.h"
#include "shim/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shim {
	const struct policy_block *block; /* NULL = not attached: everything is let through */
	struct ring_header *ring;
	uint32_t flags; /* enum ring_flag as of the constructor */
	uint32_t mode;  /* enum shim_mode, from the flags; 0 = not attached */
	const char *preload;    /* "LD_PRELOAD=…/shim.so", what every new program must have first */
	const char *room;       /* "STILE_ROOM=…" */
};

enum shim_mode {
	SHIM_JUDGES = 1 << 0,   /* before the call: there are no walls */
	SHIM_EXPLAINS = 1 << 1, /* refused calls */
	SHIM_RECORDS = 1 << 2,  /* all calls */
	SHIM_LOADS = 1 << 3     /* judges what is loaded: no wall does */
};

extern struct shim shim; /* the one global; filled by the constructor and constant from then on */

/* What happened to one call. */
struct shim_event {
	uint16_t hook;
	const char *call;     /* the name called, or an interpreter's event */
	const char *target;   /* a path, an address as text …; "" = none */
	unsigned access;      /* PATH_… asked for */
	int error;            /* errno the program gets, 0 = allowed */
	const struct verdict *verdict;
	const char *text;     /* the sentence the program was given; NULL = the verdict's */
	const void *caller;   /* the hook's return address; NULL = no frames */
	const void *frame;    /* the hook's frame, to unwind from; NULL = caller only */
	const struct ring_script *script; /* NULL = none */
};

/* Writes one record or one denial into the ring. Never blocks (with RING_LOSSLESS a few ms at most). */
void shim_tell(const struct shim_event *event);

/* Maps the room that `environment` names and sets `shim`; `library` is the shim's own file, as it is to be
 * preloaded into other programs. Called once, before anything else. */
void shim_attach(char *const *environment, const char *library);

/* This process and thread, as the program's namespace numbers them; no system call after the first. */
uint32_t shim_pid(void);
uint32_t shim_tid(void);

/* The process table of the ring: this process has the shim; this process is about to run `exe` (the result
 * is for shim_exec_failed, which takes it back). */
void shim_tell_attached(void);
struct ring_process *shim_tell_exec(const char *exe);
void shim_tell_exec_failed(struct ring_process *process);
/* libc has made this child, which runs `exe`. */
void shim_tell_spawned(int pid, const char *exe);

static inline bool shim_is_attached(void)
{
	return shim.block != NULL;
}

/* Called at the end of the constructor, once attached: an interpreter's own hooks. Each does nothing in a
 * program that is not its interpreter. */
void cpython_attach(void);

/* Fills frames[max] from the caller upwards; returns how many. Async-signal-safe, allocates nothing. */
unsigned unwind_frames(const void *caller, const void *frame, struct ring_frame *frames, unsigned max);
