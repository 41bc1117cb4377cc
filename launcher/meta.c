/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The key:value file that users of the contest sandbox `isolate` parse (--meta). Runs in the
 * launcher, after the program's end. What is not known is left out; a value must never hold a newline.
 */
#include "launcher/result.h"

#include "backends/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* What each status is in isolate's words; code NULL = no status line, message NULL = the reason. */
static const struct meta_row {
	const char *code, *message;
	bool is_exit;   /* the program ended by itself, with an exit code */
	bool is_killed; /* we ended it */
} meta_rows[] = {
	[STATUS_OK] = { .is_exit = true },
	[STATUS_FAILED] = { .code = "RE", .message = "Exited with error status", .is_exit = true },
	[STATUS_SIGNALED] = { .code = "SG", .message = "Caught fatal signal" },
	[STATUS_DENIED] = { .code = "XX" },
	[STATUS_TIMED_OUT] = { .code = "TO", .message = "Time limit exceeded", .is_killed = true },
	[STATUS_STEP_BUDGET] = { .code = "TO", .message = "Step budget exceeded", .is_killed = true },
	[STATUS_MEMORY] = { .code = "SG", .message = "Memory limit exceeded", .is_killed = true },
	[STATUS_DISK] = { .code = "RE", .message = "Disk limit exceeded", .is_killed = true },
	[STATUS_UNAVAILABLE] = { .code = "XX" },
	[STATUS_ERROR] = { .code = "XX" },
};

static const struct meta_row *find_row(enum run_status status)
{
	bool is_known = (size_t)status < sizeof(meta_rows) / sizeof(meta_rows[0]);

	return &meta_rows[is_known ? status : STATUS_ERROR];
}

static void put_seconds(FILE *f, const char *key, uint64_t us)
{
	if (us != RESULT_UNKNOWN)
		(void)fprintf(f, "%s:%" PRIu64 ".%03" PRIu64 "\n", key, us / 1000000,
			      us / 1000 % 1000);
}

static void put_count(FILE *f, const char *key, uint64_t value)
{
	if (value != RESULT_UNKNOWN)
		(void)fprintf(f, "%s:%" PRIu64 "\n", key, value);
}

static void put_line(FILE *f, const char *key, const char *text)
{
	(void)fprintf(f, "%s:", key);
	for (; *text; text++)
		(void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, f);
	(void)fputc('\n', f);
}

static void put_message(FILE *f, const struct result *r, const struct meta_row *row)
{
	char text[64];

	if (!row->message) {
		if (row->code)
			put_line(f, "message", r->reason[0] ? r->reason : status_name(r->status));
		return;
	}
	if (r->status == STATUS_FAILED)
		(void)snprintf(text, sizeof(text), "%s %d", row->message, r->exit_code);
	else if (r->status == STATUS_SIGNALED)
		(void)snprintf(text, sizeof(text), "%s %d", row->message, r->signal);
	else
		(void)snprintf(text, sizeof(text), "%s", row->message);
	put_line(f, "message", text);
}

static void put_meta(FILE *f, const struct result *r)
{
	const struct meta_row *row = find_row(r->status);

	put_seconds(f, "time", r->cpu_us);
	put_seconds(f, "time-wall", r->duration_us);
	put_count(f, "max-rss", r->max_rss_kb);
	if (row->is_exit)
		(void)fprintf(f, "exitcode:%d\n", r->exit_code);
	if (r->signal)
		(void)fprintf(f, "exitsig:%d\n", r->signal);
	if (row->is_killed)
		(void)fputs("killed:1\n", f);
	if (row->code)
		put_line(f, "status", row->code);
	put_message(f, r, row);
	put_count(f, "csw-voluntary", r->switches_voluntary);
	put_count(f, "csw-forced", r->switches_forced);
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

int result_write_meta(const struct result *r, int fd)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -errno;
	put_meta(f, r);
	if (fclose(f) != 0)
		return -ENOMEM;
	return write_all(fd, text, size);
}
