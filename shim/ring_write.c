/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing into the ring: records of calls, and denials, of which the same one again only
 * counts.
 *
 * Runs inside the program, in all its processes and threads at once, in signal handlers
 * and after vfork: slots are reserved with one atomic each, nothing waits for anybody but
 * (a little, when asked) the reader. A writer that dies within a slot leaves it
 * unfinished; the reader passes over it.
 */
#include "shim/shim.h"

#include "policy/block_hash.h"
#include "policy/decide.h"
#include "shim/raw.h"
#include "shim/script.h"

#include <string.h>

#define PROBES_MAX 64	   /* slots tried for a new denial */
#define WAIT_NS	   100000L /* for the reader, at most WAITS_MAX times */
#define WAITS_MAX  50

static uint64_t now_ns(void)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

/* --- records
 * ------------------------------------------------------------------------------------ */

static struct ring_record *record_slot(uint64_t number)
{
	struct ring_record *records = (void *)((char *)shim.ring + RING_AT_RECORDS);

	return &records[number % RING_RECORDS];
}

/* The reader is behind: wait for it, or lose the oldest. */
static void make_room(uint64_t number)
{
	const struct timespec pause = { 0, WAIT_NS };
	int waits = shim.flags & RING_LOSSLESS ? WAITS_MAX : 0;

	while (number - shim.ring->read >= RING_RECORDS) {
		if (!waits--) {
			shim.ring->records_lost++;
			return;
		}
		(void)raw_call4(SYS_nanosleep, (long)&pause, 0, 0, 0);
	}
}

/* Everything but the target and its length. */
static void fill_record(struct ring_record *out, const struct shim_event *event)
{
	out->at_ns = now_ns();
	out->pid = shim_pid();
	out->tid = shim_tid();
	out->hook = event->hook;
	out->access = (uint8_t)event->access;
	out->error = event->error;
	out->axis = out->action = out->layer = 0;
	out->rule = 0;
	if (!event->verdict)
		return;
	out->axis = (uint8_t)event->verdict->axis;
	out->action = (uint8_t)event->verdict->action;
	out->layer = (uint8_t)event->verdict->layer;
	out->rule = event->verdict->rule;
}

/* `rest` goes on in as many records as it needs; theirs follow each other, being reserved
 * at once. */
static void write_record(const struct shim_event *event)
{
	size_t length = strnlen(event->target, UINT16_MAX), left = length;
	uint64_t count = length ? (length + RING_TARGET_MAX - 1) / RING_TARGET_MAX : 1;
	uint64_t first = atomic_fetch_add(&shim.ring->written, count);

	for (uint64_t i = 0; i < count; i++) {
		struct ring_record *slot = record_slot(first + i);
		size_t part = left < RING_TARGET_MAX ? left : RING_TARGET_MAX;

		make_room(first + i);
		atomic_store_explicit(&slot->number, 0, memory_order_relaxed);
		fill_record(slot, event);
		if (i)
			slot->hook = RING_MORE;
		slot->length = (uint16_t)left;
		memcpy(slot->target, event->target + (length - left), part);
		left -= part;
		atomic_store_explicit(&slot->number, first + i + 1, memory_order_release);
	}
}

/* --- denials
 * -------------------------------------------------------------------------------------
 */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = block_hash_add(hash, *text++);
	return block_hash_add(hash, 0);
}

/* Of the caller only what stays when the same program is loaded elsewhere: its place
 * within a page. */
static uint64_t make_key(const struct shim_event *event)
{
	uint64_t hash = hash_text(hash_text(BLOCK_HASH_START, event->call),
				  event->target);
	unsigned place = (unsigned)(uintptr_t)event->caller & 0xfff;
	const unsigned numbers[] = { event->hook, (unsigned)event->error, place,
				     event->script ? event->script->line : 0 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		for (unsigned byte = 0; byte < sizeof(*numbers); byte++)
			hash = block_hash_add(hash, (char)(numbers[i] >> (8 * byte)));
	return hash ? hash : 1;
}

/* The slot of this key; *is_new when nobody had it. NULL = no room. */
static struct ring_denial *find_denial(uint64_t key, bool *is_new)
{
	struct ring_denial *denials = (void *)((char *)shim.ring + RING_AT_DENIALS);

	for (unsigned i = 0; i < PROBES_MAX; i++) {
		struct ring_denial *slot = &denials[(key + i) % RING_DENIALS];
		uint64_t found = atomic_load(&slot->key);

		if (!found && atomic_compare_exchange_strong(&slot->key, &found, key)) {
			*is_new = true;
			return slot;
		}
		if (found == key)
			return slot;
	}
	return NULL;
}

static void fill_denial(struct ring_denial *out, const struct shim_event *event)
{
	size_t length = strnlen(event->target, UINT16_MAX);

	fill_record(&out->record, event);
	out->record.length = (uint16_t)length;
	memcpy(out->record.target, event->target,
	       length < RING_TARGET_MAX ? length : RING_TARGET_MAX);
	if (event->script)
		out->script = *event->script;
	copy_text(out->call, sizeof(out->call), event->call);
	if (event->text)
		copy_text(out->text, sizeof(out->text), event->text);
	else if (shim.flags & RING_CODE && event->verdict)
		policy_say_code(event->verdict->axis, event->call, event->target,
				out->text, sizeof(out->text));
	if (event->caller)
		out->frame_count = unwind_frames(event->caller, event->frame, out->frames,
						 RING_FRAMES);
	atomic_store_explicit(&out->whole, 1, memory_order_release);
}

/* Where in a script is part of what makes two denials the same, so it is asked for each.
 */
static void write_denial(const struct shim_event *event)
{
	struct shim_event here = *event;
	struct ring_script script;
	struct ring_denial *slot;
	bool is_new = false;

	if (!here.script && script_here(&script))
		here.script = &script;
	slot = find_denial(make_key(&here), &is_new);
	if (!slot) {
		shim.ring->denials_lost++;
		return;
	}
	slot->count++;
	if (is_new)
		fill_denial(slot, &here);
}

void shim_tell(const struct shim_event *event)
{
	if (!shim_is_attached())
		return;
	if (event->verdict && event->verdict->action == ACTION_DENY)
		write_denial(event);
	if (shim.flags & RING_RECORD_ALL)
		write_record(event);
}
