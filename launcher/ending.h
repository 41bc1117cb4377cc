/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a run ended: each function fills the result's status, code, reason and finding. */
#pragma once

#include "launcher/run.h"
#include "launcher/watch.h"

/* Nothing was started. `why`: of the sandbox; the preflight's verdict; a sentence about the program. */
void ending_unavailable(const char *why, struct result *r);
void ending_denied(struct result *r, const struct verdict *verdict);
void ending_refused(struct result *r, enum axis axis, const char *reason, const char *fix);

/* A step between fork and exec failed, and the warden's area tells which: the program never ran. */
void ending_not_started(const struct session *s, const char *program, struct result *r);

/* A fault of stile itself. */
void ending_error(struct result *r, const char *what, int error);

/* The program ran, and all of it is dead; what the warden measured and the loop saw says how. */
void ending_ended(struct session *s, const struct watch *w, const struct captured *captured,
		  struct result *r);
