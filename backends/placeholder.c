/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The janitor: a process of its own, forked before the warden, so that it outlives a launcher that is
 * killed. The launcher finds out what is missing; only then there is a janitor. It makes the
 * placeholders, tells the warden, waits for the end of the session, and removes them. It works on the
 * host, by descriptors and without following a link, in folders that hostile programs filled earlier.
 *
 * Must never remove what is not an empty placeholder, nor one that another session still relies
 * on: removing it would silently take down that session's mount.
 */
#include "backends/placeholder.h"

#include "backends/cleanup.h"
#include "backends/rule_tree.h"
#include "backends/sys.h"
#include "backends/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#define MARK (S_IFSOCK | 0)
#define LOCK_MODE (S_IFIFO | 0666) /* any user's session may share it */
#define LOCK_TRIES 2000 /* of a millisecond: another janitor is at work */

struct kept_folder {
	char *path; /* owned; "" = the root */
	int fd, lock;
	const char *first; /* a placeholder that stands here by our hand; NULL = none yet */
};

struct kept_name {
	size_t folder;
	char *name; /* owned */
};

struct janitor {
	struct kept_folder *folders;
	size_t folder_count;
	struct kept_name *names;
	size_t name_count;
};

bool placeholder_is_mark(const struct stat *st)
{
	return st->st_mode == MARK && st->st_size == 0;
}

/* --- one folder and its lock ------------------------------------------------------------------ */

static int open_folder(const char *path)
{
	int fd = sys_openat2(AT_FDCWD, *path ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			     SYS_RESOLVE_NO_SYMLINKS);

	return fd < 0 ? -errno : fd;
}

static void remove_mark(int folder, const char *name)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && placeholder_is_mark(&st))
		(void)unlinkat(folder, name, 0);
}

/* Removes every placeholder of a folder; only under its exclusive lock. */
static void remove_all_marks(int folder)
{
	_cleanup_fd_ int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char entries[8192] __attribute__((aligned(__alignof__(struct dirent64))));
	ssize_t size;

	while (fd >= 0 && (size = getdents64(fd, entries, sizeof(entries))) > 0)
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (void *)(entries + at);

			if (entry->d_type == DT_SOCK || entry->d_type == DT_UNKNOWN)
				remove_mark(folder, entry->d_name);
			at += entry->d_reclen;
		}
}

static bool is_still_there(int folder, int lock)
{
	struct stat here, there;

	return fstat(lock, &here) == 0 &&
	       fstatat(folder, PLACEHOLDER_LOCK, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

/* One try: a lock found unlocked was left by sessions that were killed with their janitors. */
static int try_lock(int folder)
{
	bool is_new = mknodat(folder, PLACEHOLDER_LOCK, LOCK_MODE, 0) == 0;
	_cleanup_fd_ int lock = -1;
	struct stat st;

	if (!is_new && errno != EEXIST)
		return -errno;
	lock = openat(folder, PLACEHOLDER_LOCK, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (lock < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (fstat(lock, &st) < 0 || !S_ISFIFO(st.st_mode))
		return -EEXIST;
	if (!is_new && flock(lock, LOCK_EX | LOCK_NB) == 0 && is_still_there(folder, lock))
		remove_all_marks(folder);
	if (flock(lock, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	return is_still_there(folder, lock) ? take_fd(&lock) : -EAGAIN;
}

static int take_lock(int folder)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int lock = try_lock(folder);

	for (unsigned i = 0; lock == -EAGAIN && i < LOCK_TRIES; i++) {
		(void)nanosleep(&pause, NULL);
		lock = try_lock(folder);
	}
	return lock;
}

/* --- what is missing: in the launcher ---------------------------------------------------------- */

/* Finds the folder among those kept, or adds it. Its index or -errno. */
static int keep_folder(struct janitor *j, const char *path)
{
	struct kept_folder *grown;

	for (size_t i = j->folder_count; i-- > 0;)
		if (strcmp(j->folders[i].path, path) == 0)
			return (int)i;
	grown = reallocarray(j->folders, j->folder_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	j->folders = grown;
	grown[j->folder_count] = (struct kept_folder){ .path = strdup(path), .fd = -1, .lock = -1 };
	return grown[j->folder_count].path ? (int)j->folder_count++ : -ENOMEM;
}

static int keep_name(struct janitor *j, const char *path, const char *name)
{
	int folder = keep_folder(j, path);
	struct kept_name *grown;

	if (folder < 0)
		return folder;
	grown = reallocarray(j->names, j->name_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	j->names = grown;
	grown[j->name_count] = (struct kept_name){ (size_t)folder, strdup(name) };
	return grown[j->name_count].name ? (j->name_count++, 0) : -ENOMEM;
}

/* Looks at the path up to `end`, and at that part itself only. */
static int look(const char *path, size_t end, struct stat *st)
{
	char part[PATH_MAX];

	memcpy(part, path, end);
	part[end] = 0;
	return lstat(part, st) < 0 ? -errno : 0;
}

static int keep_part(struct janitor *j, const struct path_rule *rule, size_t slash, size_t end)
{
	char folder[PATH_MAX], name[NAME_MAX + 1];

	if (end - slash - 1 > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(folder, rule->path, slash);
	folder[slash] = 0;
	memcpy(name, rule->path + slash + 1, end - slash - 1);
	name[end - slash - 1] = 0;
	return keep_name(j, folder, name);
}

/* Finds the first part of the path that is missing, or is a placeholder; with it, all below is held. 0:
 * there is none, what is there already is mounted over by itself. Else its end, and the slash before it. */
static size_t find_missing(const struct path_rule *rule, size_t start, size_t *slash)
{
	*slash = start - 1;
	for (size_t i = start;; i++) {
		struct stat st;
		int r;

		if (rule->path[i] && rule->path[i] != '/')
			continue;
		r = look(rule->path, i, &st);
		if (r == -ENOENT || (r == 0 && placeholder_is_mark(&st)))
			return i;
		if (r < 0 || !rule->path[i] || !S_ISDIR(st.st_mode))
			return 0;
		*slash = i;
	}
}

static size_t start_below(const struct rule_tree *t, size_t i)
{
	const struct path_rule *above = rule_tree_mount_above(t, i);

	return above && above->path[1] ? strlen(above->path) + 1 : 1;
}

/* What an earlier session left in the root although nothing is protected there now. */
static bool has_stale_lock(const struct policy *p)
{
	char path[PATH_MAX];
	struct stat st;

	return p->root && (size_t)snprintf(path, sizeof(path), "%s/" PLACEHOLDER_LOCK, p->root) <
				  sizeof(path) &&
	       lstat(path, &st) == 0;
}

static int find_all(struct janitor *j, const struct policy *p)
{
	struct rule_tree t;
	int r = rule_tree_make(&t, p);

	if (r == 0 && has_stale_lock(p))
		(void)keep_folder(j, p->root);
	for (size_t i = 0; r == 0 && i < t.count; i++) {
		const struct path_rule *rule = t.nodes[i].rule;
		size_t slash, end;

		if (!rule_tree_is_guard(&t, i))
			continue;
		if (strlen(rule->path) >= PATH_MAX)
			r = -ENAMETOOLONG;
		end = r < 0 ? 0 : find_missing(rule, start_below(&t, i), &slash);
		if (end)
			r = keep_part(j, rule, slash, end);
	}
	rule_tree_free(&t);
	return r;
}

static void free_janitor(struct janitor *j)
{
	for (size_t i = 0; i < j->folder_count; i++)
		free(j->folders[i].path);
	for (size_t i = 0; i < j->name_count; i++)
		free(j->names[i].name);
	free(j->folders);
	free(j->names);
}

/* --- making: from here on in the janitor ------------------------------------------------------- */

/* Where we may not write the program may not either: it has our user and fewer rights. */
static int open_kept(struct kept_folder *f)
{
	f->fd = open_folder(f->path);
	f->lock = f->fd < 0 ? f->fd : take_lock(f->fd);
	if (f->lock == -EACCES || f->lock == -EROFS || f->lock == -EPERM)
		return 0;
	return f->lock < 0 ? f->lock : 0;
}

/* One file with many names: another name costs a fraction of another file. */
static int make(struct kept_folder *f, const char *name)
{
	if (f->lock < 0)
		return 0;
	if (f->first && (linkat(f->fd, f->first, f->fd, name, 0) == 0 || errno == EEXIST))
		return 0;
	if (mknodat(f->fd, name, MARK, 0) == 0)
		f->first = name;
	else if (errno != EEXIST)
		return -errno;
	return 0;
}

static int make_all(struct janitor *j)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < j->folder_count; i++)
		r = open_kept(&j->folders[i]);
	for (size_t i = 0; r == 0 && i < j->name_count; i++)
		r = make(&j->folders[j->names[i].folder], j->names[i].name);
	return r;
}

/* --- removing ---------------------------------------------------------------------------------- */

static void remove_names(const struct janitor *j, size_t folder)
{
	for (size_t i = 0; i < j->name_count; i++)
		if (j->names[i].folder == folder)
			remove_mark(j->folders[folder].fd, j->names[i].name);
}

/* A byte in the lock says that a session that ended before us protected more than we know of. */
static bool has_note(const struct kept_folder *f)
{
	char bytes[512];
	ssize_t n = read(f->lock, bytes, sizeof(bytes));

	return n > 0;
}

static bool take_alone(const struct kept_folder *f)
{
	return flock(f->lock, LOCK_EX | LOCK_NB) == 0 && is_still_there(f->fd, f->lock);
}

/* The lock's name goes last: whoever comes then makes a new one. */
static bool remove_here(const struct janitor *j, size_t folder, bool all)
{
	const struct kept_folder *f = &j->folders[folder];

	remove_names(j, folder);
	if (has_note(f) || all)
		remove_all_marks(f->fd);
	(void)unlinkat(f->fd, PLACEHOLDER_LOCK, 0);
	return !has_note(f);
}

/* Tells those still there. Whoever removed the lock's name before has seen the note or not. */
static bool leave_to_others(const struct kept_folder *f)
{
	return write(f->lock, "m", 1) == 1 && is_still_there(f->fd, f->lock);
}

/* Alone, we remove; with others there, the last of them does. When he went while a note was on its way,
 * we begin again as if we came after him. */
static void clean_folder(const struct janitor *j, size_t folder)
{
	struct kept_folder *f = &j->folders[folder];

	for (int tries = 0; f->lock >= 0 && tries < 100; tries++) {
		if (take_alone(f) ? remove_here(j, folder, tries) : leave_to_others(f))
			return;
		cleanup_fd(&f->lock);
		f->lock = take_lock(f->fd);
	}
}

/* --- the process ------------------------------------------------------------------------------- */

static void stand_alone(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)setsid();
	(void)umask(0);
	(void)prctl(PR_SET_NAME, "stile-janitor");
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		(void)dup2(null, fd);
	if (socket > 3)
		(void)sys_close_range(3, (unsigned)socket - 1);
	(void)sys_close_range((unsigned)socket + 1, ~0u);
}

/* The end of file comes when launcher and warden are gone; a program may live a moment longer, until the
 * kernel has taken down init and with it the namespace. */
static void wait_for_end(int socket)
{
	struct pollfd init = { .fd = -1, .events = POLLIN };
	char byte;
	int pidfd;

	while (wire_receive(socket, &byte, sizeof(byte), &pidfd, 1) >= 0)
		if (pidfd >= 0)
			init.fd = pidfd;
	if (init.fd >= 0)
		(void)poll(&init, 1, -1);
}

__attribute__((noreturn)) static void live(struct janitor *j, int socket)
{
	int r;

	stand_alone(socket);
	r = make_all(j);
	(void)send(socket, &r, sizeof(r), MSG_NOSIGNAL);
	wait_for_end(socket);
	for (size_t i = 0; i < j->folder_count; i++)
		clean_folder(j, i);
	_exit(0);
}

/* --- its employers ----------------------------------------------------------------------------- */

static int start(struct placeholder_keeper *k, struct janitor *j)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	k->pid = fork();
	if (k->pid == 0)
		live(j, ends[1]);
	(void)close(ends[1]);
	if (k->pid > 0) {
		k->socket = ends[0];
		return 0;
	}
	k->pid = 0;
	(void)close(ends[0]);
	return -EAGAIN;
}

int placeholder_start(struct placeholder_keeper *k, const struct policy *p)
{
	struct janitor j = { 0 };
	int r = find_all(&j, p);

	*k = (struct placeholder_keeper){ .pid = 0, .socket = -1 };
	if (r == 0 && j.folder_count)
		r = start(k, &j);
	free_janitor(&j);
	return r;
}

void placeholder_stop(struct placeholder_keeper *k)
{
	if (k->pid <= 0)
		return;
	(void)close(k->socket);
	while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*k = (struct placeholder_keeper){ .pid = 0, .socket = -1 };
}

int placeholder_wait(int socket)
{
	int r = 0;

	if (socket < 0)
		return 0;
	return recv(socket, &r, sizeof(r), 0) == sizeof(r) ? r : -EPIPE;
}

int placeholder_outlive(int socket, pid_t init)
{
	_cleanup_fd_ int pidfd = socket < 0 ? -1 : sys_pidfd_open(init);

	if (socket < 0)
		return 0;
	return pidfd < 0 ? -errno : wire_send(socket, "i", 1, &pidfd, 1);
}
