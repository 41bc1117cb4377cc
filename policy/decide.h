/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The questions a running program's calls ask of the policy, beside those about paths (block.h). Each
 * answer is a verdict with the sentence and the fix in `text` (NULL = no sentence wanted, both are "");
 * the layer is the caller's to set.
 *
 * Like all that decides: reads one frozen block, no memory, no lock, no system call, safe in a signal
 * handler and after vfork. The same object code in the shim and in the launcher.
 */
#pragma once

#include "policy/block.h"

#include <stdbool.h>
#include <stddef.h>

enum network_use {
	NETWORK_SOCKET, /* `address`: the family, "AF_INET"; "unix:" for that one */
	NETWORK_CONNECT,
	NETWORK_BIND,
	NETWORK_SEND,
	NETWORK_LOOKUP, /* `address`: the name */
	NETWORK_USES
};

enum process_use {
	PROCESS_FORK,  /* `path` is not looked at */
	PROCESS_EXEC,  /* another program in the place of this one: no new process */
	PROCESS_SPAWN, /* both at once */
	PROCESS_USES
};

/* `address`: "192.0.2.1:80", "[::1]:80", "unix:/path", "unix:@abstract". Needs network "host"; UNIX sockets
 * need what processes need, since only processes can be at their other end. */
void policy_decide_network(const struct policy_block *b, enum network_use use, const char *address,
			   struct verdict_text *text, struct verdict *out);

/* `path`: absolute, normalised, the real one. A new process needs process.create, a new program
 * the right to execute its file. */
void policy_decide_process(const struct policy_block *b, enum process_use use, const char *path,
			   struct verdict_text *text, struct verdict *out);

/* Signals stay among the run's own processes. `target`: "pid 1", for the sentence. */
void policy_decide_signal(const struct policy_block *b, bool is_own, const char *target,
			  struct verdict_text *text, struct verdict *out);

/* May this shared object (absolute, real path) be loaded? It must be readable; with load off also out of
 * the program's own writing, and in a folder of the system, of an executable rule or of the recipe. */
void policy_decide_load(const struct policy_block *b, const char *path, struct verdict_text *text,
			struct verdict *out);

/* Is the block's profile `code`, whose refusals have sentences of their own? */
bool policy_is_code(const struct policy_block *b);

/* That sentence, into out[size]: about `event` (a call, or an interpreter's event) and, for a path, `target`.
 * "" when the axis has none. */
void policy_say_code(enum axis axis, const char *event, const char *target, char *out, size_t size);
