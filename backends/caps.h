/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving up every capability, for good. Raw system calls only: runs in children. */
#pragma once

/* Empties the bounding set, where that is allowed: of what the caller and its children will execute. */
void caps_drop_bounding(void);

/* Empties the ambient, permitted, effective and inheritable sets and locks the secure bits. 0 or -errno. */
int caps_drop(void);
