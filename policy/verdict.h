/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verdict: the one type for every answer of the policy, everywhere.
 * Pure data; shared by the shim, the launcher and the backends.
 */
#pragma once

#include <stdint.h>

enum action { ACTION_ALLOW, ACTION_DENY };

enum axis {
	AXIS_NONE,
	AXIS_EXECUTABLE,
	AXIS_ARGV,
	AXIS_SHELL,
	AXIS_PATH,
	AXIS_NETWORK,
	AXIS_PROCESS,
	AXIS_SIGNAL,
	AXIS_LOAD,
	AXIS_SYSCALL,
	AXIS_RESOURCE,
	AXIS_COUNT
};

enum layer {
	LAYER_NONE,
	LAYER_PREFLIGHT,
	LAYER_SHIM,
	LAYER_LANDLOCK,
	LAYER_SECCOMP,
	LAYER_NAMESPACE,
	LAYER_RLIMIT,
	LAYER_CGROUP,
	LAYER_BUDGET,
	LAYER_PROXY,
	LAYER_COUNT
};

/* Room for one sentence about a path of any length the kernel takes. */
#define VERDICT_TEXT_MAX 4608

struct verdict {
	enum action action;
	enum axis axis;
	enum layer layer;   /* who says so */
	uint32_t rule;      /* index into the policy block's rules; 0 = the default */
	const char *reason; /* one sentence, no newline; static or in a struct verdict_text */
	const char *fix;    /* the flag or policy line that would allow it; "" = nothing would */
};

/* Caller-owned storage for reasons that name an argument or a path. */
struct verdict_text {
	char reason[VERDICT_TEXT_MAX];
	char fix[VERDICT_TEXT_MAX];
};

/* Names as they stand in results ("path", "landlock", …); never NULL. */
const char *axis_name(enum axis axis);
const char *layer_name(enum layer layer);
