/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolving paths the way the kernel does, best by asking it: open with O_PATH, read the
 * name of the descriptor. What does not exist, and where no descriptor is to be had, is
 * walked component by component.
 *
 * Runs inside the program: raw system calls, two buffers on the stack, errno untouched.
 * The answer is true for an instant only; nothing that must hold may rest on it.
 */
#include "shim/resolve.h"

#include "shim/climb.h"
#include "shim/raw.h"

#include <errno.h>
#include <string.h>

#define LINKS_MAX 40 /* as in the kernel */

/* --- asking the kernel
 * ----------------------------------------------------------------------- */

/* "/proc/self/fd/N" without stdio. */
static void name_fd(int fd, char out[32])
{
	static const char folder[] = "/proc/self/fd/";
	char digits[12];
	size_t count = 0, at = sizeof(folder) - 1;

	memcpy(out, folder, at);
	do
		digits[count++] = (char)('0' + fd % 10);
	while ((fd /= 10) > 0);
	while (count)
		out[at++] = digits[--count];
	out[at] = '\0';
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length >= size && !memcmp(text + length - size, end, size);
}

/* -ENODATA for "pipe:[7]", "/memfd:x (deleted)" and what lies outside of our root. */
static int check_name(struct resolved *out, long length)
{
	if (length < 0)
		return (int)length;
	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	out->path[length] = '\0';
	if (out->path[0] != '/' || ends_with(out->path, (size_t)length, " (deleted)"))
		return -ENODATA;
	out->exists = true;
	return 0;
}

int resolve_fd(int fd, struct resolved *out)
{
	char name[32];
	long length;

	if (fd == AT_FDCWD) {
		length = raw_getcwd(out->path, sizeof(out->path));
		return check_name(out, length > 0 ? length - 1 : length);
	}
	if (fd < 0)
		return -EBADF;
	name_fd(fd, name);
	return check_name(out,
			  raw_readlink(AT_FDCWD, name, out->path, sizeof(out->path)));
}

/* 0, or -errno: -ENOENT also where the kernel will not say (no /proc). */
static int ask_kernel(int dir, const char *path, unsigned flags, struct resolved *out)
{
	int nofollow = flags & RESOLVE_NOFOLLOW ? O_NOFOLLOW : 0, r;
	int fd = raw_open(dir, path, O_PATH | nofollow);

	if (fd < 0)
		return fd;
	r = resolve_fd(fd, out);
	raw_close(fd);
	return r;
}

/* --- walking
 * ---------------------------------------------------------------------------------- */

/* `rest` grows to the left: it ends at the buffer's end, so that a link's target fits
 * before it. */
struct walk {
	struct resolved *out; /* path without a trailing slash; "" = the root */
	size_t used;	      /* of out->path */
	char buffer[PATH_MAX];
	size_t rest; /* where in buffer it begins */
	unsigned links;
};

static const char *rest_of(const struct walk *w)
{
	return w->buffer + w->rest;
}

static void walk_up(struct walk *w)
{
	while (w->used && w->out->path[--w->used] != '/')
		;
	w->out->path[w->used] = '\0';
}

static int walk_down(struct walk *w, const char *name, size_t size)
{
	if (w->used + size + 2 > sizeof(w->out->path))
		return -ENAMETOOLONG;
	w->out->path[w->used++] = '/';
	memcpy(w->out->path + w->used, name, size);
	w->used += size;
	w->out->path[w->used] = '\0';
	return 0;
}

/* A link's text stands at the buffer's begin; it is moved to where the rest begins. */
static int walk_link(struct walk *w, size_t length)
{
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if (length >= w->rest)
		return -ENAMETOOLONG;
	walk_up(w);
	if (w->buffer[0] == '/') {
		w->used = 0;
		w->out->path[0] = '\0';
	}
	w->buffer[--w->rest] = '/';
	w->rest -= length;
	memmove(w->buffer + w->rest, w->buffer, length);
	return 0;
}

/* A magic link of /proc to what has no path reads "pipe:[7]": never a name to go on with.
 */
static bool is_magic(const struct walk *w, size_t length)
{
	return !memcmp(w->out->path, "/proc/", 6) && length > 2 &&
	       w->buffer[length - 1] == ']' && memchr(w->buffer, '[', length) &&
	       w->buffer[0] != '/';
}

/* Looks at the component just gone down to, and follows it when it is a link. */
static int look(struct walk *w, bool follow)
{
	long length;

	if (!w->out->exists)
		return 0; /* names only, once something is missing */
	length = raw_readlink(AT_FDCWD, w->out->path, w->buffer, w->rest);
	if (length == -ENOENT)
		w->out->exists = false;
	if (length == -ENOTDIR || length == -ENAMETOOLONG)
		return (int)length;
	if (length <= 0 || !follow)
		return 0; /* not a link, missing, or out of sight: its name is all there
			     is */
	return is_magic(w, (size_t)length) ? -ENODATA : walk_link(w, (size_t)length);
}

/* The next component; 1 = there are more. */
static int step(struct walk *w, unsigned flags)
{
	const char *name = rest_of(w) + strspn(rest_of(w), "/");
	size_t size = strcspn(name, "/");
	bool is_last = !name[size + strspn(name + size, "/")], follow;
	int r;

	w->rest = (size_t)(name - w->buffer) + size;
	if (!size)
		return 0;
	if (size == 1 && name[0] == '.')
		return 1;
	if (size == 2 && name[0] == '.' && name[1] == '.') {
		walk_up(w);
		return 1;
	}
	/* A trailing slash makes the kernel follow the last component too. */
	follow = !is_last || name[size] || !(flags & RESOLVE_NOFOLLOW);
	r = walk_down(w, name, size);
	if (!r)
		r = look(w, follow);
	return r < 0 ? r : 1;
}

static int begin(struct walk *w, int dir, const char *path)
{
	size_t size = strlen(path) + 1;
	int r = 0;

	if (size > sizeof(w->buffer))
		return -ENAMETOOLONG;
	w->rest = sizeof(w->buffer) - size;
	memcpy(w->buffer + w->rest, path, size);
	w->out->path[0] = '\0';
	if (path[0] != '/')
		r = resolve_fd(dir, w->out);
	if (r == -ENOENT && dir >= 0)
		r = climb_to_path(dir, w->out); /* no /proc */
	w->used = strlen(w->out->path);
	if (w->used == 1)
		walk_up(w);
	w->out->exists = true;
	return r;
}

int resolve_by_walking(int dir, const char *path, unsigned flags, struct resolved *out)
{
	struct walk w;
	int r;

	w.out = out;
	w.links = 0;
	r = begin(&w, dir, path);
	if (r < 0)
		return r;
	do
		r = step(&w, flags);
	while (r > 0);
	if (!r && !w.used)
		memcpy(out->path, "/", 2);
	return r;
}

/* --- both
 * ---------------------------------------------------------------------------------------
 */

/* What the kernel said for good; anything else is worth walking. */
static bool is_final(int r)
{
	switch (r) {
	case 0:
	case -EFAULT:
	case -EBADF:
	case -ENOTDIR:
	case -ELOOP:
	case -ENAMETOOLONG:
	case -ENODATA:
		return true;
	default:
		return false;
	}
}

int resolve_path(int dir, const char *path, unsigned flags, struct resolved *out)
{
	int r = ask_kernel(dir, path, flags, out);

	if (is_final(r))
		return r;
	if (!path[0])
		return flags & RESOLVE_EMPTY ? resolve_fd(dir, out) : -ENOENT;
	return resolve_by_walking(dir, path, flags, out);
}
