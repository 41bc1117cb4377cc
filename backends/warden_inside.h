/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The warden's own side: what the forked process does. */
#pragma once

#include "backends/warden.h"

__attribute__((noreturn)) void warden_live(const struct warden_plan *plan,
					   struct warden_area *area, int socket, pid_t launcher);
