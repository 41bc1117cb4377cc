/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a pid namespace's init, for its own program and for the fork that replaces it. */
#pragma once

#include <stdint.h>

/* What the orphans it reaped since the last order have used. */
struct init_report {
	uint64_t cpu_us, max_rss_kb;
};

/* Obeys the orders on descriptor 0 (one byte each: kill all), answers each on 1 with a struct init_report,
 * and ends with the end of file. Needs no libc. */
__attribute__((noreturn)) void init_loop(void);
