/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in a Python script the running thread is. Runs inside the program. */
#pragma once

#include "shim/ring.h"

#include <stdbool.h>

/*
 * By asking the interpreter, where this thread holds it; else what cpython_note() kept
 * for this thread: most system calls are made after the interpreter was let go.
 */
bool cpython_where(struct ring_script *out);

/* Called in each audit event: forgets the place, or (is_refused) keeps it for the system
 * call that follows. */
void cpython_note(bool is_refused);
