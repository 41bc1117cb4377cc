/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run can leave in the session's private places, taken away before the next. */
#pragma once

#include <stdbool.h>

/* Empties the private /tmp and /dev/shm (own_root: the present root is root_build()'s) and removes the
 * System V objects of an ipc namespace of our own. Runs in the warden with nothing of the run alive. */
void leftovers_clear(bool own_root, bool own_ipc);
