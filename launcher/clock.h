/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The monotonic clock, by which the launcher measures; it does not jump. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_us(void)
{
	return clock_ns() / 1000u;
}
