/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing something with an environment that carries the shim on; shim only. */
#pragma once

struct call;

/* syscall(SYS_execve or SYS_execveat, a…) as a hook would do it; comes back only with -1
 * and errno. */
int exec_by_number(long number, const long a[6], const struct call *call);

/*
 * Calls act(ctx, …) with this environment, or with a repaired copy of it that lives as
 * long as the call. Returns what act returned. Safe after vfork.
 */
int exec_with_environment(char *const *environment,
			  int (*act)(void *ctx, char *const *environment), void *ctx);
