/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening and closing sessions: sweep, private folder, filter, warden. The walls are tried with every
 * namespace; each that the kernel refuses is named with its answer and left out, and what only it
 * gave is said. Landlock and seccomp are never left out: without them the session is unavailable.
 *
 * Runs in the launcher.
 */
#include "launcher/session.h"

#include "backends/cleanup.h"
#include "backends/landlock.h"
#include "backends/root.h"
#include "backends/rule_tree.h"
#include "launcher/limiters.h"
#include "launcher/log.h"
#include "launcher/signals.h"
#include "policy/compile.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const mode_names[] = {
	[SANDBOX_AUTO] = "auto",	   [SANDBOX_NATIVE] = "native",
	[SANDBOX_CONTAINER] = "container", [SANDBOX_AUDIT_ONLY] = "audit-only",
	[SANDBOX_MICROVM] = "microvm",
};

#define MODES (sizeof(mode_names) / sizeof(*mode_names))

const char *sandbox_mode_name(enum sandbox_mode mode)
{
	return mode_names[mode == SANDBOX_AUTO ? SANDBOX_NATIVE : mode];
}

int sandbox_mode_parse(const char *text, enum sandbox_mode *mode, char *why, size_t size)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	for (size_t i = 0; i < MODES; i++)
		if (strlen(mode_names[i]) == length && !strncasecmp(mode_names[i], text, length)) {
			*mode = (enum sandbox_mode)i;
			return 0;
		}
	snprintf(why, size,
		 "unknown sandbox mode '%.*s' (expected one of auto, native, container, microvm, audit-only)",
		 (int)length, text);
	return -EINVAL;
}

static void set_unavailable(struct session *s, const char *what, int r)
{
	if (s->unavailable[0])
		return;
	if (r < 0)
		snprintf(s->unavailable, sizeof(s->unavailable), "%s: %s", what, strerror(-r));
	else
		snprintf(s->unavailable, sizeof(s->unavailable), "%s", what);
}

static const struct {
	const char *step;
	int index;
	unsigned flag;
	const char *leaves_open;
} namespaces[] = {
	{ "namespace user", NS_USER, CLONE_NEWUSER, "" },
	{ "namespace pid", NS_PID, CLONE_NEWPID,
	  "processes of the same user are visible by number; orphans are hunted down by the warden" },
	{ "namespace ipc", NS_IPC, CLONE_NEWIPC, "System V IPC of the host is reachable" },
	{ "namespace uts", NS_UTS, CLONE_NEWUTS, "" },
	{ "namespace mount", NS_MOUNT, CLONE_NEWNS,
	  "stat, chmod, utime and extended attributes outside the policy's paths are not refused; protected files of the root are not protected" },
	{ "namespace network", NS_NETWORK, CLONE_NEWNET, "" },
};

#define NAMESPACES (sizeof(namespaces) / sizeof(*namespaces))

/* Which namespace a failed step belongs to; a failure while building the root is the mount namespace's
 * only where the kernel does not let us mount at all. */
static int failed_namespace(const char *step, int r)
{
	for (size_t i = 0; i < NAMESPACES; i++)
		if (strcmp(namespaces[i].step, step) == 0)
			return (int)i;
	if (r == -EPERM && (!strcmp(step, "mount a new root") || !strcmp(step, "mount /proc")))
		return !strcmp(step, "mount /proc") ? 1 : 4;
	return -1;
}

static void note_missing(struct session *s, int i, int r)
{
	struct layer_state *state = &s->layers.namespaces[namespaces[i].index];
	size_t used = strlen(s->layers.not_enforced);

	snprintf(state->why, sizeof(state->why), "%s: %s", namespaces[i].step, strerror(-r));
	if (namespaces[i].leaves_open[0])
		snprintf(s->layers.not_enforced + used, sizeof(s->layers.not_enforced) - used,
			 "%s%s", used ? "; " : "", namespaces[i].leaves_open);
}

static unsigned wished_namespaces(const struct policy *p)
{
	unsigned all = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS |
		       CLONE_NEWNET;

	return p->network == NETWORK_HOST ? all & ~(unsigned)CLONE_NEWNET : all;
}

/* Is there a root in which the shim's room can be made? */
static bool has_own_root(const struct session *s, const struct warden_plan *plan)
{
	return (plan->namespaces & CLONE_NEWNS) && !root_is_hosts(s->policy);
}

/* Starts the warden with as many namespaces as the host allows. */
static int raise_walls(struct session *s, struct warden_plan *plan)
{
	for (;;) {
		int r;

		plan->room = shim_use_plan(s->shim, has_own_root(s, plan) ? NULL : s->folder.path);
		r = warden_start(&s->warden, plan);
		char step[WARDEN_STEP_MAX];
		int missing;

		if (r == 0)
			return 0;
		snprintf(step, sizeof(step), "%s", s->warden.area ? s->warden.area->step : "");
		missing = failed_namespace(step, r);
		warden_stop(&s->warden);
		if (missing < 0 || !(plan->namespaces & namespaces[missing].flag)) {
			set_unavailable(s, step[0] ? step : "warden", r);
			return r;
		}
		note_missing(s, missing, r);
		plan->namespaces &= ~namespaces[missing].flag;
		if (!(plan->namespaces & CLONE_NEWNS) && rule_tree_needs_mounts(s->policy)) {
			set_unavailable(
				s, "the policy gives less below a path than the path has, which needs the mount namespace",
				r);
			return r;
		}
	}
}

/* Once a session, though a warden may have to be started more than once. */
static void make_law(struct session *s)
{
	struct seccomp_wish wish = {
		.network_host = s->policy->network == NETWORK_HOST,
		.unix_sockets = s->policy->processes,
		.processes = s->policy->processes,
	};
	int r = s->seccomp.program.len ? 0 : seccomp_compile(&wish, &s->seccomp);

	if (r == 0)
		r = warden_take_law(&s->warden, &s->seccomp);
	s->layers.seccomp.enforced = r == 0;
	if (r < 0)
		set_unavailable(s, "the seccomp filter does not compile", r);
}

static int make_mount_point(struct session *s, char *path, size_t size)
{
	snprintf(path, size, "%s/root", s->folder.path);
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static void take_warden_layers(struct session *s)
{
	const struct layers *seen = &s->warden.area->layers;

	s->layers.landlock = seen->landlock;
	s->layers.landlock_abi = seen->landlock_abi;
	s->layers.landlock_retried = seen->landlock_retried;
	for (int i = 0; i < NS_COUNT; i++)
		s->layers.namespaces[i].enforced = seen->namespaces[i].enforced;
	s->layers.rlimit.enforced = true;
	s->layers.shim = seen->shim;
	shim_use_settle(s->shim, s->warden.ring, &s->layers.shim, s->mode != SANDBOX_AUDIT_ONLY);
}

static void note_unwanted(struct session *s, unsigned wished)
{
	for (size_t i = 0; i < NAMESPACES; i++)
		if (!(wished & namespaces[i].flag))
			snprintf(s->layers.namespaces[namespaces[i].index].why, LAYER_MESSAGE_MAX,
				 "%s",
				 s->mode == SANDBOX_AUDIT_ONLY ? "audit-only" :
								 "the policy grants the host's network");
}

/* Only whoever requires one gets groups that no limit of his needs. */
static void require_cgroup(struct session *s)
{
	for (size_t i = 0; i < s->policy->require.count; i++)
		if (strcmp(s->policy->require.item[i], "cgroup") == 0)
			s->requires_cgroup = limiters_require_cgroup(s) == 0;
}

/* Every layer the caller requires must hold. */
static void check_required(struct session *s)
{
	for (size_t i = 0; i < s->policy->require.count; i++) {
		const char *name = s->policy->require.item[i];
		bool holds = (!strcmp(name, "landlock") && s->layers.landlock.enforced) ||
			     (!strcmp(name, "seccomp") && s->layers.seccomp.enforced) ||
			     (!strcmp(name, "rlimit") && s->layers.rlimit.enforced) ||
			     (!strcmp(name, "cgroup") && s->layers.cgroup.enforced) ||
			     (!strcmp(name, "shim") && s->layers.shim.enforced);
		bool all = true;
		char text[256];

		for (int n = 0; n < NS_COUNT; n++) {
			holds |= !strcmp(name, namespace_names[n]) &&
				 s->layers.namespaces[n].enforced;
			all &= s->layers.namespaces[n].enforced;
		}
		if (holds || (!strcmp(name, "namespace") && all))
			continue;
		snprintf(text, sizeof(text), "required layer %s is not enforced on this host",
			 name);
		set_unavailable(s, text, 0);
	}
}

/* What the launcher has to do while the warden builds. */
static void prepare(void *ctx, pid_t warden)
{
	struct session *s = ctx;

	limiters_foresee(s, warden);
	if (s->mode != SANDBOX_AUDIT_ONLY)
		make_law(s);
}

static int build(struct session *s)
{
	char mount_point[4096], work[4096];
	struct warden_plan plan = {
		.policy = s->policy,
		.mount_point = mount_point,
		.work = work,
		.walls = s->mode != SANDBOX_AUDIT_ONLY,
		.landlock_abi = landlock_abi(),
		.started = prepare,
		.ctx = s,
	};
	unsigned wished = plan.walls ? wished_namespaces(s->policy) : 0;
	int r = make_mount_point(s, mount_point, sizeof(mount_point));

	plan.namespaces = wished;
	snprintf(work, sizeof(work), "%s/work", s->folder.path);
	if (plan.walls && plan.landlock_abi < 0)
		set_unavailable(s, "Landlock is not available", plan.landlock_abi);
	plan.tell = plan.walls;
	if (r < 0 || s->unavailable[0])
		return r < 0 ? r : -EOPNOTSUPP;
	note_unwanted(s, wished);
	r = raise_walls(s, &plan);
	if (r < 0)
		return r;
	take_warden_layers(s);
	require_cgroup(s);
	check_required(s);
	return 0;
}

static int begin(struct session *s, struct policy *policy, const struct session_wish *wish)
{
	*s = (struct session){
		.policy = policy, .mode = wish->mode, .is_open = true, .wish = *wish
	};
	s->warden.pid = s->warden.socket = -1;
	s->denials = denials_new();
	s->signals = signals_open();
	return s->signals < 0 ? s->signals : 0;
}

int session_begin(struct session *s, struct policy *policy, const struct session_wish *wish)
{
	int r = begin(s, policy, wish);

	return r < 0 ? r : policy_compile(policy, &s->block);
}

/* The run folders' place and the shim's are known by now; whoever decides by the block alone is to know
 * them too. */
static int freeze(struct session *s)
{
	struct path_rule rules[1 + SHIM_RULES_MAX];
	struct more_rules more = { rules, 0 };
	char path[PATH_MAX], origin[] = "the run folder";
	int r;

	if (s->has_folder) {
		snprintf(path, sizeof(path), "%s/work", s->folder.path);
		rules[0] = (struct path_rule){ .path = path,
					       .rights = PATH_READ | PATH_WRITE,
					       .origin = origin };
		more.count = 1 + shim_use_rules(s->shim, s->folder.path, rules + 1);
	}
	free(s->block);
	s->block = NULL;
	r = policy_compile_with(s->policy, &more, &s->block);
	if (r == 0)
		shim_use_judge_by(s->shim, s->block);
	return r;
}

static int open_folder(struct session *s)
{
	struct folder_error error = { "" };

	if (s->mode == SANDBOX_CONTAINER || s->mode == SANDBOX_MICROVM)
		set_unavailable(s, s->mode == SANDBOX_CONTAINER ?
					   "the container backend is not part of this build" :
					   "the microvm backend is not part of this build",
				0);
	else if (session_folder_open(&s->folder, s->wish.label, sandbox_mode_name(s->mode), &error) < 0)
		set_unavailable(s, error.text, 0);
	s->has_folder = !s->unavailable[0];
	return freeze(s);
}

static int make_folder_and_walls(struct session *s)
{
	int r = shim_use_open(&s->shim, &s->wish.shim);

	if (r == 0)
		r = open_folder(s);
	if (r < 0 || s->unavailable[0])
		return r;
	r = build(s);
	if (r < 0)
		set_unavailable(s, "walls", r);
	return 0;
}

int session_raise(struct session *s)
{
	int r = s->is_raised ? 0 : make_folder_and_walls(s);

	if (r < 0 || s->is_raised)
		return r;
	s->is_raised = true;
	if (s->wish.log)
		log_session(s->wish.log, s);
	return 0;
}

int session_open(struct session *s, struct policy *policy, const struct session_wish *wish)
{
	int r = begin(s, policy, wish);

	/* The raising freezes the policy; nobody asks it before. */
	return r < 0 ? r : session_raise(s);
}

void session_close(struct session *s)
{
	if (!s->is_open)
		return;
	warden_stop(&s->warden);
	if (s->has_looked_for_cgroups)
		cgroup_end(&s->cgroup, &s->cgroup_host);
	if (s->has_folder)
		session_folder_close(&s->folder);
	cleanup_fd(&s->signals);
	seccomp_free(&s->seccomp);
	denials_free(s->denials);
	shim_use_close(s->shim);
	free(s->block);
	policy_free(s->policy);
	*s = (struct session){ 0 };
}
