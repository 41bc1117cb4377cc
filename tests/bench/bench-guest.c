/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program that bench-run starts: static, does nothing; with a number, writes that many MiB. */
#include <stdlib.h>
#include <unistd.h>

static char chunk[65536];

int main(int argc, char **argv)
{
	unsigned long long left = argc > 1 ? strtoull(argv[1], NULL, 10) << 20 : 0;

	while (left) {
		ssize_t n = write(1, chunk, sizeof(chunk));

		if (n <= 0)
			return 1;
		left -= (unsigned long long)n < left ? (unsigned long long)n : left;
	}
	return 0;
}
