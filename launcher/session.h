/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session: a private folder and prepared walls, serving runs one after the other.
 */
#pragma once

#include "backends/cgroup.h"
#include "backends/seccomp.h"
#include "backends/warden.h"
#include "launcher/denials.h"
#include "launcher/result.h"
#include "launcher/session_folder.h"
#include "launcher/shim_use.h"
#include "launcher/steps.h"
#include "policy/block.h"
#include "policy/policy.h"

#include <stdbool.h>

enum sandbox_mode { SANDBOX_AUTO, SANDBOX_NATIVE, SANDBOX_CONTAINER, SANDBOX_AUDIT_ONLY, SANDBOX_MICROVM };

/* What the caller asks for beside the policy. */
struct event_log;

struct session_wish {
	enum sandbox_mode mode;
	const char *label;     /* borrowed until the walls stand; NULL = none */
	struct event_log *log; /* told then; borrowed, NULL = none */
	struct shim_wish shim;
};

/* The mode of that name (trimmed, any case): 0, or -EINVAL with the spec's text in `why`. */
int sandbox_mode_parse(const char *text, enum sandbox_mode *mode, char *why, size_t size);
const char *sandbox_mode_name(enum sandbox_mode mode);

struct session {
	struct policy *policy;      /* owned */
	struct policy_block *block; /* owned; from the raising on it knows the run folders' place */
	enum sandbox_mode mode;
	struct session_folder folder;
	bool has_folder;
	struct seccomp_program seccomp;
	struct warden warden;
	struct denials *denials; /* of the run at hand; owned */
	struct shim_use *shim;   /* owned; NULL where nothing can be run */
	bool is_open, is_raised;
	struct session_wish wish;
	char unavailable[512]; /* why, for the rest of the session; "" = available */
	struct layers layers;
	struct cgroup_host cgroup_host; /* looked at when first needed */
	struct cgroup cgroup;
	bool has_looked_for_cgroups, requires_cgroup;
	unsigned serial;
	struct step_host step_host; /* what its counters cost here */
	int signals; /* the caller's, heard from open to close */
};

/* Takes `policy` over and freezes it; nothing is started or made. Returns 0 or -errno (out of memory, policy
 * that does not compile). */
int session_begin(struct session *s, struct policy *policy, const struct session_wish *wish);

/* Makes the folder and raises the walls; the first run does it where nobody did. A session that cannot be
 * walled in is open too, but unavailable: every run of it says so. Idempotent. 0 or -errno (out of
 * memory). */
int session_raise(struct session *s);

/* Both. */
int session_open(struct session *s, struct policy *policy, const struct session_wish *wish);
void session_close(struct session *s); /* idempotent */
