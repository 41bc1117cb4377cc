/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which thread runs this. Inside the program, in signal handlers too. */
#pragma once

#include <stdbool.h>

/* Is this a child that lives in its parent's thread (vfork)? Then nothing of that
 * thread's may be used. */
bool thread_is_borrowed(void);
/* Is this the process's first thread? */
bool thread_is_first(void);
