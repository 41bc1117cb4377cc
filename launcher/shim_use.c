/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a session has of the shim, from the search for its library to what a run's ring said. Runs in the launcher.
 *
 * The shim may be missing, unreadable, of the wrong kind, or unwanted: then programs run without it, and the
 * result says so; never is it silently left out. Nothing here holds anything back: the walls do.
 */
#include "launcher/shim_use.h"

#include "backends/cleanup.h"
#include "launcher/clock.h"
#include "launcher/ring_read.h"
#include "launcher/shim_file.h"
#include "launcher/shim_told.h"
#include "policy/decide.h"
#include "policy/policy.h"
#include "shim/ring.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRELOAD "LD_PRELOAD="

struct shim_use {
	struct shim_wish wish;
	char file[PATH_MAX];   /* the library on the host */
	char folder[PATH_MAX]; /* the room, when it is a folder */
	char folder_ring[PATH_MAX];
	struct room_plan plan;
	struct program_files files;
	char why[LAYER_MESSAGE_MAX]; /* there is no shim; "" = there is */
	int ring, own_ring;          /* what is read; what we made ourselves */
	bool is_given, is_used;      /* programs get it; some run had the ring */
	uint64_t start_ns;
	struct shim_cover cover;
	struct observed *observed;   /* owned; NULL = calls are not recorded */
	char room_variable[PATH_MAX + 64];
	char *preload; /* the other variable; owned */
};

int shim_use_open(struct shim_use **out, const struct shim_wish *wish)
{
	struct shim_use *use = calloc(1, sizeof(*use));

	*out = use;
	if (!use)
		return -ENOMEM;
	use->wish = *wish;
	use->ring = use->own_ring = -1;
	if (wish->none)
		snprintf(use->why, sizeof(use->why), "--no-shim");
	else
		(void)shim_file_find(use->file, sizeof(use->file), use->why, sizeof(use->why));
	return 0;
}

size_t shim_use_rules(struct shim_use *use, const char *folder, struct path_rule out[SHIM_RULES_MAX])
{
	const struct {
		const char *path;
		unsigned rights;
	} rows[SHIM_RULES_MAX] = {
		{ RING_ROOM, PATH_READ },
		{ RING_ROOM "/" RING_FILE_NAME, PATH_READ | PATH_WRITE },
		{ use->folder, PATH_READ }, { use->folder_ring, PATH_READ | PATH_WRITE },
		{ use->file, PATH_READ },
	};

	if (use->why[0])
		return 0;
	snprintf(use->folder, sizeof(use->folder), "%s/room", folder);
	snprintf(use->folder_ring, sizeof(use->folder_ring), "%s/room/" RING_FILE_NAME, folder);
	for (size_t i = 0; i < SHIM_RULES_MAX; i++)
		out[i] = (struct path_rule){ .path = (char *)(uintptr_t)rows[i].path,
					     .rights = rows[i].rights,
					     .origin = (char *)(uintptr_t)"the shim's room" };
	return SHIM_RULES_MAX;
}

void shim_use_judge_by(struct shim_use *use, const struct policy_block *block)
{
	use->files.block = block;
	if (use->wish.observe)
		use->observed = observed_new(block);
}

void shim_use_close(struct shim_use *use)
{
	if (!use)
		return;
	cleanup_fd(&use->own_ring);
	observed_free(use->observed);
	free(use->preload);
	free(use);
}

/* LD_PRELOAD is a list with blanks and colons between. */
static bool is_listable(const char *path)
{
	return !path[strcspn(path, ": \t\n")];
}

static void make_folder(struct shim_use *use, const char *session)
{
	int n = snprintf(use->folder, sizeof(use->folder), "%s/room", session);

	use->plan.folder = use->folder;
	if (n < 0 || (size_t)n >= sizeof(use->folder) || !is_listable(use->folder))
		use->own_ring = -EINVAL;
	else
		use->own_ring = room_make(&use->plan);
	if (use->own_ring >= 0)
		return;
	snprintf(use->why, sizeof(use->why), "the shim's room in %.150s: %s", session,
		 use->own_ring == -EINVAL ? "LD_PRELOAD takes no such name" :
					    strerror(-use->own_ring));
	use->own_ring = -1;
}

const struct room_plan *shim_use_plan(struct shim_use *use, const char *folder)
{
	if (use->why[0])
		return NULL;
	use->plan.shim = use->file;
	use->plan.block = use->files.block;
	if (folder && use->own_ring < 0)
		make_folder(use, folder);
	return use->why[0] ? NULL : &use->plan;
}

void shim_use_settle(struct shim_use *use, int ring, struct layer_state *state, bool walls)
{
	use->ring = use->plan.folder ? use->own_ring : ring;
	use->files.anywhere = !walls;
	if (use->why[0])
		*state = (struct layer_state){ 0 };
	if (!use->why[0] && !state->enforced)
		snprintf(use->why, sizeof(use->why), "%s", state->why);
	use->is_given = !use->why[0] && use->ring >= 0;
	state->enforced = use->is_given;
	snprintf(state->why, sizeof(state->why), "%s", use->why);
	snprintf(use->cover.why, sizeof(use->cover.why), "%s", use->why);
}

bool shim_use_is_given(const struct shim_use *use)
{
	return use->is_given;
}

static uint32_t flags_of(const struct shim_use *use)
{
	uint32_t flags = use->files.anywhere ? 0 : RING_WALLS;

	if (use->wish.observe)
		flags |= RING_OBSERVE | RING_RECORD_ALL | RING_LOSSLESS;
	if (policy_is_code(use->files.block))
		flags |= RING_CODE;
	return flags;
}

void shim_use_forget(struct shim_use *use)
{
	if (!use)
		return;
	snprintf(use->cover.why, sizeof(use->cover.why), "%s", use->why);
	use->cover.processes = 0;
	use->cover.blind_count = 0;
	use->cover.blind_lost = 0;
	observed_clear(use->observed);
}

int shim_use_begin(struct shim_use *use)
{
	bool is_new = !use->is_used;

	if (!use->is_given)
		return 0;
	use->is_used = true;
	return ring_begin(use->ring, flags_of(use), is_new, &use->start_ns);
}

/* --- the environment --------------------------------------------------------------------------- */

/* Ours first: what stands behind may itself load, and is then seen. */
static char *make_preload(const char *room, const char *theirs)
{
	char *text;

	if (asprintf(&text, PRELOAD "%s/" RING_SHIM_NAME "%s%s", room, *theirs ? ":" : "", theirs) < 0)
		return NULL;
	return text;
}

static bool is_ours(const char *entry)
{
	return !strncmp(entry, PRELOAD, strlen(PRELOAD)) ||
	       !strncmp(entry, RING_ROOM_VARIABLE "=", strlen(RING_ROOM_VARIABLE "="));
}

char **shim_use_environment(struct shim_use *use, char **env)
{
	const char *room = use->plan.folder ? use->plan.folder : RING_ROOM, *theirs = "";
	size_t count = 0, used = 0;
	char **all;

	while (env[count])
		count++;
	all = calloc(count + 3, sizeof(*all));
	for (size_t i = 0; all && i < count; i++) {
		bool ours = use->is_given && is_ours(env[i]);

		if (ours && !strncmp(env[i], PRELOAD, strlen(PRELOAD)))
			theirs = env[i] + strlen(PRELOAD);
		if (!ours)
			all[used++] = env[i];
	}
	if (!all || !use->is_given)
		return all;
	free(use->preload);
	use->preload = make_preload(room, theirs);
	snprintf(use->room_variable, sizeof(use->room_variable), RING_ROOM_VARIABLE "=%s", room);
	if (use->preload) {
		all[used++] = use->preload;
		all[used++] = use->room_variable;
		return all;
	}
	free(all);
	return NULL;
}

/* --- after a run ------------------------------------------------------------------------------- */

bool shim_use_records(const struct shim_use *use)
{
	return use->is_given && use->observed;
}

void shim_use_drain(void *ctx)
{
	struct shim_use *use = ctx;

	observed_drain(use->observed, use->ring, false);
}

const struct observed *shim_use_observed(const struct shim_use *use)
{
	return use ? use->observed : NULL;
}

static bool is_covered(void *ctx, int32_t pid)
{
	return shim_cover_has(ctx, pid);
}

int shim_use_check(const struct shim_use *use, const char *program, char *why, size_t size)
{
	_cleanup_fd_ int fd = program_file_open(&use->files, program);
	enum shim_cause cause = fd < 0 ? SHIM_CAUSE_UNREADABLE : shim_cover_cause(&use->files, fd);

	/* What cannot be looked at from here may still take it in. */
	if (cause == SHIM_CAUSE_NONE || cause == SHIM_CAUSE_UNREADABLE)
		return 0;
	snprintf(why, size, "required layer shim cannot see into the program: %s",
		 shim_cause_text(cause));
	return -ENOEXEC;
}

void shim_use_end(struct shim_use *use, struct denials *denials, const struct shim_run *run)
{
	const struct shim_cover_ask cover = { .ring = use->ring,
					      .program = run->program,
					      .cwd = run->cwd,
					      .inside = run->inside,
					      .is_static = run->is_static,
					      .files = &use->files,
					      .is_thorough = use->wish.explain };
	const struct shim_told_ask told = { .ring = use->ring,
					    .start_ns = use->start_ns,
					    .end_ns = clock_ns(),
					    .program = run->program,
					    .files = &use->files };

	if (!use->is_given)
		return;
	if (use->observed)
		observed_drain(use->observed, use->ring, true);
	shim_cover_take(&use->cover, &cover);
	shim_told_take(denials, &told);
	denials_reconcile(denials, is_covered, &use->cover);
}

const struct shim_cover *shim_use_cover(const struct shim_use *use)
{
	return &use->cover;
}
