/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judging what a program executes and, where that is told, opens, makes and removes: what its walls will
 * refuse by the policy is told with the errno they have for it; they do the refusing.
 *
 * Runs in the launcher's loop.
 */
#include "launcher/notice_parts.h"

#include "backends/cleanup.h"
#include "policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static bool is_folder(const struct notice_place *place)
{
	struct stat st;

	return place->fd >= 0 && fstat(place->fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const struct notice_place *place)
{
	struct stat st;

	return place->fd >= 0 && fstat(place->fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* --- opening and its kin -------------------------------------------------------------------- */

static unsigned read_flags(const struct notices *n)
{
	const uint64_t *args = (const uint64_t *)n->now.data.args;
	uint64_t how = 0;

	if (n->call->flags >= 0)
		return (unsigned)args[n->call->flags];
	if (n->call->always)
		return n->call->always;
	/* openat2: the flags come first in what its third argument points to. */
	if (n->call->effect == EFFECT_OPEN)
		(void)notify_read(&n->now, args[2], &how, sizeof(how));
	return (unsigned)how;
}

/* PATH_… that an open with these flags asks the walls for. */
static unsigned open_access(unsigned flags)
{
	static const unsigned modes[] = { PATH_READ, PATH_WRITE, PATH_READ | PATH_WRITE, 0 };

	return modes[flags & O_ACCMODE] | (flags & (O_TRUNC | O_CREAT) ? PATH_WRITE : 0u);
}

/* One path of one call. */
struct question {
	unsigned access;
	bool creates; /* it may be made if it is not there … */
	bool is_new;  /* … and must not be */
	bool is_open;
	bool only_looks;
};

/* … of a call; the second is where a move leads. */
static struct question pose_question(const struct notices *n, int which, unsigned flags)
{
	enum notify_effect effect = n->call->effect;

	if (effect == EFFECT_OPEN)
		return (struct question){ .access = open_access(flags),
					  .creates = flags & O_CREAT,
					  .is_new = (flags & O_CREAT) && (flags & O_EXCL),
					  .is_open = true,
					  .only_looks = flags & O_PATH };
	return (struct question){ .access = PATH_WRITE,
				  .creates = effect == EFFECT_CREATE ||
					     (effect == EFFECT_MOVE && which == 1),
				  .is_new = effect == EFFECT_CREATE };
}

/* What the kernel says before it asks Landlock. */
static int foresee_error(const struct question *q, const struct notice_place *place)
{
	char link[32];
	struct statvfs st;
	int fd = place->fd >= 0 ? place->fd : place->folder;

	if (!(q->access & PATH_WRITE) || fstatvfs(fd, &st) < 0 || !(st.f_flag & ST_RDONLY))
		return EACCES;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (q->is_open && place->fd >= 0 && faccessat(AT_FDCWD, link, W_OK, AT_EACCESS) < 0)
		return errno == EROFS ? EROFS : EACCES;
	return EROFS;
}

static void tell_path(struct notices *n, const struct question *q, const struct notice_place *place)
{
	struct verdict verdict;
	int error = foresee_error(q, place);

	notice_ask_path(n, place, q->access, &verdict);
	if (verdict.action == ACTION_DENY)
		notice_tell(n, error == EROFS ? LAYER_NAMESPACE : LAYER_LANDLOCK, &verdict, error);
}

static void tell_hidden(struct notices *n, unsigned access, const struct notice_place *place)
{
	struct verdict verdict;

	notice_ask_path(n, place, access, &verdict);
	notice_tell(n, LAYER_NAMESPACE, &verdict, ENOENT);
}

static void judge_place(struct notices *n, const struct question *q,
			const struct notice_place *place)
{
	bool is_there = place->fd >= 0, folder = is_folder(place);

	/* A look gives nothing; and it is how the shim itself finds what a path means. */
	if (q->only_looks || notice_is_session(n, place->path))
		return;
	/* What it makes in the place of something hidden is its own. */
	if (!q->creates && notice_is_hidden(n, place))
		return tell_hidden(n, q->access ? q->access : PATH_READ, place);
	/* Errors of the call's own come first, and folders of an own root can be listed. */
	if ((is_there && q->is_new) || (!is_there && !q->creates))
		return;
	if (folder && q->is_open && (q->access & PATH_WRITE || n->ground.has_own_root))
		return;
	tell_path(n, q, place);
}

/* Between two mounts nothing is moved (EXDEV), whatever the policy says. */
static bool is_one_mount(const struct notice_place *from, const struct notice_place *to)
{
	struct statx one, other;

	return statx(from->fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &one) == 0 &&
	       statx(to->fd >= 0 ? to->fd : to->folder, "", AT_EMPTY_PATH, STATX_MNT_ID, &other) == 0 &&
	       one.stx_mnt_id == other.stx_mnt_id;
}

static void judge_named(struct notices *n, const struct question *q, const struct notice_place *place)
{
	snprintf(n->target, sizeof(n->target), "%s", place->path);
	judge_place(n, q, place);
}

static void judge_move(struct notices *n)
{
	struct question from = pose_question(n, 0, 0), to = pose_question(n, 1, 0);
	struct notice_place source, target = { .fd = -1, .folder = -1 };

	if (notice_find_place(n, &n->call->path[0], true, &source) == 0 &&
	    notice_find_place(n, &n->call->path[1], true, &target) == 0 &&
	    (source.fd < 0 || is_one_mount(&source, &target))) {
		judge_named(n, &from, &source);
		if (source.fd >= 0)
			judge_named(n, &to, &target);
	}
	notice_leave_place(&source);
	notice_leave_place(&target);
}

int notice_judge_path(struct notices *n)
{
	bool is_link = n->call->effect != EFFECT_OPEN && n->call->effect != EFFECT_CHANGE;
	unsigned flags = read_flags(n);
	struct question q = pose_question(n, 0, flags);
	struct notice_place place;

	if (n->call->effect == EFFECT_MOVE) {
		judge_move(n);
		return 0;
	}
	if (notice_find_place(n, &n->call->path[0], is_link || flags & O_NOFOLLOW, &place) == 0)
		judge_named(n, &q, &place);
	notice_leave_place(&place);
	return 0;
}

/* --- executing ------------------------------------------------------------------------------ */

static void judge_program(struct notices *n, const struct notice_place *place)
{
	struct verdict verdict;

	snprintf(n->target, sizeof(n->target), "%s", place->path);
	notice_ask_path(n, place, PATH_EXEC, &verdict);
	verdict.axis = AXIS_EXECUTABLE;
	if (verdict.action == ACTION_ALLOW)
		return;
	if (notice_is_hidden(n, place))
		notice_tell(n, LAYER_NAMESPACE, &verdict, ENOENT);
	else if (is_file(place))
		notice_tell(n, LAYER_LANDLOCK, &verdict, EACCES);
}

int notice_judge_exec(struct notices *n)
{
	struct notice_place place;
	bool is_link = n->call->flags >= 0 &&
		       n->now.data.args[n->call->flags] & AT_SYMLINK_NOFOLLOW;

	if (notice_find_place(n, &n->call->path[0], is_link, &place) == 0)
		judge_program(n, &place);
	notice_leave_place(&place);
	return 0;
}
