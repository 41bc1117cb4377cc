/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing something with an environment that carries the shim on; shim only. */
#pragma once

/*
 * Calls act(ctx, …) with this environment, or with a repaired copy of it that lives as long as the call.
 * Returns what act returned. Safe after vfork.
 */
int exec_with_environment(char *const *environment, int (*act)(void *ctx, char *const *environment),
			  void *ctx);
