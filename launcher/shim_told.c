/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the ring's rows to denials. The shim tells which call on which target was refused; why, by which
 * rule, and what would allow it is asked here again, of the same deciding functions and the policy's own
 * block, so that no program can put words into the result's mouth. What stays its word alone (that the call
 * happened, where in the program) is marked as not trusted.
 *
 * Runs in the launcher after the program's end. A path that is absent where the policy hides it is a denial
 * only when there is such a thing on the host: programs ask for much that is nowhere.
 */
#include "launcher/shim_told.h"

#include "launcher/ring_read.h"
#include "launcher/symbols.h"
#include "launcher/told_judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct telling {
	struct denials *list;
	const struct shim_told_ask *ask;
	struct symbols *symbols; /* made when first needed */
	struct ring_process *processes; /* the same; owned */
	size_t process_count;
	struct verdict_text text;
	struct denial_frame frames[DENIAL_FRAMES_MAX];
	struct denial_script script;
	char target[RING_TARGET_MAX + 4];
};

/* --- why --------------------------------------------------------------------------------------- */

static void judge(struct telling *t, const struct ring_told *told, struct verdict *verdict)
{
	const struct told_call call = { .axis = (enum axis)told->denial.record.axis,
					.access = told->denial.record.access,
					.call = told->denial.call,
					.target = told->target };

	told_judge(t->ask->files->block, &call, &t->text, verdict);
	if (verdict->action == ACTION_ALLOW)
		*verdict = (struct verdict){ .action = ACTION_DENY,
					     .reason = told->denial.text,
					     .fix = "" };
}

/* --- where ------------------------------------------------------------------------------------- */

static int open_file(void *ctx, const char *path)
{
	return program_file_open(ctx, path);
}

static void take_process(void *ctx, const struct ring_process *process)
{
	struct telling *t = ctx;

	if (t->process_count < RING_PROCESSES)
		t->processes[t->process_count++] = *process;
}

/* What a process of the run executed, by its own word; else the first program. */
static const char *program_of(struct telling *t, uint32_t pid)
{
	if (!t->processes) {
		t->processes = calloc(RING_PROCESSES, sizeof(*t->processes));
		if (t->processes)
			(void)ring_each_process(t->ask->ring, take_process, t);
	}
	for (size_t i = 0; i < t->process_count; i++)
		if (t->processes[i].pid == pid && t->processes[i].exe[0] == '/')
			return t->processes[i].exe;
	return t->ask->program;
}

static void name_frame(struct telling *t, uint32_t pid, const struct ring_frame *from,
		       struct denial_frame *to)
{
	*to = (struct denial_frame){ .offset = from->offset };
	snprintf(to->module, sizeof(to->module), "%s",
		 from->module[0] ? from->module : program_of(t, pid));
	if (!t->symbols)
		t->symbols = symbols_new(open_file, (void *)(uintptr_t)t->ask->files);
	if (t->symbols)
		symbols_name(t->symbols, to);
}

static size_t name_frames(struct telling *t, const struct ring_denial *d)
{
	size_t count = d->frame_count < DENIAL_FRAMES_MAX ? d->frame_count : DENIAL_FRAMES_MAX;

	for (size_t i = 0; i < count; i++)
		name_frame(t, d->record.pid, &d->frames[i], &t->frames[i]);
	return count;
}

static const struct denial_script *take_script(struct telling *t, const struct ring_script *from)
{
	if (!from->file[0])
		return NULL;
	t->script = (struct denial_script){ .line = from->line };
	snprintf(t->script.file, sizeof(t->script.file), "%s", from->file);
	snprintf(t->script.function, sizeof(t->script.function), "%s", from->function);
	return &t->script;
}

/* --- each -------------------------------------------------------------------------------------- */

static uint64_t time_of(const struct telling *t, uint64_t at_ns)
{
	if (at_ns < t->ask->start_ns || at_ns > t->ask->end_ns)
		return DENIAL_UNKNOWN;
	return (at_ns - t->ask->start_ns) / 1000000u;
}

static bool is_worth_telling(const struct ring_told *told)
{
	const struct ring_record *record = &told->denial.record;
	bool is_absent = record->error == ENOENT || record->error == ENOTDIR;

	return (record->axis != AXIS_PATH && record->axis != AXIS_EXECUTABLE) || !is_absent || told->is_cut ||
	       program_file_exists(told->target);
}

static void take_denial(void *ctx, const struct ring_told *told)
{
	struct telling *t = ctx;
	const struct ring_record *record = &told->denial.record;
	struct verdict verdict;

	if (!is_worth_telling(told))
		return;
	judge(t, told, &verdict);
	snprintf(t->target, sizeof(t->target), "%s%s", told->target, told->is_cut ? "…" : "");
	denials_add(t->list,
		    &(struct denial){
			    .at_ms = time_of(t, record->at_ns),
			    .pid = record->pid > INT32_MAX ? 0 : (int32_t)record->pid,
			    .layer = (enum layer)record->layer,
			    .axis = (enum axis)record->axis,
			    .call = told->denial.call,
			    .target = t->target,
			    .error = record->error,
			    .rule = verdict.rule,
			    .reason = verdict.reason,
			    .fix = verdict.fix,
			    .count = told->denial.count,
			    .frames = t->frames,
			    .frame_count = name_frames(t, &told->denial),
			    .script = take_script(t, &told->denial.script),
		    });
}

void shim_told_take(struct denials *list, const struct shim_told_ask *ask)
{
	struct telling *t = calloc(1, sizeof(*t));
	struct ring_state state;
	uint64_t lost = 0;

	if (!t)
		return denials_add_lost(list, 1);
	t->list = list;
	t->ask = ask;
	(void)ring_each_denial(ask->ring, take_denial, t, &lost);
	denials_add_lost(list, lost);
	if (ring_look(ask->ring, &state) == 0)
		denials_add_lost(list, state.denials_lost);
	symbols_free(t->symbols);
	free(t->processes);
	free(t);
}
