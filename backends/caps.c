/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dropping capabilities: also when started as root, also in a user namespace of our own, where
 * the first process has them all. The bounding set goes once, in the warden, whose children inherit
 * that; the rest in the program's child, before exec, and in init.
 */
#include "backends/caps.h"

#include "backends/sys.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>

/* Without CAP_SETPCAP (ordinary user, no namespace) there is nothing in the sets to begin with, and
 * no_new_privs keeps the bounding set from mattering. */
void caps_drop_bounding(void)
{
	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			break;
}

int caps_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	(void)prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
					       SECBIT_NO_SETUID_FIXUP |
					       SECBIT_NO_SETUID_FIXUP_LOCKED |
					       SECBIT_KEEP_CAPS_LOCKED);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return sys_capset(&header, none) < 0 ? -errno : 0;
}
