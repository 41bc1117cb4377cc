/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the policy says of a call that the shim told of: asked again, here. */
#pragma once

#include "policy/block.h"

struct told_call {
	enum axis axis;     /* AXIS_NONE: by the call's name */
	unsigned access;    /* PATH_… asked for; 0 = to read */
	const char *call;   /* a hook's name or an interpreter's event */
	const char *target; /* what for, as the shim tells it */
};

/* Which axis a call of this name is on, where its record has none; AXIS_NONE = not known. */
enum axis told_axis(const struct told_call *call);

/* The verdict of the deciding functions, its sentences in `text` (NULL = none are wanted), in profile code those of that profile. What
 * cannot be asked is allowed. */
void told_judge(const struct policy_block *block, const struct told_call *call,
		struct verdict_text *text, struct verdict *out);
