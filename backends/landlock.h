/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Landlock: rights to files, TCP, and scopes, by the running kernel's ABI.
 */
#pragma once

#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

#define LANDLOCK_ABI_KNOWN 10
#define LANDLOCK_ABI_SIGNALS 6 /* scopes signals from here on */

struct landlock_set {
	uint64_t fs, net, scoped; /* handled */
	int abi;                  /* the table row in force, 1 … LANDLOCK_ABI_KNOWN */
	bool retried;             /* the kernel's ABI promised more than it took */
};

/* The kernel's ABI, or -errno (ENOSYS: not built in; EOPNOTSUPP: not enabled at boot). */
int landlock_abi(void);

/* The handled sets of one ABI, masked to what the policy needs (network "host" handles no TCP). */
struct landlock_set landlock_set_for(int abi, enum network_mode network);

/* File rights that PATH_… rights grant under `set`, for a folder or for anything else. */
uint64_t landlock_rights(const struct landlock_set *set, unsigned path_rights, bool is_dir);

/* Creates a ruleset for `abi`; on EINVAL tries the next lower row and says so in *set.
 * Returns the descriptor or -errno. */
int landlock_create(int abi, enum network_mode network, struct landlock_set *set);

/* Grants `path_rights` on the file behind `fd` (O_PATH). 0 or -errno. */
int landlock_grant(int ruleset, const struct landlock_set *set, int fd, unsigned path_rights);

/* Grants reading and writing the file behind `fd` as it stands: it can be neither cut nor removed. */
int landlock_grant_in_place(int ruleset, const struct landlock_set *set, int fd);

/* Grants every path rule of the policy that exists in the present root; own_root: it is one built by
 * root_build(), whose private places are the session's. 0 or -errno. */
int landlock_grant_policy(int ruleset, const struct landlock_set *set, const struct policy *p,
			  bool own_root);

/* Restricts the calling thread; needs no_new_privs. 0 or -errno. */
int landlock_enter(int ruleset);

/* A ruleset that only scopes signals (ABI 6): descriptor or -errno. */
int landlock_create_signal_scope(int abi);
