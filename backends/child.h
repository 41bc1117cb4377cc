/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program's child, from vfork to exec. Runs in the warden's memory; raw system calls only. */
#pragma once

#include "backends/warden.h"

struct child_order {
	struct warden_area *area;
	int fds[3];
	bool walls;        /* false = audit-only: no seccomp, no_new_privs still */
	int signal_scope;  /* Landlock ruleset that keeps signals to itself, -1 = none */
	const struct sock_fprog *telling; /* the filter with a listener, tried first; NULL = none */
	int socket;        /* to the launcher, for the listener */
};

/* Closes all descriptors above 2 but these two, each of which may be -1. 0 or -errno. */
int child_close_others(int one, int other);

/* Becomes the program. On failure writes area->child_step and child_error and _exit()s. */
__attribute__((noreturn)) void child_become_program(const struct child_order *order);
