/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The seccomp filter of a session: compiled once by libseccomp, loaded by each program's child.
 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>

struct seccomp_wish {
	bool network_host;    /* Internet sockets allowed */
	bool unix_sockets;    /* AF_UNIX besides socketpair */
	bool processes;       /* fork and its kin allowed */
	bool signals_outside; /* kill() of others: false only where processes are off */
};

/* A compiled program; filter is malloc'd, owned by the holder. */
struct seccomp_program {
	struct sock_fprog program;
};

/* Compiles the filter. 0 or -errno. Launcher, once per session. */
int seccomp_compile(const struct seccomp_wish *wish, struct seccomp_program *out);
void seccomp_free(struct seccomp_program *p);

/* Loads it in the calling thread; needs no_new_privs. In the child: raw system calls only. 0 or -errno. */
int seccomp_enter(const struct seccomp_program *p);
