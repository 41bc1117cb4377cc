/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The warden's life: build the walls, say "ready", then for each order start a program, wait for
 * its end, kill what it left, and report. It ends with the launcher.
 *
 * Runs in a process forked from the launcher, in every namespace of the session but the pid
 * namespace, under the session's Landlock domain. Must never run anything of the program's, and never
 * leave a process behind: with a pid namespace init's death is theirs; without one the warden is
 * the subreaper that hunts them down.
 */
#include "backends/warden_inside.h"

#include "backends/caps.h"
#include "backends/child.h"
#include "backends/cleanup.h"
#include "backends/init.h"
#include "backends/landlock.h"
#include "backends/leftovers.h"
#include "backends/notify_filter.h"
#include "backends/placeholder.h"
#include "backends/root.h"
#include "backends/rule_tree.h"
#include "backends/sys.h"
#include "backends/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

struct warden_life {
	const struct warden_plan *plan;
	struct warden_area *area;
	int socket;
	struct room room;
	pid_t launcher;
	uid_t uid;
	gid_t gid;
	struct init init;
	struct leftovers_seen seen;
	int signal_scope;
	int children; /* /proc/self/task/SELF/children, where there is no init */
	pid_t program; /* running now, 0 = none */
	int pidfd;
	int oom_score;
	struct sock_fprog telling[2]; /* made when first needed; the second tells of opens too */
};

static int fail_step(struct warden_life *life, const char *step, int r)
{
	if (r < 0 && !life->area->step[0])
		snprintf(life->area->step, sizeof(life->area->step), "%s", step);
	return r;
}

static int answer(const struct warden_life *life, char what, pid_t pid)
{
	struct {
		char what;
		pid_t pid;
	} message = { what, pid };

	return send(life->socket, &message, sizeof(message), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* The launcher reads the ring by the descriptor that comes beside the word. */
static void answer_ready(struct warden_life *life)
{
	const char what = WARDEN_READY;
	bool is_ours = life->room.ring >= 0 && !life->plan->room->folder;

	(void)wire_send(life->socket, &what, 1, &life->room.ring, is_ours);
	room_close(&life->room);
}

/* The launcher's death ends the warden: by signal where init's death then cleans up, by end of file on
 * the socket where the warden itself has to. */
static int stand_alone(struct warden_life *life)
{
	sigset_t none;
	int null;

	sigemptyset(&none);
	sys_default_signals();
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid();
	(void)prctl(PR_SET_NAME, "stile-warden");
	if ((life->plan->namespaces & CLONE_NEWPID) && prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	if (getppid() != life->launcher)
		return -ECHILD;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	return child_close_others(life->socket, life->plan->keeper);
}

static int write_file(const char *path, const char *text)
{
	_cleanup_fd_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

/* The same user inside as outside: files keep their owner, and nothing else is mapped. */
static int map_user(const struct warden_life *life)
{
	char map[64];
	int r = write_file("/proc/self/setgroups", "deny");

	if (r < 0 && r != -ENOENT)
		return r;
	snprintf(map, sizeof(map), "%u %u 1\n", life->uid, life->uid);
	r = write_file("/proc/self/uid_map", map);
	if (r < 0)
		return r;
	snprintf(map, sizeof(map), "%u %u 1\n", life->gid, life->gid);
	return write_file("/proc/self/gid_map", map);
}

static const struct {
	unsigned flag;
	int index;
	const char *step;
} namespace_steps[] = {
	{ CLONE_NEWUSER, NS_USER, "namespace user" }, { CLONE_NEWNS, NS_MOUNT, "namespace mount" },
	{ CLONE_NEWIPC, NS_IPC, "namespace ipc" },    { CLONE_NEWUTS, NS_UTS, "namespace uts" },
	{ CLONE_NEWNET, NS_NETWORK, "namespace network" },
	{ CLONE_NEWPID, NS_PID, "namespace pid" },
};

static int enter_user_namespace(struct warden_life *life)
{
	int r;

	if (!(life->plan->namespaces & CLONE_NEWUSER))
		return 0;
	if (unshare(CLONE_NEWUSER) < 0)
		return -errno;
	/* An undumpable process's map files belong to root: for this moment it is not. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	r = map_user(life);
	(void)prctl(PR_SET_DUMPABLE, 0);
	return r;
}

/* All at once is cheaper than each by itself; one by one then tells which the kernel refuses. */
static int enter_namespaces(struct warden_life *life)
{
	unsigned rest = life->plan->namespaces & ~(unsigned)CLONE_NEWUSER;
	int r = fail_step(life, namespace_steps[0].step, enter_user_namespace(life));

	if (r < 0)
		return r;
	if (rest && unshare((int)rest) == 0)
		rest = 0;
	for (size_t i = 0; i < sizeof(namespace_steps) / sizeof(*namespace_steps); i++) {
		if (!(life->plan->namespaces & namespace_steps[i].flag))
			continue;
		if ((rest & namespace_steps[i].flag) && unshare((int)namespace_steps[i].flag) < 0)
			return fail_step(life, namespace_steps[i].step, -errno);
		life->area->layers.namespaces[namespace_steps[i].index].enforced = true;
	}
	return 0;
}

/* Init is forked with the mount tree ready but the old /proc still there. */
static int start_init(void *ctx, int new_root)
{
	struct warden_life *life = ctx;
	int r;

	if (!(life->plan->namespaces & CLONE_NEWPID))
		return 0;
	r = init_start(&life->init, new_root);
	if (r == 0)
		r = placeholder_outlive(life->plan->keeper, life->init.pid);
	return r < 0 ? fail_step(life, "namespace pid", r) : 0;
}

/* Without it the run goes on, and says that nothing explains it. */
static void note_room(struct warden_life *life, const char *step, int r)
{
	struct layer_state *shim = &life->area->layers.shim;

	shim->enforced = r == 0;
	if (r < 0)
		snprintf(shim->why, sizeof(shim->why), "%s: %s", step, strerror(-r));
}

static void make_room(void *ctx, int new_root)
{
	struct warden_life *life = ctx;
	const char *step;
	int r = room_build(new_root, life->plan->room, &life->room, &step);

	note_room(life, step, r);
}

/* A room that is a folder of the session was made by the launcher. */
static void find_room(struct warden_life *life)
{
	const struct room_plan *plan = life->plan->room;

	if (plan && plan->folder)
		note_room(life, "the shim's room", room_open(plan, &life->room));
}

static int build_root(struct warden_life *life)
{
	const char *step = "";
	int r;
	struct root_plan plan = {
		.policy = life->plan->policy,
		.mount_point = life->plan->mount_point,
		.work = life->plan->work,
		.mount_proc = start_init,
		.ctx = life,
		.room = life->plan->room && life->plan->room->folder ? life->plan->room : NULL,
		.make_room = life->plan->room && !life->plan->room->folder ? make_room : NULL,
	};

	if (!(life->plan->namespaces & CLONE_NEWNS))
		return start_init(life, -1);
	if (life->plan->namespaces & CLONE_NEWUTS)
		(void)!sethostname("stile", 5);
	r = placeholder_wait(life->plan->keeper);
	if (r < 0)
		return fail_step(life, "placeholders for protected paths", r);
	r = root_build(&plan, &step);
	return fail_step(life, step, r);
}

static int grant_work(int ruleset, const struct landlock_set *set, const char *work)
{
	_cleanup_fd_ int fd = work ? open(work, O_PATH | O_CLOEXEC) : -1;

	if (!work)
		return 0;
	return fd < 0 ? -errno : landlock_grant(ruleset, set, fd, PATH_READ | PATH_WRITE);
}

static int enter_landlock(struct warden_life *life)
{
	const struct warden_plan *plan = life->plan;
	struct landlock_set set;
	_cleanup_fd_ int ruleset = landlock_create(plan->landlock_abi, plan->policy->network, &set);
	int r = ruleset < 0 ? ruleset : 0;

	if (r == 0)
		r = landlock_grant_policy(ruleset, &set, plan->policy,
					  plan->namespaces & CLONE_NEWNS);
	if (r == 0)
		r = grant_work(ruleset, &set, plan->work);
	if (r == 0 && life->room.ring >= 0)
		r = room_grant(ruleset, &set, &life->room);
	if (r == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		r = -errno;
	if (r == 0)
		r = landlock_enter(ruleset);
	life->area->layers.landlock.enforced = r == 0;
	life->area->layers.landlock_abi = set.abi;
	life->area->layers.landlock_retried = set.retried;
	return fail_step(life, "landlock", r);
}

/* Without a pid namespace: orphans come to the warden, and the program may not signal it. */
static int become_reaper(struct warden_life *life)
{
	char path[64];

	if (life->plan->namespaces & CLONE_NEWPID)
		return 0;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)sys_getpid());
	life->children = open(path, O_RDONLY | O_CLOEXEC);
	if (life->children < 0)
		return -errno;
	if (life->plan->walls) {
		int fd = landlock_create_signal_scope(life->plan->landlock_abi);

		life->signal_scope = fd < 0 ? -1 : fd;
	}
	return 0;
}

static int build_walls(struct warden_life *life)
{
	int r = fail_step(life, "stand alone", stand_alone(life));

	/* Opened while there is a /proc; only used where the warden shares a group with the program. */
	life->oom_score = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	if (r == 0)
		r = enter_namespaces(life);
	if (r == 0)
		r = fail_step(life, "subreaper", become_reaper(life));
	if (r == 0)
		caps_drop_bounding();
	if (r == 0)
		r = build_root(life);
	if (r == 0)
		find_room(life);
	if (r == 0 && life->plan->walls)
		r = enter_landlock(life);
	return r;
}

/* The child keeps the highest score: where memory runs out, it goes before the warden. */
static bool raise_oom_score(const struct warden_life *life, char usual[16])
{
	ssize_t n;

	if (!life->area->dies_first || life->oom_score < 0)
		return false;
	n = pread(life->oom_score, usual, 15, 0);
	usual[n > 0 ? n : 0] = 0;
	return n > 0 && pwrite(life->oom_score, "1000", 4, 0) == 4;
}

/* The filter for this run that tells; NULL = none: not asked for, or the kernel gives no listener. */
static const struct sock_fprog *choose_telling(struct warden_life *life)
{
	const struct warden_area *area = life->area;
	struct sock_fprog *one = &life->telling[area->tell_opens];
	struct notify_wish wish = {
		.addressed = life->plan->policy->network == NETWORK_NONE,
		.opens = area->tell_opens,
		.program = (uint64_t)(uintptr_t)((const char *)area + area->program),
		.parcel = (uint64_t)(uintptr_t)&area->parcel,
	};

	if (!life->plan->tell || !area->law.program.len || area->notify_error)
		return NULL;
	/* The program's name is the first text of every request, so its address never changes. */
	if (!one->filter && notify_filter_make(&area->law.program, &wish, one) < 0)
		return NULL;
	return one;
}

static void start_program(struct warden_life *life, const int fds[WARDEN_FDS])
{
	struct child_order order = {
		.area = life->area,
		.fds = { fds[0], fds[1], fds[2] },
		.walls = life->plan->walls,
		.signal_scope = life->signal_scope,
		.telling = choose_telling(life),
		.socket = life->socket,
	};
	bool has_gate = life->area->gate != WARDEN_GATE_OPEN;
	int cgroup = fds[WARDEN_FDS - 1], error;
	char usual[16];
	bool raised = raise_oom_score(life, usual);
	pid_t pid;

	life->area->child_error = 0;
	life->area->child_step[0] = 0;
	/* The child borrows our memory until exec and only makes system calls: no page is copied. Into
	 * a control group only clone3 leads, which C cannot call so; and one that waits at the gate is to
	 * be traced, which its memory must then allow and ours never does. */
	pid = cgroup < 0 && !has_gate ? vfork() : sys_fork_into(cgroup, &life->area->gated);
	if (pid == 0)
		child_become_program(&order);
	error = errno;
	if (raised)
		(void)!pwrite(life->oom_score, usual, strlen(usual), 0);
	if (pid < 0) {
		life->area->child_error = error;
		snprintf(life->area->child_step, sizeof(life->area->child_step), "%s",
			 cgroup < 0 ? "fork" : "fork into the cgroup");
	}
	for (int i = 0; i < WARDEN_FDS; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	life->program = pid > 0 ? pid : 0;
	life->pidfd = pid > 0 ? sys_pidfd_open(pid) : -1;
	(void)answer(life, pid > 0 ? WARDEN_STARTED : WARDEN_ENDED, pid);
}

static uint64_t cpu_of(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000u +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* Landlock hides /proc from the warden, so its list was opened before. */
static void kill_children(const struct warden_life *life)
{
	char text[65536];
	ssize_t n = pread(life->children, text, sizeof(text) - 1, 0);
	char *at = text, *end;

	if (n <= 0)
		return;
	text[n] = 0;
	for (long pid = strtol(at, &end, 10); end != at; pid = strtol(at, &end, 10)) {
		at = end;
		if (pid > 1)
			(void)kill((pid_t)pid, SIGKILL);
	}
}

/* Kills every descendant, generation by generation, until none is left to wait for. */
static void hunt(const struct warden_life *life, struct init_report *report)
{
	struct rusage usage;

	for (;;) {
		pid_t dead;

		kill_children(life);
		dead = wait4(-1, NULL, 0, &usage);
		if (dead > 0)
			report->cpu_us += cpu_of(&usage);
		else if (errno == ECHILD)
			return;
	}
}

static void kill_rest(struct warden_life *life, struct init_report *report)
{
	if (life->init.pid <= 0)
		hunt(life, report);
	else if (!init_has_nothing(&life->init))
		(void)init_kill_all(&life->init, report);
}

/* A caller who granted the host's /tmp himself keeps what is in it. */
static bool has_own_private_places(const struct warden_plan *plan)
{
	bool own = false;

	for (size_t i = 0; i < plan->policy->path_count; i++) {
		const struct path_rule *rule = &plan->policy->paths[i];

		if (strcmp(rule->path, "/tmp") == 0 || strcmp(rule->path, "/dev/shm") == 0) {
			if (!rule_is_private_place(rule))
				return false;
			own = true;
		}
	}
	return own && (plan->namespaces & CLONE_NEWNS);
}

/* File systems of our own hold nothing but what this run wrote; their size says it all. */
static void measure_private_places(const struct warden_life *life)
{
	static const char *const places[] = { "/tmp", "/dev/shm" };
	uint64_t bytes = 0, inodes = 0;

	if (!has_own_private_places(life->plan))
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct statvfs st;

		if (statvfs(places[i], &st) < 0 || st.f_blocks == 0)
			continue;
		bytes += (uint64_t)(st.f_blocks - st.f_bfree) * st.f_frsize;
		inodes += st.f_files > st.f_ffree ? st.f_files - st.f_ffree - 1 : 0;
	}
	life->area->private_bytes = bytes;
	life->area->private_inodes = inodes;
}

static void end_program(struct warden_life *life)
{
	struct warden_area *area = life->area;
	struct init_report rest = { 0 };
	struct leftovers where = { .policy = life->plan->policy,
				   .work = life->plan->work,
				   .own_root = has_own_private_places(life->plan),
				   .own_ipc = life->plan->namespaces & CLONE_NEWIPC };
	struct rusage usage;

	while (wait4(life->program, &area->wait_status, 0, &usage) < 0 && errno == EINTR)
		;
	kill_rest(life, &rest);
	area->leftover = leftovers_clear(&where, &life->seen);
	area->cpu_us = cpu_of(&usage) + rest.cpu_us;
	area->max_rss_kb = (uint64_t)usage.ru_maxrss > rest.max_rss_kb ? (uint64_t)usage.ru_maxrss :
									 rest.max_rss_kb;
	area->switches_voluntary = (uint64_t)usage.ru_nvcsw;
	area->switches_forced = (uint64_t)usage.ru_nivcsw;
	if (life->pidfd >= 0)
		(void)close(life->pidfd);
	life->pidfd = -1;
	life->program = 0;
	(void)answer(life, WARDEN_ENDED, 0);
}

/* The launcher is gone or has enough. The program is reaped first: init waits until the namespace is
 * empty, and this zombie is not its child. */
__attribute__((noreturn)) static void end_alone(struct warden_life *life)
{
	struct init_report rest;

	if (life->program) {
		(void)kill(life->program, SIGKILL);
		while (waitpid(life->program, NULL, 0) < 0 && errno == EINTR)
			;
	}
	kill_rest(life, &rest);
	_exit(0);
}

static void obey(struct warden_life *life)
{
	int fds[WARDEN_FDS];
	char what[2] = { 0 };

	if (wire_receive(life->socket, what, sizeof(what), fds, WARDEN_FDS) < 0)
		end_alone(life);
	if (what[0] == WARDEN_RUN && !life->program)
		start_program(life, fds);
	else if (what[0] == WARDEN_KILL && life->program)
		(void)kill(life->program, SIGKILL);
	else if (what[0] == WARDEN_MEASURE)
		measure_private_places(life);
	else if (what[0] == WARDEN_SIGNAL && life->program)
		(void)kill(-life->program, what[1]);
}

static void serve(struct warden_life *life)
{
	for (;;) {
		struct pollfd wait[2] = { { .fd = life->socket, .events = POLLIN },
					  { .fd = life->pidfd, .events = POLLIN } };

		if (poll(wait, life->program ? 2 : 1, -1) < 0 && errno != EINTR)
			_exit(1);
		if (life->program && (wait[1].revents & POLLIN))
			end_program(life);
		else if (wait[0].revents)
			obey(life);
	}
}

void warden_live(const struct warden_plan *plan, struct warden_area *area, int socket,
		 pid_t launcher)
{
	struct warden_life life = { .plan = plan,
				    .area = area,
				    .socket = socket,
				    .launcher = launcher,
				    .uid = geteuid(),
				    .gid = getegid(),
				    .init = { .pid = -1, .order = -1, .report = -1, .children = -1 },
				    .signal_scope = -1,
				    .children = -1,
				    .pidfd = -1,
				    .room = ROOM_NONE,
				    .oom_score = -1 };
	int r = build_walls(&life);

	if (r < 0) {
		area->error = -r;
		(void)answer(&life, WARDEN_FAILED, 0);
		_exit(1);
	}
	answer_ready(&life);
	serve(&life);
	_exit(0);
}
