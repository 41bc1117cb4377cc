/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes of the six namespaces: enter, then show the property for which it is entered. The
 * others are entered from a user namespace where one can be had, as runs do it.
 *
 * Runs in a forked child of the launcher; what it mounts or makes dies with it.
 */
#include "launcher/probes.h"

#include "backends/cleanup.h"
#include "backends/sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int write_map(struct finding *f, const char *path, const char *text)
{
	_cleanup_fd_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	char step[64];

	if (fd >= 0 && write(fd, text, strlen(text)) >= 0)
		return 0;
	snprintf(step, sizeof(step), "unshare succeeds, but writing %s", path);
	return probe_fail(f, step);
}

/* As the warden does it: each user and group mapped to itself alone. */
static int enter_user(struct finding *f)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[64];
	int r;

	if (unshare(CLONE_NEWUSER) < 0)
		return probe_fail(f, "unshare(CLONE_NEWUSER)");
	/* The launcher is undumpable, which makes these files root's. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	r = write_map(f, "/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
	if (r == 0)
		r = write_map(f, "/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
	if (r == 0)
		r = write_map(f, "/proc/self/gid_map", map);
	if (r == 0 && (geteuid() != uid || getegid() != gid))
		return probe_disprove(f, "the user is another one in the namespace");
	return r;
}

/* Best effort: a try of it in a child of its own tells first, as half of it cannot be undone. */
static void enter_user_where_possible(void)
{
	struct finding ignored = { 0 };

	if (probe_in_child(enter_user, &ignored) == 0)
		(void)enter_user(&ignored);
}

static int enter(struct finding *f, int flag, const char *step)
{
	enter_user_where_possible();
	return unshare(flag) < 0 ? probe_fail(f, step) : 0;
}

int probe_user(struct finding *f)
{
	char before[64] = "", after[64] = "";
	int r;

	(void)!readlink("/proc/self/ns/user", before, sizeof(before) - 1);
	r = enter_user(f);
	(void)!readlink("/proc/self/ns/user", after, sizeof(after) - 1);
	if (r < 0)
		return r;
	if (before[0] && strcmp(before, after) == 0)
		return probe_disprove(f, "the namespace is the old one");
	return probe_prove(f, "entered, user %u mapped to itself", geteuid());
}

/* The first process: nobody above it, and a /proc that shows only its own kind. */
static int be_first(struct finding *f)
{
	if (getpid() != 1 || getppid() != 0)
		return probe_disprove(f, "the first process is not number 1");
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 &&
	    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return probe_fail(f, "entered, but mounting its /proc");
	return probe_prove(f, "the first process is number 1 and sees no parent");
}

int probe_pid(struct finding *f)
{
	int r = enter(f, CLONE_NEWPID, "unshare(CLONE_NEWPID)");
	int status;

	if (r < 0)
		return r;
	status = probe_in_child(be_first, f);
	errno = -status;
	if (status < 0)
		return probe_fail(f, "fork in the namespace");
	return status ? -EPERM : 0;
}

/* A segment that is marked for removal lives as long as it is attached: it goes with this process. */
static int make_segment(void)
{
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);

	if (id >= 0 && shmat(id, NULL, 0) == (void *)-1) {
		(void)shmctl(id, IPC_RMID, NULL);
		return -1;
	}
	return id >= 0 && shmctl(id, IPC_RMID, NULL) == 0 ? id : -1;
}

int probe_ipc(struct finding *f)
{
	struct shmid_ds status;
	int id = make_segment();
	bool seen = id >= 0 && shmctl(id, IPC_STAT, &status) == 0;
	int r = enter(f, CLONE_NEWIPC, "unshare(CLONE_NEWIPC)");

	if (r < 0)
		return r;
	if (!seen)
		return probe_prove(f, "entered (no System V memory here to show it by)");
	if (shmctl(id, IPC_STAT, &status) == 0)
		return probe_disprove(f, "a shared memory segment of the host is still seen");
	return probe_prove(f, "a shared memory segment of the host is seen no more (%s)",
			   strerrorname_np(errno));
}

int probe_uts(struct finding *f)
{
	static const char own[] = "stile-probe";
	char name[65] = "";
	int r = enter(f, CLONE_NEWUTS, "unshare(CLONE_NEWUTS)");

	if (r < 0)
		return r;
	if (sethostname(own, sizeof(own) - 1) < 0)
		return probe_fail(f, "entered, but sethostname");
	if (gethostname(name, sizeof(name)) < 0 || strcmp(name, own))
		return probe_disprove(f, "the host name did not change");
	return probe_prove(f, "the host name was changed in it alone");
}

/* What building a root takes: a tmpfs, a detached copy, its attributes, its move. */
static int mount_read_only_copy(struct finding *f)
{
	struct sys_mount_attr attr = { .attr_set = SYS_MOUNT_ATTR_RDONLY };
	_cleanup_fd_ int tree = -1;

	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return probe_fail(f, "entered, but mount(MS_SLAVE)");
	if (mount("stile", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700") < 0)
		return probe_fail(f, "entered, but mounting a tmpfs");
	if (mkdir("/tmp/a", 0700) < 0 || mkdir("/tmp/b", 0700) < 0)
		return probe_fail(f, "entered, but mkdir in the tmpfs");
	tree = sys_open_tree(AT_FDCWD, "/tmp/a",
			     SYS_OPEN_TREE_CLONE | SYS_OPEN_TREE_CLOEXEC | SYS_AT_RECURSIVE);
	if (tree < 0)
		return probe_fail(f, "entered, but open_tree");
	if (sys_mount_setattr(tree, SYS_AT_RECURSIVE, &attr) < 0)
		return probe_fail(f, "entered, but mount_setattr");
	return sys_move_mount(tree, AT_FDCWD, "/tmp/b") < 0 ?
		       probe_fail(f, "entered, but move_mount") :
		       0;
}

int probe_mount(struct finding *f)
{
	int r = enter(f, CLONE_NEWNS, "unshare(CLONE_NEWNS)");

	if (r == 0)
		r = mount_read_only_copy(f);
	if (r < 0)
		return r;
	if (mkdir("/tmp/a/x", 0700) < 0)
		return probe_fail(f, "writing below a writable mount");
	if (mkdir("/tmp/b/y", 0700) == 0 || errno != EROFS)
		return probe_disprove(f, "a read-only mount can be written");
	return probe_prove(f, "a private tmpfs, and EROFS below a read-only copy of a folder in it");
}

static int connect_to(const struct sockaddr_in *address)
{
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = fd < 0 ? -1 : connect(fd, (const struct sockaddr *)(const void *)address,
				      sizeof(*address));

	return r < 0 && errno == EINPROGRESS ? 0 : r;
}

int probe_network(struct finding *f)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	struct sockaddr *any = (struct sockaddr *)(void *)&address;
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool reached = fd >= 0 && bind(fd, any, size) == 0 && listen(fd, 4) == 0 &&
		       getsockname(fd, any, &size) == 0 && connect_to(&address) == 0;
	int r = enter(f, CLONE_NEWNET, "unshare(CLONE_NEWNET)");

	if (r < 0)
		return r;
	if (!reached)
		return probe_prove(f, "entered (no listener could be reached before, to show it by)");
	if (connect_to(&address) == 0)
		return probe_disprove(f, "a listener of the host is still reached");
	return probe_prove(f, "a listener on the host's loopback is reached no more (%s)",
			   strerrorname_np(errno));
}

static int do_nothing(struct finding *f)
{
	(void)f;
	return 0;
}

/* Counted in a user namespace of its own, as in runs: elsewhere all the user's processes count. */
int probe_nproc(struct finding *f)
{
	struct rlimit one = { 1, 1 };

	if (probe_in_child(do_nothing, f) != 0)
		return probe_disprove(f, "no process could be made before either");
	enter_user_where_possible();
	if (setrlimit(RLIMIT_NPROC, &one) < 0)
		return probe_fail(f, "setrlimit(RLIMIT_NPROC)");
	if (probe_in_child(do_nothing, f) != -EAGAIN)
		return probe_disprove(f, geteuid() ?
						 "a second process starts past RLIMIT_NPROC" :
						 "the kernel exempts root from RLIMIT_NPROC");
	return probe_prove(f, "past the limit fork() answered EAGAIN");
}
