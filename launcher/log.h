/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event log: JSON lines about sessions, runs and denials, for whoever supervises. */
#pragma once

#include "launcher/result.h"
#include "launcher/session.h"

struct event_log {
	int fd; /* -1 = no log is wished */
	bool is_broken; /* said once */
};

/* Opens `target` (a file, appended to, or "fd:N"; NULL = none). On a mistake says so, -errno. */
int log_open(struct event_log *log, const char *target);
void log_close(struct event_log *log);

/* SANDBOX_SESSION, once for each session that is opened. */
void log_session(struct event_log *log, const struct session *s);

/* SANDBOX_UNAVAILABLE, or else SANDBOX_RUN where a program was started; and each DENIAL. */
void log_result(struct event_log *log, const struct result *r);
