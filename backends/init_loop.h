/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a pid namespace's init, for its own program and for the fork that replaces it. */
#pragma once

#include <stdint.h>

/* What the orphans it reaped since the last order have used. */
struct init_report {
	uint64_t cpu_us, max_rss_kb;
};

/* A report that is none: orphans were reaped since the last order, so an order is worth its while. Written
 * before the first of them is reaped, hence to be read by whoever sees none left. */
#define INIT_REAPED UINT64_MAX /* as its cpu_us */

/* Obeys the orders on descriptor 0 (one byte each: kill all), answers each on 1 with a struct init_report,
 * and ends with the end of file. Needs no libc. */
__attribute__((noreturn)) void init_loop(void);
