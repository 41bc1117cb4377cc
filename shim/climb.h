/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of a folder's descriptor where there is no /proc to ask. Safe in a signal
 * handler. */
#pragma once

#include "shim/resolve.h"

/* 0 or -errno: -ENOTDIR for what is no folder, -ENODATA for one that was removed or
 * cannot be told. */
int climb_to_path(int fd, struct resolved *out);
