/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Advice: why a layer does not hold, as far as the host's own settings tell, and what to change. A
 * setting is named only when its value now is the one that forbids.
 */
#include "launcher/advice.h"

#include "backends/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In the order of asking; the first that forbids is named. Layer: the beginning of its name. */
static const struct {
	const char *layer, *name, *path, *forbids, *change;
} settings[] = {
	{ "namespace", "user.max_user_namespaces", "/proc/sys/user/max_user_namespaces", "0",
	  "sysctl -w user.max_user_namespaces=15000, and the same in /etc/sysctl.d" },
	{ "namespace", "kernel.unprivileged_userns_clone",
	  "/proc/sys/kernel/unprivileged_userns_clone", "0",
	  "sysctl -w kernel.unprivileged_userns_clone=1, and the same in /etc/sysctl.d" },
	{ "namespace", "kernel.apparmor_restrict_unprivileged_userns",
	  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
	  "an AppArmor profile for stile with the rule \"userns,\", or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" },
	{ "namespace pid", "user.max_pid_namespaces", "/proc/sys/user/max_pid_namespaces", "0",
	  "sysctl -w user.max_pid_namespaces=15000" },
	{ "namespace ipc", "user.max_ipc_namespaces", "/proc/sys/user/max_ipc_namespaces", "0",
	  "sysctl -w user.max_ipc_namespaces=15000" },
	{ "namespace uts", "user.max_uts_namespaces", "/proc/sys/user/max_uts_namespaces", "0",
	  "sysctl -w user.max_uts_namespaces=15000" },
	{ "namespace mount", "user.max_mnt_namespaces", "/proc/sys/user/max_mnt_namespaces", "0",
	  "sysctl -w user.max_mnt_namespaces=15000" },
	{ "namespace network", "user.max_net_namespaces", "/proc/sys/user/max_net_namespaces", "0",
	  "sysctl -w user.max_net_namespaces=15000" },
};

/* By errno; 0 = any. */
static const struct {
	const char *layer;
	int error;
	const char *change;
} changes[] = {
	{ "landlock", ENOSYS,
	  "a kernel of 5.13 or newer with CONFIG_SECURITY_LANDLOCK=y; in a container, a seccomp profile that lets the landlock calls pass" },
	{ "landlock", EOPNOTSUPP,
	  "boot with landlock in the list of lsm= (see /sys/kernel/security/lsm); in a sandbox, run stile outside of it" },
	{ "landlock", 0, "a kernel of 5.13 or newer with Landlock; in a container, a seccomp profile that lets its calls pass" },
	{ "seccomp", 0, "a kernel with CONFIG_SECCOMP_FILTER=y" },
	{ "no_new_privs", 0, "a kernel of 3.5 or newer" },
	{ "namespace mount", ENOSYS, "a kernel of 5.12 or newer (mount_setattr)" },
	{ "namespace", EINVAL, "a kernel with this namespace built in (CONFIG_NAMESPACES and its kin)" },
	{ "namespace", ENOSYS, "a kernel with CONFIG_NAMESPACES=y, or a seccomp profile that lets unshare pass" },
	{ "namespace", ENOSPC, "a higher limit in user.max_*_namespaces, in this user namespace and those above it" },
	{ "namespace pid", EPERM,
	  "unprivileged user namespaces; in a container, a /proc nothing is mounted over (docker: --security-opt systempaths=unconfined)" },
	{ "namespace", 0,
	  "unprivileged user namespaces for this user: no container or security module that forbids unshare or the maps (docker: --security-opt seccomp=PROFILE)" },
	{ "cgroup", 0,
	  "a delegated cgroup with the controllers memory and pids: systemd-run --user --scope -p Delegate=yes, or Delegate=yes in the unit that starts stile" },
	{ "rlimit processes", 0,
	  "start stile as an ordinary user on a host with user namespaces, or delegate a cgroup with the controller pids" },
	{ "rlimit", 0, "a caller that may still lower its limits" },
	{ "", 0, "nothing known" },
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool read_value(const char *path, char *value, size_t size)
{
	_cleanup_file_ FILE *file = fopen(path, "re");

	if (!file || !fgets(value, (int)size, file))
		return false;
	value[strcspn(value, "\n")] = 0;
	return true;
}

const char *advice_for(const char *layer, const struct finding *f, struct setting *setting)
{
	size_t i = 0;

	*setting = (struct setting){ 0 };
	for (size_t k = 0; k < sizeof(settings) / sizeof(*settings); k++) {
		char value[sizeof(setting->value)];

		if (!begins(layer, settings[k].layer) ||
		    !read_value(settings[k].path, value, sizeof(value)) ||
		    strcmp(value, settings[k].forbids))
			continue;
		setting->name = settings[k].name;
		snprintf(setting->value, sizeof(setting->value), "%s", value);
		return settings[k].change;
	}
	while (!begins(layer, changes[i].layer) ||
	       (changes[i].error && changes[i].error != f->error))
		i++;
	return changes[i].change;
}
