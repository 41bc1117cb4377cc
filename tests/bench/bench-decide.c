/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Does a decision cost the same with ten rules and with a hundred thousand? Prints the time to load,
 * the time of one decision, and the ratio; the claim of the design is a ratio near 1 (memory caches
 * make it more than 1).
 */
#include "policy/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FEW 10
#define MANY 100000
#define DECISIONS 2000000u

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* PATH_PROTECT beside the right: the paths need not exist. */
static struct policy_block *load(unsigned rules)
{
	struct policy *p = policy_new();
	struct policy_block *b = NULL;
	double start = now();

	for (unsigned i = 0; p && i < rules; i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "/bench/d%u/f%u", i % 300, i);
		if (policy_add_path(p, path, NULL, PATH_READ | PATH_PROTECT, "bench") < 0)
			exit(1);
	}
	if (!p || policy_compile(p, &b) < 0)
		exit(1);
	policy_free(p);
	printf("load    %6u rules  %8.1f ms\n", rules, (now() - start) * 1e3);
	return b;
}

static double measure(unsigned rules)
{
	struct policy_block *b = load(rules);
	unsigned granted = 0;
	double start = now(), each;

	for (unsigned i = 0; i < DECISIONS; i++) {
		static const char *const paths[] = { "/bench/d3/f3/a/b/c", "/bench/d4/none/x",
						     "/usr/lib/python3/os.py", "/bench/d5/f5" };

		granted += policy_path_rights(b, paths[i % 4], NULL) & PATH_READ;
	}
	each = (now() - start) / DECISIONS * 1e9;
	printf("decide  %6u rules  %8.1f ns  (%u granted)\n", rules, each, granted);
	free(b);
	return each;
}

int main(void)
{
	double few = measure(FEW), many = measure(MANY);

	printf("ratio   %.2f\n", many / few);
	return 0;
}
