/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reports: one JSON object a result, two lines a refusal (what and why, then the fix). Colour only on
 * terminals and never with NO_COLOR.
 */
#include "launcher/report.h"

#include "backends/cleanup.h"
#include "backends/sys.h"
#include "policy/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *paint(const char *code)
{
	return isatty(2) && !getenv("NO_COLOR") ? code : "";
}

/*
 * The project is the program's to write: a link it planted there must not lead us elsewhere. So no link is
 * followed at the end of a name, nor anywhere in a relative one (links under /dev are the
 * system's). Non-blocking, lest a planted FIFO hold us.
 */
static int open_file(const char *target, int how)
{
	uint64_t flags = (uint64_t)(O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | how);
	int fd;

	if (strncmp(target, "/dev/", 5) != 0)
		flags |= O_NOFOLLOW;
	fd = sys_openat2(AT_FDCWD, target, flags, target[0] == '/' ? 0 : SYS_RESOLVE_NO_SYMLINKS);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, how & O_APPEND);
	return fd;
}

int report_open_target(const char *target, int how)
{
	uint64_t number;
	int fd;

	if (strcmp(target, "-") == 0) {
		fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	} else if (strncmp(target, "fd:", 3) == 0) {
		if (limits_parse(target + 3, UNIT_COUNT, 0, &number) < 0 || number > 1000000)
			return -EINVAL;
		fd = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
	} else {
		fd = open_file(target, how);
	}
	return fd < 0 ? -errno : fd;
}

const char *report_target_words(int error)
{
	if (error == -ENXIO)
		return "is a FIFO that nobody reads, or a socket";
	return error == -ELOOP ? "a symbolic link is not followed here" : strerror(-error);
}

int report_open(struct report *report, const struct request *q, bool streamed)
{
	const struct {
		const char *option, *target;
		int *fd;
	} rows[] = {
		{ "--result", q->result ? q->result : streamed ? NULL : "-", &report->result },
		{ "--meta", q->meta, &report->meta },
	};

	*report = (struct report){ -1, -1 };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].target)
			continue;
		*rows[i].fd = report_open_target(rows[i].target, O_TRUNC);
		if (*rows[i].fd >= 0)
			continue;
		fprintf(stderr, "stile: %s %s: %s\n", rows[i].option, rows[i].target,
			report_target_words(*rows[i].fd));
		return -EINVAL;
	}
	return 0;
}

void report_close(struct report *report)
{
	cleanup_fd(&report->result);
	cleanup_fd(&report->meta);
	*report = (struct report){ -1, -1 };
}

static int write_json(int fd, const struct result *r)
{
	_cleanup_free_ char *text = result_to_json(r, isatty(fd));

	if (text && dprintf(fd, "%s\n", text) >= 0)
		return 0;
	fprintf(stderr, "stile: writing the result: %s\n", strerror(text ? errno : ENOMEM));
	return -EIO;
}

static int write_meta(int fd, const struct result *r)
{
	int e = result_write_meta(r, fd);

	if (e < 0)
		fprintf(stderr, "stile: writing --meta: %s\n", strerror(-e));
	return e;
}

static void tell_person(const struct result *r)
{
	if (r->status == STATUS_DENIED) {
		fprintf(stderr, "%sstile: refused%s: %s\n", paint("\033[31m"), paint("\033[0m"),
			r->reason);
		if (r->fix[0])
			fprintf(stderr, "stile: to allow it: %s\n", r->fix);
	} else if (r->status == STATUS_UNAVAILABLE) {
		fprintf(stderr, "Code execution is unavailable: %s\n", r->reason + 20);
		fputs("stile: other ways on: --sandbox container, --sandbox audit-only\n", stderr);
	} else if (r->reason[0] && r->status != STATUS_OK && r->status != STATUS_FAILED) {
		fprintf(stderr, "stile: %s: %s\n", status_name(r->status), r->reason);
	}
	if (r->layers.not_enforced[0] && r->status != STATUS_UNAVAILABLE)
		fprintf(stderr, "stile: not enforced on this host: %s\n", r->layers.not_enforced);
}

int report_result(const struct report *report, const struct result *r, bool streamed)
{
	int e = 0;

	/* The one warning nobody may overlook; the others stand in the result. */
	if (strcmp(r->backend, "audit-only") == 0 && r->warning_count)
		fprintf(stderr, "WARNING: %s\n", r->warnings[0]);
	if (streamed)
		tell_person(r);
	if (report->result >= 0)
		e = write_json(report->result, r);
	if (report->meta >= 0 && write_meta(report->meta, r) < 0)
		e = -EIO;
	return e < 0 ? EXIT_CODE_INTERNAL & 255 : r->exit_code & 255;
}

void report_verdict_json(const struct verdict *verdict, json_t *policy)
{
	bool allowed = verdict->action == ACTION_ALLOW;
	json_t *object = json_pack("{ss ss* ss* ss* ss* so*}", "verdict",
				   allowed ? "allow" : "deny", "axis",
				   allowed ? NULL : axis_name(verdict->axis), "layer",
				   allowed ? NULL : layer_name(verdict->layer), "reason",
				   allowed ? NULL : verdict->reason, "fix",
				   allowed ? NULL : verdict->fix, "policy", policy);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	puts(text ? text : "{\"error\":\"not UTF-8\"}");
	free(text);
	json_decref(object);
}

void report_verdict(const struct verdict *verdict)
{
	if (verdict->action == ACTION_ALLOW)
		puts("allowed");
	else
		printf("refused: %s\nto allow it: %s\n", verdict->reason, verdict->fix);
}
