/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving up every capability, for good. Raw system calls only: runs in children. */
#pragma once

/* Empties bounding (where allowed), ambient, permitted, effective and inheritable sets and locks
 * the secure bits. 0 or -errno. */
int caps_drop(void);
