/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile learn: runs a program under observation and writes the least policy under which it ran. Nothing is
 * refused to it but by the walls that were chosen, and by itself that is none: a program that nobody
 * vouches for is better taught in small pieces, or with --sandbox native, run by run.
 *
 * Runs in the launcher. What the program did is its own word (the shim's); the document is for reading before
 * it is used, and says of each line why it is there.
 */
#include "backends/cleanup.h"
#include "launcher/learned.h"
#include "launcher/observed.h"
#include "launcher/program_file.h"
#include "launcher/request.h"
#include "launcher/verbs.h"
#include "policy/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct lesson {
	const char *file; /* of the document */
	bool allow_sensitive;
	struct timespec start; /* by the clock of files */
};

/* --- before the run ------------------------------------------------------------------------------ */

static int begin(void *ctx, struct request *q)
{
	struct lesson *lesson = ctx;

	if (!q->output) {
		fputs("stile learn: -o FILE is needed: where the policy is to be written\n", stderr);
		return -EINVAL;
	}
	if (q->shim.none) {
		fputs("stile learn: nothing can be learned with --no-shim\n", stderr);
		return -EINVAL;
	}
	lesson->file = q->output;
	lesson->allow_sensitive = q->allow_sensitive;
	if (q->mode == SANDBOX_AUTO)
		q->mode = SANDBOX_AUDIT_ONLY;
	q->shim.observe = true;
	q->preflight = false;
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &lesson->start);
	return 0;
}

/* --- what was seen --------------------------------------------------------------------------------- */

static bool is_younger(const struct statx *st, const struct timespec *start)
{
	if (!(st->stx_mask & STATX_BTIME))
		return true; /* not known: as if */
	return st->stx_btime.tv_sec > start->tv_sec ||
	       (st->stx_btime.tv_sec == start->tv_sec && st->stx_btime.tv_nsec >= start->tv_nsec);
}

static bool was_made(const struct lesson *lesson, const char *path)
{
	struct statx st;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) < 0)
		return true;
	return is_younger(&st, &lesson->start);
}

/* What failed for reasons of its own needs no grant; what the walls hid or refused does. */
static bool is_worth_granting(const struct observed_call *call)
{
	int mode = (call->access & PATH_WRITE ? W_OK : 0) | (call->access & PATH_EXEC ? X_OK : 0) | R_OK;

	if (call->error == 0 || (call->axis != AXIS_PATH && call->axis != AXIS_EXECUTABLE))
		return true;
	if (call->error == ENOENT || call->error == ENOTDIR)
		return call->action == ACTION_DENY && program_file_exists(call->target);
	if (call->error == EACCES || call->error == EPERM || call->error == EROFS)
		return call->action == ACTION_DENY &&
		       faccessat(AT_FDCWD, call->target, mode, AT_EACCESS) == 0;
	return false;
}

/* 0 or -ENOMEM; *lost grows by what cannot be said. */
static int take_all(const struct lesson *lesson, struct learned *l, const struct observed *seen,
		    uint64_t *lost)
{
	for (size_t i = 0; i < observed_count(seen); i++) {
		const struct observed_call *call = observed_at(seen, i);
		int r;

		*lost += call->is_cut;
		if (call->is_cut || !is_worth_granting(call))
			continue;
		r = learned_take(l, &(struct learned_call){
					    .axis = call->axis,
					    .access = call->access,
					    .error = call->error,
					    .call = call->call,
					    .target = call->target,
					    .made_in_run = call->axis == AXIS_PATH &&
							   call->access & PATH_WRITE &&
							   was_made(lesson, call->target) });
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- the document ---------------------------------------------------------------------------------- */

/* What an earlier run wrote; NULL = there is no such file. 0 or -errno, and then it is said. */
static int read_earlier(const char *file, json_t **document)
{
	const char *why = "";
	_cleanup_file_ FILE *in = NULL;
	json_error_t error;
	int fd;

	*document = NULL;
	if (access(file, F_OK) < 0 && errno == ENOENT)
		return 0;
	fd = input_file_open(file, &why);
	in = fd < 0 ? NULL : fdopen(fd, "r");
	*document = in ? json_loadf(in, JSON_REJECT_DUPLICATES, &error) : NULL;
	if (*document && json_object_get(*document, "$learned"))
		return 0;
	fprintf(stderr, "stile learn: %s: %s\n", file,
		in ? "is not a document of stile learn's; it is left as it is" : why);
	return -EINVAL;
}

/* Whole or not at all: beside it, then in its place. */
static int write_document(const char *file, json_t *document)
{
	char beside[PATH_MAX];
	_cleanup_fd_ int fd = -1;
	int r = 0;

	if ((size_t)snprintf(beside, sizeof(beside), "%s.XXXXXX", file) >= sizeof(beside))
		return -ENAMETOOLONG;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (json_dumpfd(document, fd, JSON_INDENT(2)) < 0 || write(fd, "\n", 1) != 1 ||
	    fchmod(fd, 0644) < 0 || rename(beside, file) < 0)
		r = errno ? -errno : -EIO;
	if (r < 0)
		(void)unlink(beside);
	return r;
}

static void join_words(char *const *argv, char *out, size_t size)
{
	size_t used = 0;

	out[0] = 0;
	for (size_t i = 0; argv[i] && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", argv[i]);
}

static void tell_unseen(const struct result *r, uint64_t lost, json_t *document)
{
	json_t *note;

	if (!lost && r->shim && !r->shim->why[0] && !r->shim->blind_count && !r->shim->blind_lost)
		return;
	note = json_pack("{sIsisb}", "calls_lost", (json_int_t)lost, "blind_processes",
			 r->shim ? (int)r->shim->blind_count : 0, "shim",
			 r->shim && !r->shim->why[0]);
	(void)json_object_set_new(document, "$incomplete", note);
	fprintf(stderr, "stile learn: not everything was seen: %llu calls lost, %u processes without the shim%s%s\n",
		(unsigned long long)lost, r->shim ? (unsigned)r->shim->blind_count : 0,
		r->shim && r->shim->why[0] ? "; " : "", r->shim ? r->shim->why : "; no shim");
}

static void tell_written(const struct lesson *lesson, const struct learned *l, json_t *document)
{
	json_t *filesystem = json_object_get(document, "filesystem");
	size_t left_out = learned_left_out(l);

	fprintf(stderr, "stile learn: %s: read %zu, write %zu, exec %zu paths; network %s\n",
		lesson->file, json_array_size(json_object_get(filesystem, "read")),
		json_array_size(json_object_get(filesystem, "write")),
		json_array_size(json_object_get(filesystem, "exec")),
		json_string_value(json_object_get(document, "network")));
	if (left_out)
		fprintf(stderr, "stile learn: %zu places that look sensitive are left out (\"$left_out\"); to add them: --allow-sensitive\n",
			left_out);
}

static int make_and_write(const struct lesson *lesson, const struct session *s, const struct result *r)
{
	const struct learned_plan plan = { .block = s->block,
					   .home = getenv("HOME"),
					   .allow_sensitive = lesson->allow_sensitive };
	struct learned *l = learned_new(&plan);
	uint64_t lost = r->observed ? observed_lost(r->observed) : 0;
	json_t *earlier = NULL, *document = NULL;
	char command[1024];
	int e = l ? read_earlier(lesson->file, &earlier) : -ENOMEM;

	join_words(r->argv, command, sizeof(command));
	if (e == 0 && earlier)
		e = learned_merge(l, earlier);
	if (e == 0 && r->observed)
		e = take_all(lesson, l, r->observed, &lost);
	if (e == 0)
		document = learned_document(l, command);
	if (document) {
		tell_unseen(r, lost, document);
		e = write_document(lesson->file, document);
	}
	if (e == 0 && document)
		tell_written(lesson, l, document);
	else if (e != -EINVAL)
		fprintf(stderr, "stile learn: %s: %s\n", lesson->file, strerror(e ? -e : ENOMEM));
	json_decref(document);
	json_decref(earlier);
	learned_free(l);
	return e == 0 && document ? 0 : -EIO;
}

/* The program's exit code, unless there is no document of it. */
static int end(void *ctx, const struct session *s, const struct result *r, int code)
{
	if (r->status == STATUS_DENIED || r->status == STATUS_UNAVAILABLE || r->status == STATUS_ERROR)
		return code;
	return make_and_write(ctx, s, r) < 0 ? EXIT_CODE_INTERNAL & 255 : code;
}

int verb_learn(int argc, char **argv)
{
	struct lesson lesson = { .file = NULL };
	const struct run_as as = { .verb = "learn", .begin = begin, .end = end, .ctx = &lesson };

	return verb_run_as(&as, argc, argv);
}
