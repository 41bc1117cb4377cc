/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for what the traced threads do. */
#pragma once

#include "launcher/tracer.h"

/* The next event of any thread: its number, and *status. Impatiently: 0 when there is none for a while.
 * -EINTR: the timer; -ECHILD: nobody is left. Counts the page faults of the dead into the page. */
pid_t tracer_wait(struct tracer_page *page, bool is_patient, int *status);

/* Lets the timer break waits off; how often it does, 0 = never. */
void tracer_wait_hear_timer(void);
void tracer_wait_wake_every(suseconds_t us);
