/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session's use of the shim: its library, its room, its ring, and what a run's ring said.
 */
#pragma once

#include "backends/room.h"
#include "launcher/denials.h"
#include "launcher/observed.h"
#include "launcher/shim_cover.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

/* What the caller asked for. */
struct shim_wish {
	bool none;    /* --no-shim */
	bool observe; /* --observe: refuse nothing in the shim, record every call */
	bool explain; /* --explain: look closer at what passes the shim by */
};

struct shim_use;

/* Looks for the library. Always gives a use, *out owned by the caller, even where there will be no shim: the
 * cover's `why` then says so. 0 or -ENOMEM. */
int shim_use_open(struct shim_use **out, const struct shim_wish *wish);

/* What programs need besides the policy's own to have the shim: rules for the block (their texts are the
 * use's). `folder`: the session's. How many; at most SHIM_RULES_MAX. */
#define SHIM_RULES_MAX 5
size_t shim_use_rules(struct shim_use *use, const char *folder, struct path_rule out[SHIM_RULES_MAX]);

/* What the room will hold, and what judges what is told; borrowed. */
void shim_use_judge_by(struct shim_use *use, const struct policy_block *block);
void shim_use_close(struct shim_use *use); /* NULL is fine */

/* The room that a warden is to make: in the new root, or (`folder`: the session's, in which "room" is
 * made at first) as a folder. NULL = no shim. */
const struct room_plan *shim_use_plan(struct shim_use *use, const char *folder);

/* Once the warden stands: the ring it made (borrowed; -1 = the room is a folder), and what it says of
 * the room. */
void shim_use_settle(struct shim_use *use, int ring, struct layer_state *state, bool walls);

/* Does every program get the shim? */
bool shim_use_is_given(const struct shim_use *use);

/* Forgets what the last run was covered by, and did. NULL is fine. */
void shim_use_forget(struct shim_use *use);

/* Empties the ring for a new run. 0 or -errno. */
int shim_use_begin(struct shim_use *use);

/* The program's environment with the shim in it: a new list (freed by the caller with free) of `env`'s
 * entries and the use's own, which it keeps. NULL = out of memory. */
char **shim_use_environment(struct shim_use *use, char **env);

/* Where every call is recorded: takes what the ring has now. `ctx` is the use. */
void shim_use_drain(void *ctx);
bool shim_use_records(const struct shim_use *use);

/* What was recorded, once the run has ended; NULL = nothing was to be. Borrowed until the next. */
const struct observed *shim_use_observed(const struct shim_use *use);

/* Can this program take the shim in? 0, or -ENOEXEC and `why`, in the words of a missing required layer. */
int shim_use_check(const struct shim_use *use, const char *program, char *why, size_t size);

/* What was run. */
struct shim_run {
	const char *program, *cwd; /* what was executed, and where */
	int32_t inside;            /* its number in its own namespace */
	bool is_static;            /* a static program of this machine, by its header before the start */
};

/* After the run, as long as its files are there: what the shim told joins what the kernel saw. */
void shim_use_end(struct shim_use *use, struct denials *denials, const struct shim_run *run);

/* What the run since shim_use_begin() was covered by; borrowed until the next. */
const struct shim_cover *shim_use_cover(const struct shim_use *use);
