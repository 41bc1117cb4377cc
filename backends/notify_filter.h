/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter that tells: a copy of a session's filter which asks the launcher where the first refuses with
 * EPERM or EACCES and the like, and tells it of some of the calls that the first allows.
 */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

struct notify_wish {
	bool addressed; /* NOTIFY_ADDRESSED calls too */
	bool opens;     /* NOTIFY_OPENS calls too */
	uint64_t program, parcel; /* the addresses of SPARE_PROGRAM and SPARE_PARCEL */
};

/* Makes the copy of `law` that tells: out->filter is malloc'd, the caller's. 0 or -errno. */
int notify_filter_make(const struct sock_fprog *law, const struct notify_wish *wish,
		       struct sock_fprog *out);

/* What `law` says of this call: SECCOMP_RET_… with its data. A program it cannot follow kills. */
uint32_t notify_filter_ask(const struct sock_fprog *law, const struct seccomp_data *call);
