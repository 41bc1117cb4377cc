/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the policy answers to one question of a call; shim only. */
#pragma once

#include "shim/address.h"
#include "shim/call.h"
#include "shim/resolve.h"

struct answer {
	struct verdict verdict; /* its layer is "shim" */
	const char *target; /* what it is about, in the text or the place below, or the
			       program's own */
	int error;	    /* errno of the walls for such a refusal, 0 = allowed */
	char text[ADDRESS_TEXT_MAX];
	struct resolved place;
};

/* Asks. False where the shim cannot or need not decide: the kernel's answer stands. */
bool question_decide(const struct question *ask, struct answer *out);

/* What the question is about, as cheaply as it can be had: for records of allowed calls.
 * NULL = nothing. May use out->text and out->place. The call must have gone well, or not
 * have failed with EFAULT. */
const char *question_target(const struct question *ask, struct answer *out);

/* A quick yes, from the text of the path alone and without a look at the file system: the
 * rules of the policy would grant it, so a missing file is just missing. */
bool question_is_granted(const struct question *ask, struct answer *room);

/* Is this process one of the run's own? */
bool signal_is_own(int pid);
