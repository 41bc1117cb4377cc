/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The session folder: <tempdir>/pdlt-sandboxes/<sid>/ with owner.json and work/, its run folders,
 * and the sweep of dead ones. Runs in the launcher.
 *
 * Everything goes by descriptor and by one component at a time, never through a symlink, since the
 * temporary folder is shared with people who may not wish us well. A session folder appears under its
 * name only when it is complete. While it is in use its work/ is locked, which tells a sweep in
 * another pid namespace what the owner's process id cannot. Nothing here falls back to another
 * temporary folder: what cannot be had is one error that names it.
 */
#include "launcher/session_folder.h"

#include "backends/cgroup.h"
#include "backends/cleanup.h"
#include "backends/empty.h"
#include "launcher/owner.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define BASE_NAME "pdlt-sandboxes"
#define NEW_PREFIX ".new-"

enum { LABEL_MAX = 16, BASE_NAME_MAX = 40, KEEP_UNREADABLE_S = 24 * 3600, NAME_TRIES = 16 };

/* The base folder, and the temporary folder's real path it stands in. */
struct base {
	int fd; /* O_RDONLY|O_DIRECTORY */
	char name[BASE_NAME_MAX];
	char *temp; /* owned */
};

static void release_base(struct base *b)
{
	cleanup_fd(&b->fd);
	free(b->temp);
}

#define _cleanup_base_ __attribute__((cleanup(release_base)))

__attribute__((format(printf, 3, 4))) static int fail(struct folder_error *err, int r,
						      const char *format, ...)
{
	va_list args;

	if (!err)
		return r;
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return r;
}

static void clear_error(struct folder_error *err)
{
	if (err)
		err->text[0] = '\0';
}

static int get_random(void *out, size_t size)
{
	ssize_t got = getrandom(out, size, 0);

	if (got < 0)
		return -errno;
	return (size_t)got == size ? 0 : -EIO;
}

/* --- the base folder --- */

/* The temporary folder, opened; its real path goes to b->temp. Descriptor or -errno. */
static int open_temp(struct base *b, struct folder_error *err)
{
	const char *given = getenv("TMPDIR");
	const char *temp = given && *given ? given : "/tmp";
	_cleanup_fd_ int fd = -1;
	struct stat st;

	b->temp = realpath(temp, NULL);
	if (b->temp)
		fd = open(b->temp, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(err, -errno, "cannot use temporary folder '%s': %s", temp,
			    strerror(errno));
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return fail(err, -EPERM,
			    "cannot use temporary folder '%s': it is world-writable without the sticky bit, so that anyone could replace what is in it",
			    temp);
	return take_fd(&fd);
}

enum base_answer { BASE_OURS, BASE_OTHERS, BASE_REFUSED };

/* Ours, or root's and made for all: with the sticky bit only its owner and root can touch entries. */
static enum base_answer judge_base(int fd, const struct base *b, struct folder_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		(void)fail(err, 0, "cannot look at base folder '%s/%s': %s", b->temp, b->name,
			   strerror(errno));
		return BASE_REFUSED;
	}
	if (st.st_uid == geteuid())
		return BASE_OURS;
	if (st.st_uid == 0 && (st.st_mode & 01777) == 01777)
		return BASE_OURS;
	(void)fail(err, 0, "base folder '%s/%s' is refused: it belongs to user %lu, not to user %lu",
		   b->temp, b->name, (unsigned long)st.st_uid, (unsigned long)geteuid());
	return BASE_OTHERS;
}

/* Root's base is for all users, as /tmp is: whoever comes first must not lock the others out. */
static int make_base(int temp_fd, const char *name)
{
	mode_t mode = geteuid() == 0 ? 01777 : 0700;

	if (mkdirat(temp_fd, name, 0700) < 0)
		return errno == EEXIST ? 0 : -errno;
	return fchmodat(temp_fd, name, mode, 0) < 0 ? -errno : 0;
}

/* One of ours that others could empty (made by hand, or under another rule) is closed to them. */
static void repair_base(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
		(void)fchmod(fd, 0700);
}

static enum base_answer enter_base(int temp_fd, struct base *b, bool may_make,
				   struct folder_error *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_fd_ int fd = -1, path_fd = -1;
	int r = may_make ? make_base(temp_fd, b->name) : 0;
	enum base_answer answer;

	if (r < 0) {
		(void)fail(err, 0, "cannot make base folder '%s/%s': %s", b->temp, b->name,
			   strerror(-r));
		return BASE_REFUSED;
	}
	/* First without rights: someone else's 0700 folder cannot be opened, but can be told. */
	path_fd = openat(temp_fd, b->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (path_fd < 0) {
		r = errno;
		(void)fail(err, 0, "base folder '%s/%s' is refused: %s", b->temp, b->name,
			   r == ELOOP || r == ENOTDIR ? "it is a symlink or no folder" : strerror(r));
		return BASE_REFUSED;
	}
	answer = judge_base(path_fd, b, err);
	if (answer != BASE_OURS)
		return answer;
	fd = openat(path_fd, ".", flags);
	if (fd < 0) {
		(void)fail(err, 0, "cannot open base folder '%s/%s': %s", b->temp, b->name,
			   strerror(errno));
		return BASE_REFUSED;
	}
	repair_base(fd);
	b->fd = take_fd(&fd);
	return BASE_OURS;
}

enum { BASE_CANDIDATES = 2 };

static void name_base(struct base *b, int candidate)
{
	if (candidate == 0)
		(void)snprintf(b->name, sizeof(b->name), "%s", BASE_NAME);
	else
		(void)snprintf(b->name, sizeof(b->name), "%s-%lu", BASE_NAME,
			       (unsigned long)geteuid());
}

/* The plain name, or where another user holds that, one with our own user id. */
static int open_base(struct base *b, struct folder_error *err)
{
	_cleanup_fd_ int temp_fd = open_temp(b, err);
	enum base_answer answer = BASE_OTHERS;

	if (temp_fd < 0)
		return temp_fd;
	for (int i = 0; i < BASE_CANDIDATES && answer == BASE_OTHERS; i++) {
		name_base(b, i);
		answer = enter_base(temp_fd, b, true, err);
	}
	if (answer != BASE_OURS)
		return -EPERM;
	clear_error(err);
	return 0;
}

/* --- the sweep --- */

struct sweep {
	int base_fd;
	void (*tell)(void *ctx, const char *name, enum sweep_what what, const char *why);
	void *ctx;
	int removed;
};

static void tell_sweep(struct sweep *w, const char *name, enum sweep_what what, const char *why)
{
	if (what == SWEEP_REMOVED)
		w->removed++;
	if (w->tell)
		w->tell(w->ctx, name, what, why);
}

/* owner.json goes last: a removal that is cut short must leave a folder that can be judged. */
static int empty_session(int fd, struct empty_report *report)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_fd_ int work = openat(fd, "work", flags);

	if (work >= 0)
		(void)empty_folder(work, report);
	return empty_folder(fd, report);
}

static bool is_locked(int fd)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_fd_ int work = openat(fd, "work", flags);

	return work >= 0 && flock(work, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* Why the session is to be kept, or NULL: it is dead. */
static const char *find_keeper(int fd, const struct stat *st)
{
	static const char *const reasons[] = {
		[OWNER_ALIVE] = "its owner is alive",
		[OWNER_FOREIGN] = "its owner is on another host",
	};
	struct owner owner;
	enum owner_fate fate;

	if (owner_read(fd, &owner) < 0) {
		if (time(NULL) - st->st_mtime < KEEP_UNREADABLE_S)
			return "its owner.json is missing or unreadable, and it is younger than 24 hours";
		return is_locked(fd) ? "it is locked" : NULL;
	}
	fate = owner_judge(&owner);
	if (fate != OWNER_DEAD)
		return reasons[fate];
	return is_locked(fd) ? "it is in use, seen from another pid namespace" : NULL;
}

/* Its control groups bear the session's own name; nothing written in the folder decides what is removed. */
static int remove_groups(const char *name)
{
	struct cgroup_host host;

	cgroup_find("/proc/self", &host);
	return cgroup_sweep(&host, name);
}

static void remove_dead(struct sweep *w, const char *name, int fd)
{
	struct empty_report report;
	char why[512];
	int r = remove_groups(name);

	if (r < 0) {
		tell_sweep(w, name, SWEEP_FAILED, "something still lives in its control group");
		return;
	}
	r = empty_session(fd, &report);
	if (r < 0 && r != -ENOENT) {
		(void)snprintf(why, sizeof(why), "cannot remove '%s' in it: %s", report.first_left,
			       strerror(-r));
		tell_sweep(w, name, SWEEP_FAILED, why);
		return;
	}
	if (unlinkat(w->base_fd, name, AT_REMOVEDIR) == 0)
		tell_sweep(w, name, SWEEP_REMOVED, "its owner is dead");
	else if (errno != ENOENT) /* gone: another sweep was faster */
		tell_sweep(w, name, SWEEP_FAILED, strerror(errno));
}

static void sweep_entry(struct sweep *w, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_fd_ int fd = -1;
	const char *keeper;
	struct stat st;

	if (fstatat(w->base_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (!S_ISDIR(st.st_mode)) {
		tell_sweep(w, name, SWEEP_KEPT, "it is no folder");
		return;
	}
	if (st.st_uid != geteuid()) {
		tell_sweep(w, name, SWEEP_KEPT, "it belongs to another user");
		return;
	}
	fd = openat(w->base_fd, name, flags);
	if (fd < 0 || fstat(fd, &st) < 0) {
		if (errno != ENOENT)
			tell_sweep(w, name, SWEEP_FAILED, strerror(errno));
		return;
	}
	keeper = find_keeper(fd, &st);
	if (keeper)
		tell_sweep(w, name, SWEEP_KEPT, keeper);
	else
		remove_dead(w, name, fd);
}

static int sweep_base(struct sweep *w)
{
	int fd = openat(w->base_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		int r = -errno;

		cleanup_fd(&fd);
		return r;
	}
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			sweep_entry(w, entry->d_name);
	}
	(void)closedir(dir);
	return 0;
}

/* Every base that may hold sessions of ours, since which one was used depended on who came first. */
int session_sweep(void (*tell)(void *ctx, const char *name, enum sweep_what, const char *why),
		  void *ctx, struct folder_error *err)
{
	struct sweep w = { .tell = tell, .ctx = ctx };
	_cleanup_base_ struct base temp = { .fd = -1 };
	_cleanup_fd_ int temp_fd = open_temp(&temp, err);

	if (temp_fd < 0)
		return temp_fd;
	for (int i = 0; i < BASE_CANDIDATES; i++) {
		struct base b = { .fd = -1, .temp = temp.temp };

		name_base(&b, i);
		if (enter_base(temp_fd, &b, false, err) != BASE_OURS)
			continue;
		w.base_fd = b.fd;
		(void)sweep_base(&w);
		cleanup_fd(&b.fd);
	}
	clear_error(err);
	return w.removed;
}

/* --- a session's folder --- */

static void clean_label(const char *label, char out[LABEL_MAX + 1])
{
	size_t used = 0;

	for (; label && *label && used < LABEL_MAX; label++) {
		unsigned char c = (unsigned char)*label;
		bool is_kept = c < 0x80 && isalnum(c);

		if (is_kept)
			out[used++] = (char)tolower(c);
		else if (used > 0 && out[used - 1] != '-')
			out[used++] = '-';
	}
	while (used > 0 && out[used - 1] == '-')
		used--;
	out[used] = '\0';
}

static int name_session(struct session_folder *s, const char *label)
{
	char clean[LABEL_MAX + 1];
	uint64_t random;
	int r = get_random(&random, sizeof(random));

	clean_label(label, clean);
	(void)snprintf(s->sid, sizeof(s->sid), "%s-%016llx", clean[0] ? clean : "s",
		       (unsigned long long)random);
	return r;
}

/* A folder of mode 0700 whatever the umask is. */
static int make_private(int parent, const char *name)
{
	struct stat st;

	if (mkdirat(parent, name, 0700) < 0 || fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if ((st.st_mode & 0777) == 0700)
		return 0;
	return fchmodat(parent, name, 0700, 0) < 0 ? -errno : 0;
}

/* Descriptor or -errno. */
static int make_and_open(int parent, const char *name)
{
	int r = make_private(parent, name), fd;

	if (r < 0)
		return r;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* All that belongs into a new session folder; the work folder comes out open and locked. */
static int furnish_session(int fd, const char *backend, int *work_fd)
{
	_cleanup_fd_ int work = make_and_open(fd, "work");
	struct owner owner;
	int r;

	if (work < 0)
		return work;
	/* Where a file system has no locks, the owner's record alone must do. */
	(void)flock(work, LOCK_SH | LOCK_NB);
	owner_fill(&owner, backend, NULL);
	r = owner_write(fd, &owner);
	if (r < 0)
		return r;
	*work_fd = take_fd(&work);
	return 0;
}

static void discard_session(int base_fd, const char *name, int fd)
{
	struct empty_report report;

	if (fd >= 0)
		(void)empty_folder(fd, &report);
	(void)unlinkat(base_fd, name, AT_REMOVEDIR);
}

/* Built under a name that no one takes for a session, then renamed. */
static int build_session(struct session_folder *s, const struct base *b, const char *backend)
{
	char building[sizeof(NEW_PREFIX) + sizeof(s->sid)];
	_cleanup_fd_ int fd = -1, path_fd = -1;
	int r;

	(void)snprintf(building, sizeof(building), NEW_PREFIX "%s", s->sid);
	fd = make_and_open(b->fd, building);
	r = fd < 0 ? fd : furnish_session(fd, backend, &s->work_fd);
	if (r == 0) {
		path_fd = openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = path_fd < 0 ? -errno : 0;
	}
	if (r == 0 && renameat(b->fd, building, b->fd, s->sid) < 0)
		r = -errno;
	if (r < 0) {
		if (r != -EEXIST)
			discard_session(b->fd, building, fd);
		return r;
	}
	s->fd = take_fd(&path_fd);
	return 0;
}

static int abandon_open(struct session_folder *s, int r)
{
	cleanup_fd(&s->work_fd);
	free(s->path);
	*s = (struct session_folder){ .fd = -1, .work_fd = -1 };
	return r;
}

int session_folder_open(struct session_folder *s, const char *label, const char *backend,
			struct folder_error *err)
{
	_cleanup_base_ struct base b = { .fd = -1 };
	int r;

	*s = (struct session_folder){ .fd = -1, .work_fd = -1 };
	r = open_base(&b, err);
	if (r < 0)
		return r;
	(void)session_sweep(NULL, NULL, NULL);
	r = name_session(s, label);
	if (r < 0)
		return fail(err, r, "cannot name the session: getrandom: %s", strerror(-r));
	if (asprintf(&s->path, "%s/%s/%s", strcmp(b.temp, "/") ? b.temp : "", b.name, s->sid) < 0) {
		s->path = NULL;
		return fail(err, -ENOMEM, "cannot name the session: %s", strerror(ENOMEM));
	}
	r = build_session(s, &b, backend);
	if (r < 0) {
		(void)fail(err, r, "cannot make session folder '%s': %s", s->path, strerror(-r));
		return abandon_open(s, r);
	}
	return 0;
}

void session_folder_close(struct session_folder *s)
{
	struct empty_report report;
	_cleanup_fd_ int base_fd = -1, fd = -1;

	if (!s->path)
		return;
	base_fd = openat(s->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)empty_session(fd, &report);
	if (base_fd >= 0)
		(void)unlinkat(base_fd, s->sid, AT_REMOVEDIR);
	cleanup_fd(&s->fd);
	cleanup_fd(&s->work_fd);
	free(s->path);
	*s = (struct session_folder){ .fd = -1, .work_fd = -1 };
}

/* --- a run's folder --- */

static int make_run_folder(struct session_folder *s, struct run_folder *r)
{
	int fd = -EEXIST;

	for (int i = 0; i < NAME_TRIES && fd == -EEXIST; i++) {
		uint32_t random;
		int error = get_random(&random, sizeof(random));

		if (error < 0)
			return error;
		(void)snprintf(r->name, sizeof(r->name), "run-%04u-%06x", s->runs + 1,
			       random & 0xffffff);
		fd = make_and_open(s->work_fd, r->name);
	}
	if (fd < 0)
		return fd;
	r->fd = fd;
	return make_private(fd, "tmp");
}

int run_folder_make(struct session_folder *s, struct run_folder *r, struct folder_error *err)
{
	int error;

	*r = (struct run_folder){ .fd = -1 };
	clear_error(err);
	if (s->poisoned)
		return fail(err, -EUCLEAN,
			    "session '%s' is unusable: something in its work folder cannot be removed",
			    s->sid);
	error = make_run_folder(s, r);
	if (error == 0 && asprintf(&r->path, "%s/work/%s", s->path, r->name) < 0) {
		r->path = NULL;
		error = -ENOMEM;
	}
	if (error == 0) {
		s->runs++;
		return 0;
	}
	run_folder_remove(s, r, NULL);
	return fail(err, error, "cannot make a run folder in '%s/work': %s", s->path,
		    strerror(-error));
}

void run_folder_remove(struct session_folder *s, struct run_folder *r, struct folder_error *err)
{
	struct empty_report report;
	int error;

	clear_error(err);
	/* Most runs leave nothing: what was made goes by its name, and the emptying has nothing to enter. */
	(void)unlinkat(r->fd, "tmp", AT_REMOVEDIR);
	(void)unlinkat(s->work_fd, r->name, AT_REMOVEDIR);
	cleanup_fd(&r->fd);
	free(r->path);
	*r = (struct run_folder){ .fd = -1 };
	error = empty_folder(s->work_fd, &report);
	if (error == 0)
		return;
	s->poisoned = true;
	(void)fail(err, error, "cannot empty '%s/work': '%s' (%lu in all) resists: %s", s->path,
		   report.first_left, report.left, strerror(-error));
}
