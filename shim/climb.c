/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The path of a folder's descriptor without /proc (the profile `code` has none): climb by
 * ".." until a folder is met whose path is known, the working folder or one above it, and
 * find each name on the way by its inode in the folder above.
 *
 * Runs inside the program: raw system calls, two buffers on the stack, errno untouched.
 * Like all resolving, it is true for an instant only.
 */
#include "shim/climb.h"

#include "shim/raw.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define KNOWN_MAX     32
#define LEVELS_MAX    128
#define ENTRIES_BYTES 2048
#define READS_MAX     4096 /* of one folder: some hundred thousand names */

struct place {
	uint64_t device, inode;
};

/* The working folder and those above it: places, and where each ends in out->path. */
struct known {
	struct place place[KNOWN_MAX];
	size_t end[KNOWN_MAX];
	size_t count;
};

/* The names below the known folder, growing to the left. */
struct names {
	char text[PATH_MAX];
	size_t from;
};

static int find_place(int dir, const char *path, struct place *out)
{
	struct stat st;
	int flags = AT_SYMLINK_NOFOLLOW | (path[0] ? 0 : AT_EMPTY_PATH);
	int r = (int)raw_call4(SYS_newfstatat, dir, (long)path, (long)&st, flags);

	if (r < 0)
		return r;
	*out = (struct place){ st.st_dev, st.st_ino };
	return 0;
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->device == b->device && a->inode == b->inode;
}

/* From the working folder up to the root; each prefix of its path is a folder. */
static int find_known(struct resolved *out, struct known *known)
{
	int r = resolve_fd(AT_FDCWD, out);
	/* "/" ends before its slash, like every prefix. */
	size_t end = r < 0 || !out->path[1] ? 0 : strlen(out->path);

	for (known->count = 0; r == 0 && known->count < KNOWN_MAX;) {
		char next = out->path[end];

		out->path[end] = '\0';
		r = find_place(AT_FDCWD, end ? out->path : "/",
			       &known->place[known->count]);
		out->path[end] = next;
		known->end[known->count++] = end;
		if (!end)
			break;
		while (out->path[--end] != '/')
			;
	}
	return r;
}

static int prepend(struct names *names, const char *name)
{
	size_t length = strlen(name);

	if (length + 1 > names->from)
		return -ENAMETOOLONG;
	names->from -= length;
	memcpy(names->text + names->from, name, length);
	names->text[--names->from] = '/';
	return 0;
}

/* One batch of entries: 0 = the name was found and taken, 1 = it is not among them. */
static int look_through(int parent, const char *entries, long size,
			const struct place *wanted, struct names *names)
{
	struct place found;

	for (long at = 0; at < size;) {
		const struct dirent64 *entry = (const void *)(entries + at);

		at += entry->d_reclen;
		if (entry->d_ino == wanted->inode && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0 &&
		    find_place(parent, entry->d_name, &found) == 0 &&
		    is_same(&found, wanted))
			return prepend(names, entry->d_name);
	}
	return 1;
}

static int find_name(int parent, const struct place *wanted, struct names *names)
{
	_Alignas(struct dirent64) char entries[ENTRIES_BYTES];
	int r = 1;

	for (int reads = 0; r == 1 && reads < READS_MAX; reads++) {
		long size = raw_call4(SYS_getdents64, parent, (long)entries,
				      sizeof(entries), 0);

		if (size <= 0)
			return size < 0 ? (int)size : -ENODATA;
		r = look_through(parent, entries, size, wanted, names);
	}
	return r == 1 ? -ENODATA : r;
}

/* The known folder's path in out, then the names. */
static int join(struct resolved *out, size_t end, const struct names *names)
{
	size_t length = sizeof(names->text) - 1 - names->from;

	if (end + length + 2 > sizeof(out->path))
		return -ENAMETOOLONG;
	memcpy(out->path + end, names->text + names->from, length + 1);
	if (!end && !length)
		memcpy(out->path, "/", 2);
	out->exists = true;
	return 0;
}

/* 1 = not known: go on from *at, which is now the folder above. */
static int climb_one(int *at, const struct known *known, struct names *names,
		     struct resolved *out)
{
	struct place here;
	int parent, r = find_place(*at, "", &here);

	if (r < 0)
		return r;
	for (size_t i = 0; i < known->count; i++)
		if (is_same(&here, &known->place[i]))
			return join(out, known->end[i], names);
	parent = raw_open(*at, "..", O_RDONLY | O_DIRECTORY);
	if (parent < 0)
		return parent;
	r = find_name(parent, &here, names);
	*at = parent;
	return r < 0 ? r : 1;
}

int climb_to_path(int fd, struct resolved *out)
{
	struct known known;
	struct names names = { .from = sizeof(names.text) - 1 };
	int at = fd, below, r = find_known(out, &known);

	names.text[names.from] = '\0';
	if (r == 0)
		r = 1;
	for (int level = 0; r == 1 && level < LEVELS_MAX; level++) {
		below = at;
		r = climb_one(&at, &known, &names, out);
		if (below != fd && below != at)
			raw_close(below);
	}
	if (at != fd)
		raw_close(at);
	return r == 1 ? -ENODATA : r;
}
