/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel tells of a running program's calls: each is judged by the same functions as everywhere,
 * answered, and, where it is refused, added to the run's denials as trusted.
 */
#pragma once

#include "launcher/denials.h"
#include "policy/block.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sock_fprog;

/* What a run's notices are judged by; all borrowed until notices_end(). */
struct notices_ground {
	const struct policy_block *block;
	const struct sock_fprog *law; /* the session's filter without a listener */
	const char *work, *room;      /* the session's own folders, for the program besides the policy's */
	pid_t warden;
	bool has_own_root;            /* paths outside of the policy do not exist for the program */
	bool has_own_pids;            /* nor do processes outside */
	bool scopes_signals;          /* Landlock keeps signals to the run */
	struct denials *denials;      /* NULL = nothing is kept */
};

struct notices;

/* Begins to hear this run's listener, and owns it from now on, also where it fails. NULL = out of memory. */
struct notices *notices_begin(const struct notices_ground *ground, int listener);

/* The descriptor to wait on for reading. */
int notices_fd(const struct notices *n);

/* Answers one waiting call, if there is one; never waits. false: nobody is left who could call. */
bool notices_serve(struct notices *n);

/* Closes the listener. NULL is fine. */
void notices_end(struct notices *n);
