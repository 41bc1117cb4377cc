/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The caller's signals, as a descriptor. */
#pragma once

/* Sent to ourselves by the kernel when the calling process ends (--die-with-parent). */
#define SIGNAL_PARENT_GONE (SIGRTMIN + 5)

/* Blocks the signals a run forwards and returns a signalfd for them, non-blocking, or -errno. They stay
 * blocked: from here on they are heard, never fatal. */
int signals_open(void);

/* The next one that came, 0 = none. */
int signals_next(int fd);

/* Is this one a wish that stile end (interrupt, terminate, hang up, the parent's end)? */
int signals_ends(int signal);
