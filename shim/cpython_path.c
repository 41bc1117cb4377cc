/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Audit events about files: which paths an event names, what they really are, and what
 * the policy says.
 *
 * Runs inside the program, in a thread that holds the interpreter. Whatever cannot be
 * read out of an event (a descriptor, a loop of links, an object that is no path) is left
 * to the kernel. In the profile `code` the policy's no is enough; elsewhere it is a
 * refusal only where the kernel would refuse with an errno too, because a path that the
 * walls hide must stay "not found".
 */
#include "shim/cpython_inquiry.h"
#include "shim/raw.h"
#include "shim/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

/* --- what the walls would say ------------------------------------------------------- */

static int try_open(const char *path, int flags)
{
	int fd = raw_open(AT_FDCWD, path, flags | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0)
		raw_close(fd);
	return fd >= 0 ? 0 : fd;
}

/* Opening a device or a FIFO does something; a file or a folder can be tried. */
static bool can_be_tried(const char *path)
{
	struct stat st;

	return raw_call4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, 0) == 0 &&
	       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* The folder that a change to this path is made in. */
static bool cut_parent(const char *path, char *out)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash && slash > path ? (size_t)(slash - path) : 1;

	memcpy(out, path, length);
	out[length] = '\0';
	return slash != NULL;
}

/* Writing where a rule says no: read-only by mount, or else by Landlock. 0 = there is
 * nothing there. */
static int ask_writing(const char *path)
{
	char parent[PATH_MAX];
	struct statfs fs;

	if (!cut_parent(path, parent) ||
	    raw_call4(SYS_statfs, (long)parent, (long)&fs, 0, 0) != 0)
		return 0;
	return fs.f_flags & ST_RDONLY ? EROFS : EACCES;
}

static int ask_reading(const char *path)
{
	int r = can_be_tried(path) ? try_open(path, O_RDONLY) : 0;

	return r == -EACCES || r == -EPERM ? -r : 0;
}

/* The errno that the kernel is going to give, 0 = success or "not found". */
static int ask_walls(const struct inquiry *q, unsigned missing)
{
	if (missing & PATH_WRITE)
		return q->verdict.rule ? ask_writing(q->target.path) : 0;
	return ask_reading(q->target.path);
}

/* --- one path ----------------------------------------------------------------------- */

/* q->target and q->access are set. */
static void judge(struct inquiry *q)
{
	unsigned rights = policy_path_rights(q->block, q->target.path, NULL);
	unsigned missing = q->access & ~rights;

	if (!missing && !(rights & PATH_DENY))
		return;
	policy_decide_path(q->block, q->target.path, q->access, &q->text, &q->verdict);
	q->error = q->is_code ? EACCES : ask_walls(q, missing);
}

/* The object as a path; false = nothing to judge. None is the working folder for those
 * that list. */
static bool read_given(struct inquiry *q, int at)
{
	struct object *o = cpython_item(q->args, at);
	long length;

	if (!o && at < cpython.PyTuple_Size(q->args) && q->access == PATH_READ) {
		memcpy(q->given, ".", 2);
		return true;
	}
	if (!o || cpython_is_number(o))
		return false;
	length = cpython_text(o, q->given, sizeof(q->given));
	return length > 0 && length < (long)sizeof(q->given);
}

/* The event has -1 for "relative to the working folder". */
static int read_folder(const struct inquiry *q, int at)
{
	long fd = cpython_number(cpython_item(q->args, at), -1);

	return fd < 0 || fd > INT_MAX ? AT_FDCWD : (int)fd;
}

/* The text of a link, from the folder that q->target.path, the link to be, lies in. */
static bool join_to_link(struct inquiry *q, char *out)
{
	size_t folder, text = strlen(q->given);

	if (q->given[0] == '/') {
		memcpy(out, q->given, text + 1);
		return true;
	}
	if (!cut_parent(q->target.path, out))
		return false;
	folder = strlen(out);
	if (folder + 1 + text + 1 > PATH_MAX)
		return false;
	out[folder] = '/';
	memcpy(out + folder + 1, q->given, text + 1);
	return true;
}

static void ask_one(struct inquiry *q, const struct event_path *path)
{
	char text[PATH_MAX];
	const char *from = q->given;
	int r;

	q->access = path->access;
	if (path->at < 0 || (path->is_target && !q->is_code) || !read_given(q, path->at))
		return;
	if (path->is_target) {
		if (!q->target.path[0] || !join_to_link(q, text))
			return;
		from = text;
	}
	r = resolve_path(read_folder(q, path->dir_fd), from,
			 path->is_entry ? RESOLVE_NOFOLLOW : 0, &q->target);
	if (r >= 0)
		judge(q);
}

void inquiry_ask_path(struct inquiry *q)
{
	for (size_t i = 0; i < 2 && q->verdict.action == ACTION_ALLOW; i++)
		ask_one(q, &q->row->path[i]);
}

/* --- open --------------------------------------------------------------------------- */

static unsigned access_of_flags(int flags)
{
	static const unsigned modes[] = { [O_RDONLY] = PATH_READ,
					  [O_WRONLY] = PATH_WRITE,
					  [O_RDWR] = PATH_READ | PATH_WRITE,
					  [O_ACCMODE] = PATH_READ | PATH_WRITE };
	unsigned access = modes[flags & O_ACCMODE];

	if (flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE)
		access |= PATH_WRITE;
	return access;
}

/* fopen's letters; files opened so pass no flags. */
static unsigned access_of_mode(struct object *mode)
{
	char text[16];

	if (!mode || cpython_text(mode, text, sizeof(text)) < 0)
		return 0;
	return strpbrk(text, "wax+") ? PATH_WRITE : 0;
}

/* A name without a folder that lies in no folder of the policy's, by the working folder.
 */
static bool is_elsewhere(struct inquiry *q)
{
	return !strchr(q->given, '/') &&
	       resolve_path(AT_FDCWD, q->given, RESOLVE_NOFOLLOW, &q->target) >= 0 &&
	       !policy_path_rights(q->block, q->target.path, NULL);
}

/* os.open passes no mode, and its dir_fd not at all. A bare name may be meant from there,
 * as shutil's are: libc's openat, which has the descriptor, is asked then. */
void inquiry_ask_open(struct inquiry *q)
{
	int flags = (int)cpython_number(cpython_item(q->args, 2), 0);
	struct object *mode = cpython_item(q->args, 1);
	struct event_path path = q->row->path[0];

	path.access = (uint8_t)(access_of_flags(flags) | access_of_mode(mode));
	path.is_entry = (flags & O_NOFOLLOW) ||
			(flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
	if (!mode && read_given(q, path.at) && is_elsewhere(q))
		return;
	ask_one(q, &path);
}

/* --- databases ---------------------------------------------------------------------- */

static const char uri_scheme[] = "file:";

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* One character of a URI, %41 or plain. */
static char take_char(const char **text)
{
	const char *t = *text;

	if (t[0] == '%' && hex_digit(t[1]) >= 0 && hex_digit(t[2]) >= 0) {
		*text += 3;
		return (char)(hex_digit(t[1]) * 16 + hex_digit(t[2]));
	}
	*text += 1;
	return t[0];
}

/* file:PATH, file:///PATH, file://localhost/PATH, up to ? or #, as sqlite reads them; in
 * place. */
static void decode_uri(char *uri)
{
	const char *from = uri + sizeof(uri_scheme) - 1;
	char *to = uri;

	if (from[0] == '/' && from[1] == '/') {
		from += 2;
		from += strcspn(from, "/?#");
	}
	while (*from && *from != '?' && *from != '#' && (*to = take_char(&from)))
		to++;
	*to = '\0';
}

/* The part behind the '?' may say that nothing is written, or that there is no file. */
static void read_uri(struct inquiry *q)
{
	const char *query = strchr(q->given, '?');
	bool is_memory = query && strstr(query, "mode=memory");

	if (query && (strstr(query, "mode=ro") || strstr(query, "immutable=1")))
		q->access = PATH_READ;
	decode_uri(q->given);
	if (is_memory)
		q->given[0] = '\0';
}

/* No name is a temporary file of sqlite's own. Whether a URI is one depends on a flag
 * that the event has not; as a file's name it would be one in the working folder. */
void inquiry_ask_database(struct inquiry *q)
{
	q->access = q->row->path[0].access;
	if (!read_given(q, 0))
		return;
	if (!strncmp(q->given, uri_scheme, sizeof(uri_scheme) - 1))
		read_uri(q);
	if (q->given[0] && strcmp(q->given, ":memory:") != 0 &&
	    resolve_path(AT_FDCWD, q->given, 0, &q->target) >= 0)
		judge(q);
}

/* --- shared objects ----------------------------------------------------------------- */

void inquiry_ask_object(struct inquiry *q, struct object *path)
{
	long length = cpython_text(path, q->given, sizeof(q->given));

	if (length <= 0 || length >= (long)sizeof(q->given) ||
	    resolve_path(AT_FDCWD, q->given, 0, &q->target) < 0)
		return;
	policy_decide_load(q->block, q->target.path, &q->text, &q->verdict);
}
