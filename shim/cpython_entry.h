/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit hook's entry in CPython's list of hooks, from registering to the interpreter's end. Runs inside the
 * program. */
#pragma once

#include "shim/cpython_api.h"

/* Registers the hook; to be called in the constructor, before the interpreter starts. */
void cpython_entry_add(cpython_hook *hook);

/* Called in the event that comes right before CPython frees its list. */
void cpython_entry_drop(void);
