/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No capability is left: in a child, by the kernel's own account. */
#include "backends/caps.h"

#include <linux/securebits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The line of /proc/self/status as a number; all ones when there is none. */
static unsigned long long status_of(const char *key)
{
	char line[256];
	unsigned long long value = ~0ull;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			(void)sscanf(line + strlen(key), "%llx", &value);
	if (f)
		(void)fclose(f);
	return value;
}

static bool has_no_sets(void)
{
	return caps_drop() == 0 && status_of("CapEff:") == 0 && status_of("CapPrm:") == 0 &&
	       status_of("CapInh:") == 0 && status_of("CapAmb:") == 0;
}

static bool has_no_bounding_set(void)
{
	caps_drop_bounding();
	return status_of("CapBnd:") == 0;
}

/* Root without its powers: exec of a set-id file or as uid 0 gives none back. */
static bool has_locked_bits(void)
{
	const int locked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP_LOCKED;

	return caps_drop() == 0 && (prctl(PR_GET_SECUREBITS) & locked) == locked;
}

static bool stays_without_after_setuid(void)
{
	return caps_drop() == 0 && setuid(geteuid()) == 0 && status_of("CapEff:") == 0;
}

static bool holds_in_child(bool (*claim)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(claim() ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status == 0;
}

static void all_sets_are_empty(void **state)
{
	(void)state;
	assert_true(holds_in_child(has_no_sets));
}

static void the_bounding_set_is_empty_where_it_may_be_dropped(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_true(holds_in_child(has_no_bounding_set));
}

static void uid_0_is_no_root_any_more(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_true(holds_in_child(has_locked_bits));
	assert_true(holds_in_child(stays_without_after_setuid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sets_are_empty),
		cmocka_unit_test(the_bounding_set_is_empty_where_it_may_be_dropped),
		cmocka_unit_test(uid_0_is_no_root_any_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
