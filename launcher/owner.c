/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * owner.json: who a session folder belongs to, so that a later sweep knows whether anyone still
 * needs it. Runs in the launcher.
 *
 * A process id alone proves nothing (it is reused), so the record also holds the start time of the
 * process and the boot it lives in. It is read as hostile: bounded, every field checked, no symlink
 * followed, nothing that could block opened. A record that is in doubt is no record; the caller then
 * goes by the folder's age. It must never declare a living session dead.
 */
#include "launcher/owner.h"

#include "backends/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#define OWNER_NEW_FILE OWNER_FILE ".new"
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"
#define BOOT_UNKNOWN "unknown"

enum { START_TIME_FIELD = 22, STAT_SIZE = 1024 };

/* At most size - 1 bytes, NUL-terminated. Length or -errno. */
static ssize_t read_small(int fd, char *out, size_t size)
{
	size_t used = 0;

	while (used < size - 1) {
		ssize_t got = read(fd, out + used, size - 1 - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		used += (size_t)got;
	}
	out[used] = '\0';
	return (ssize_t)used;
}

static ssize_t read_proc(const char *path, char *out, size_t size)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : read_small(fd, out, size);
}

static void find_boot_id(char out[40])
{
	char text[64];
	ssize_t size = read_proc(BOOT_ID_FILE, text, sizeof(text));

	if (size < 0)
		(void)snprintf(out, 40, BOOT_UNKNOWN);
	else
		(void)snprintf(out, 40, "%.*s", (int)strcspn(text, "\n"), text);
}

static void find_host(char out[256])
{
	struct utsname name;

	if (uname(&name) < 0 || !name.nodename[0])
		(void)snprintf(out, 256, "unknown");
	else
		(void)snprintf(out, 256, "%s", name.nodename);
	/* What the reader would refuse must not be written: the record would count as unreadable. */
	for (char *at = out; *at; at++) {
		unsigned char c = (unsigned char)*at;

		if (c >= 0x80 || (!isalnum(c) && !strchr("-._", c)))
			*at = '_';
	}
}

/* Fields are counted from behind the command, which may hold blanks and parentheses. */
static int parse_start_time(const char *stat, unsigned long long *out)
{
	const char *at = strrchr(stat, ')');

	for (int field = 2; at && field < START_TIME_FIELD; field++)
		at = strchr(at + 1, ' ');
	if (!at || !isdigit((unsigned char)at[1]))
		return -EINVAL;
	*out = strtoull(at + 1, NULL, 10);
	return 0;
}

/* 0, -ENOENT when there is no such process, another -errno when /proc does not say. */
static int find_start_time(pid_t pid, unsigned long long *out)
{
	char path[64], stat[STAT_SIZE];
	ssize_t size;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	size = read_proc(path, stat, sizeof(stat));
	if (size == -ENOENT || size == -ESRCH)
		return kill(pid, 0) < 0 && errno == ESRCH ? -ENOENT : -EIO;
	return size < 0 ? (int)size : parse_start_time(stat, out);
}

static void write_now(char out[40])
{
	time_t now = time(NULL);
	struct tm utc = { 0 };

	(void)gmtime_r(&now, &utc);
	(void)strftime(out, 40, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void owner_fill(struct owner *o, const char *backend, const char *handle)
{
	*o = (struct owner){ .pid = getpid(), .uid = geteuid() };
	if (find_start_time(o->pid, &o->start_time) < 0)
		o->start_time = 0;
	find_boot_id(o->boot_id);
	find_host(o->host);
	write_now(o->created);
	(void)snprintf(o->backend, sizeof(o->backend), "%s", backend);
	(void)snprintf(o->handle, sizeof(o->handle), "%s", handle ? handle : "");
}

static char *format_owner(const struct owner *o)
{
	json_t *json = json_pack("{s:I, s:I, s:s, s:s, s:I, s:s, s:s, s:s*}",
				 "pid", (json_int_t)o->pid,
				 "start_time", (json_int_t)o->start_time, "boot_id", o->boot_id,
				 "host", o->host, "uid", (json_int_t)o->uid, "created", o->created,
				 "backend", o->backend,
				 "handle", o->handle[0] ? o->handle : NULL);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		size -= (size_t)done;
	}
	return 0;
}

int owner_write(int dir_fd, const struct owner *o)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
	_cleanup_free_ char *text = format_owner(o);
	_cleanup_fd_ int fd = -1;
	int r;

	if (!text)
		return -ENOMEM;
	fd = openat(dir_fd, OWNER_NEW_FILE, flags, 0600);
	if (fd < 0)
		return -errno;
	/* Readable for us, whatever the umask is. */
	(void)fchmod(fd, 0600);
	r = write_all(fd, text, strlen(text));
	if (r < 0)
		return r;
	return renameat(dir_fd, OWNER_NEW_FILE, dir_fd, OWNER_FILE) < 0 ? -errno : 0;
}

int owner_read(int dir_fd, struct owner *out)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	_cleanup_fd_ int fd = openat(dir_fd, OWNER_FILE, flags);
	char text[OWNER_SIZE_MAX + 2];
	struct stat st;
	ssize_t size;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	size = read_small(fd, text, sizeof(text));
	return size < 0 ? (int)size : owner_parse(text, (size_t)size, out);
}

/* One row per text field: what may stand in it, and where it goes. */
static const struct text_row {
	const char *key, *extra; /* characters allowed beside letters and digits */
	size_t offset, size;
	bool is_optional;
} text_rows[] = {
	{ "boot_id", "-", offsetof(struct owner, boot_id), 40, false },
	{ "host", "-._", offsetof(struct owner, host), 256, false },
	{ "created", "-:.+", offsetof(struct owner, created), 40, false },
	{ "backend", "-", offsetof(struct owner, backend), 32, false },
	{ "handle", "-._:/@", offsetof(struct owner, handle), 128, true },
};

static bool is_text_allowed(const char *text, const char *extra)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x80 || (!isalnum(c) && !strchr(extra, c)))
			return false;
	}
	return true;
}

static int take_text(const json_t *json, const struct text_row *row, struct owner *out)
{
	const json_t *value = json_object_get(json, row->key);
	const char *text = json_string_value(value);
	char *to = (char *)out + row->offset;

	if (!text) {
		*to = '\0';
		return row->is_optional && (!value || json_is_null(value)) ? 0 : -EINVAL;
	}
	if (!*text || strlen(text) >= row->size || !is_text_allowed(text, row->extra))
		return -EINVAL;
	memcpy(to, text, strlen(text) + 1);
	return 0;
}

static int take_number(const json_t *json, const char *key, json_int_t least, json_int_t most,
		       json_int_t *out)
{
	const json_t *value = json_object_get(json, key);

	if (!json_is_integer(value))
		return -EINVAL;
	*out = json_integer_value(value);
	return *out < least || *out > most ? -EINVAL : 0;
}

static int take_numbers(const json_t *json, struct owner *out)
{
	json_int_t pid, uid, start;

	if (take_number(json, "pid", 1, INT_MAX, &pid) < 0 ||
	    take_number(json, "uid", 0, UINT32_MAX - 1, &uid) < 0 ||
	    take_number(json, "start_time", 0, INT64_MAX, &start) < 0)
		return -EINVAL;
	out->pid = (pid_t)pid;
	out->uid = (uid_t)uid;
	out->start_time = (unsigned long long)start;
	return 0;
}

/* The shape of RFC 3339 ("2024-01-31T23:59:59Z", with fraction or offset); nothing computes with it. */
static bool is_time(const char *text)
{
	static const char shape[] = "dddd-dd-ddTdd:dd:dd";

	for (size_t i = 0; i < sizeof(shape) - 1; i++) {
		bool fits = shape[i] == 'd' ? isdigit((unsigned char)text[i]) : text[i] == shape[i];

		if (!fits)
			return false;
	}
	return text[sizeof(shape) - 1] != '\0';
}

static int take_owner(const json_t *json, struct owner *out)
{
	*out = (struct owner){ 0 };
	if (!json_is_object(json) || take_numbers(json, out) < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(text_rows) / sizeof(text_rows[0]); i++) {
		if (take_text(json, &text_rows[i], out) < 0)
			return -EINVAL;
	}
	return is_time(out->created) ? 0 : -EINVAL;
}

int owner_parse(const char *text, size_t size, struct owner *out)
{
	json_error_t error;
	json_t *json;
	int r;

	if (size > OWNER_SIZE_MAX)
		return -EINVAL;
	json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	r = take_owner(json, out);
	json_decref(json);
	return r;
}

static bool is_other_boot(const struct owner *o)
{
	char boot_id[40];

	find_boot_id(boot_id);
	if (!strcmp(boot_id, BOOT_UNKNOWN) || !strcmp(o->boot_id, BOOT_UNKNOWN))
		return false;
	return strcmp(boot_id, o->boot_id) != 0;
}

enum owner_fate owner_judge(const struct owner *o)
{
	unsigned long long start_time;
	char host[256];
	int r;

	find_host(host);
	if (strcmp(host, o->host) != 0)
		return OWNER_FOREIGN;
	if (is_other_boot(o))
		return OWNER_DEAD;
	r = find_start_time(o->pid, &start_time);
	if (r == -ENOENT)
		return OWNER_DEAD;
	if (r < 0 || o->start_time == 0)
		return OWNER_ALIVE;
	return start_time == o->start_time ? OWNER_ALIVE : OWNER_DEAD;
}
