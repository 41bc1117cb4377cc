/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A kernel that lacks something: one system call fails with a chosen errno, for a program and all it
 * starts. Tests run stile under it to see what a poorer host would make of it.
 *
 *   refuse CALL[:ARGUMENT:BITS] ERRNO -- PROGRAM [ARGUMENT…]
 *
 *   refuse landlock_create_ruleset ENOSYS -- stile run -- true
 *   refuse unshare:0:0x40000000 EPERM -- stile run -- true     only where argument 0 has these bits
 *
 * Sets no_new_privs. More than one refusal: refuse … -- refuse … -- PROGRAM.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERRNO_MAX 133

__attribute__((noreturn)) static void die(const char *what, const char *why)
{
	fprintf(stderr, "refuse: %s: %s\n", what, why);
	exit(125);
}

static int errno_by_name(const char *name)
{
	for (int e = 1; e <= ERRNO_MAX; e++) {
		const char *known = strerrorname_np(e);

		if (known && strcmp(known, name) == 0)
			return e;
	}
	die(name, "no such errno");
}

static int add_refusal(scmp_filter_ctx ctx, char *call, uint32_t action)
{
	char *argument = strchr(call, ':'), *bits = argument ? strchr(argument + 1, ':') : NULL;
	struct scmp_arg_cmp cmp = { .op = SCMP_CMP_MASKED_EQ };
	int number;

	if (argument && !bits)
		die(call, "CALL:ARGUMENT:BITS is expected");
	if (argument)
		*argument = 0;
	number = seccomp_syscall_resolve_name(call);
	if (number == __NR_SCMP_ERROR)
		die(call, "no such system call");
	if (!argument)
		return seccomp_rule_add_array(ctx, action, number, 0, NULL);
	cmp.arg = (unsigned)strtoul(argument + 1, NULL, 0);
	cmp.datum_a = cmp.datum_b = strtoul(bits + 1, NULL, 0);
	return seccomp_rule_add_array(ctx, action, number, 1, &cmp);
}

int main(int argc, char **argv)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int r;

	if (argc < 5 || strcmp(argv[3], "--") != 0) {
		fputs("usage: refuse CALL[:ARGUMENT:BITS] ERRNO -- PROGRAM [ARGUMENT...]\n", stderr);
		return 125;
	}
	if (!ctx)
		die("seccomp_init", "failed");
	r = add_refusal(ctx, argv[1], SCMP_ACT_ERRNO((uint32_t)errno_by_name(argv[2])));
	if (r == 0)
		r = seccomp_load(ctx);
	if (r < 0)
		die("the filter", strerror(-r));
	seccomp_release(ctx);
	(void)execvp(argv[4], argv + 4);
	die(argv[4], strerror(errno));
}
