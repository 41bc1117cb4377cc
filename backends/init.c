/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starting process 1 of the pid namespace, and giving it orders. Its death is the death of all in it, and
 * it dies with the warden.
 *
 * Runs in the warden. What must never happen: that init starts with a memory, a descriptor or a right of
 * ours; so it becomes a program of its own (init_loop.c tells of it).
 */
#include "backends/init.h"

#include "backends/caps.h"
#include "backends/cleanup.h"
#include "backends/init_image.h"
#include "backends/root.h"
#include "backends/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

/* What the child needs, and its answer: it borrows our memory until it is a program of its own. */
struct birth {
	int order, report, image, new_root;
	int error;
};

/* Init's program as an open file, or -1 where the host lets none start that has no name. Older kernels do
 * not know MFD_EXEC. */
static int open_image(void)
{
	_cleanup_fd_ int fd = memfd_create("stile-init", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("stile-init", MFD_CLOEXEC);
	if (fd < 0 || write(fd, init_image, init_image_bytes) != (ssize_t)init_image_bytes)
		return -1;
	return take_fd(&fd);
}

/* Only 0, 1 and, closing at exec, the program stay open: nothing of the launcher's. The ends must survive
 * dup2 onto 0 and 1 in any order. */
static int take_descriptors(struct birth *b)
{
	if (dup2(b->order, 0) < 0 || dup2(b->report, 1) < 0)
		return -errno;
	if (b->image < 0)
		return sys_close_range(2, ~0u) < 0 ? -errno : 0;
	if (dup3(b->image, 2, O_CLOEXEC) < 0 || sys_close_range(3, ~0u) < 0)
		return -errno;
	return 0;
}

static void become_init(struct birth *b)
{
	char own_name[] = "stile-init";
	char *const nothing[] = { NULL }, *const name[] = { own_name, NULL };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (b->new_root >= 0)
		b->error = root_mount_proc(b->new_root);
	if (b->error < 0)
		return;
	(void)caps_drop();
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	b->error = take_descriptors(b);
	if (b->error < 0)
		return;
	if (b->image < 0 && write(1, "r", 1) == 1)
		init_loop();
	(void)sys_execveat(2, "", name, nothing, AT_EMPTY_PATH);
	b->error = -errno;
}

/* vfork: no page is copied, and an error is seen without asking. A fork, which goes on as init, says by a
 * byte that it stands. */
static int start(struct birth *b, int answers)
{
	pid_t pid = b->image < 0 ? fork() : vfork();
	char stands;

	if (pid == 0) {
		become_init(b);
		_exit(1);
	}
	if (pid < 0)
		return -errno;
	if (b->error < 0)
		return b->error;
	(void)close(b->report);
	b->report = -1;
	return b->image < 0 && read(answers, &stands, 1) != 1 ? -EPERM : pid;
}

static int make_pipe(int *read_end, int *write_end)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*read_end = ends[0];
	*write_end = ends[1];
	return 0;
}

/* While there still is a /proc that shows it. */
static int open_children(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int init_start(struct init *init, int new_root)
{
	_cleanup_fd_ int order_read = -1, order_write = -1, report_read = -1, report_write = -1;
	_cleanup_fd_ int image = open_image();
	struct birth birth;
	int r = make_pipe(&order_read, &order_write);

	if (r == 0)
		r = make_pipe(&report_read, &report_write);
	if (r < 0)
		return r;
	birth = (struct birth){ order_read, take_fd(&report_write), image, new_root, 0 };
	r = start(&birth, report_read);
	cleanup_fd(&birth.report);
	if (r < 0)
		return r;
	init->pid = r;
	init->children = open_children(r);
	init->order = take_fd(&order_write);
	init->report = take_fd(&report_read);
	return 0;
}

/* The list first: whoever is gone from it was told of before. The kernel gives the first child under the lock
 * that dying processes' children are handed over with, so an empty list is a true one. */
bool init_has_nothing(const struct init *init)
{
	int told = 1;
	char child;

	return init->children >= 0 && pread(init->children, &child, 1, 0) == 0 &&
	       ioctl(init->report, FIONREAD, &told) == 0 && told == 0;
}

int init_kill_all(struct init *init, struct init_report *report)
{
	ssize_t n;

	if (write(init->order, "k", 1) != 1)
		return -errno;
	do
		n = read(init->report, report, sizeof(*report));
	while ((n < 0 && errno == EINTR) ||
	       (n == sizeof(*report) && report->cpu_us == INIT_REAPED));
	return n == sizeof(*report) ? 0 : -EPIPE;
}
