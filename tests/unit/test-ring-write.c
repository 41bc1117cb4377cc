/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the shim writes into the ring, in one process and in many at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/compile.h"
#include "shim/shim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct world {
	struct policy_block *block;
	struct ring_header *ring;
	struct verdict deny, allow;
};

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct policy *policy = policy_new();

	assert_int_equal(policy_compile(policy, &w->block), 0);
	policy_free(policy);
	w->ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(w->ring, MAP_FAILED);
	w->deny = (struct verdict){ ACTION_DENY, AXIS_PATH, LAYER_SHIM, 3, "", "" };
	w->allow = (struct verdict){ ACTION_ALLOW, AXIS_PATH, LAYER_NONE, 0, "", "" };
	shim = (struct shim){ .block = w->block,
			      .ring = w->ring,
			      .flags = RING_RECORD_ALL };
	*state = w;
	return 0;
}

static int drop_world(void **state)
{
	struct world *w = *state;

	shim = (struct shim){ .block = NULL };
	(void)munmap(w->ring, RING_BYTES);
	free(w->block);
	free(w);
	return 0;
}

static struct ring_denial *denials(const struct world *w)
{
	return (void *)((char *)w->ring + RING_AT_DENIALS);
}

static struct ring_record *records(const struct world *w)
{
	return (void *)((char *)w->ring + RING_AT_RECORDS);
}

static unsigned count_denials(const struct world *w)
{
	unsigned count = 0;

	for (unsigned i = 0; i < RING_DENIALS; i++)
		count += denials(w)[i].key != 0;
	return count;
}

static const struct ring_denial *first_denial(const struct world *w)
{
	unsigned i = 0;

	while (i < RING_DENIALS - 1 && !denials(w)[i].key)
		i++;
	return &denials(w)[i];
}

static struct shim_event refused(const struct world *w, const char *target)
{
	return (struct shim_event){ .hook = 7,
				    .call = "open",
				    .target = target,
				    .access = 1,
				    .error = EACCES,
				    .verdict = &w->deny };
}

static void writes_a_denial_whole(void **state)
{
	struct world *w = *state;
	struct shim_event event = refused(w, "/etc/shadow");
	const struct ring_denial *denial;

	shim_tell(&event);
	denial = first_denial(w);
	assert_int_equal(denial->whole, 1);
	assert_int_equal(denial->count, 1);
	assert_string_equal(denial->call, "open");
	assert_int_equal(denial->record.length, 11);
	assert_memory_equal(denial->record.target, "/etc/shadow", 11);
	assert_int_equal(denial->record.error, EACCES);
	assert_int_equal(denial->record.rule, 3);
	assert_int_equal(denial->record.axis, AXIS_PATH);
	assert_int_equal(denial->record.pid, getpid());
}

static void the_same_again_only_counts(void **state)
{
	struct world *w = *state;
	struct shim_event event = refused(w, "/etc/shadow");

	for (int i = 0; i < 1000; i++)
		shim_tell(&event);
	assert_int_equal(count_denials(w), 1);
	assert_int_equal(first_denial(w)->count, 1000);
}

static void another_target_is_another(void **state)
{
	struct world *w = *state;
	struct shim_event a = refused(w, "/a"), b = refused(w, "/b");

	shim_tell(&a);
	shim_tell(&b);
	assert_int_equal(count_denials(w), 2);
}

static void a_flood_is_counted_as_lost(void **state)
{
	struct world *w = *state;
	char target[32];

	for (unsigned i = 0; i < 4 * RING_DENIALS; i++) {
		struct shim_event event = refused(w, target);

		(void)snprintf(target, sizeof(target), "/flood/%u", i);
		shim_tell(&event);
	}
	assert_int_equal(count_denials(w) + w->ring->denials_lost, 4 * RING_DENIALS);
	assert_true(w->ring->denials_lost > 0);
}

static void code_is_told_its_own_sentence(void **state)
{
	struct world *w = *state;
	struct shim_event event = refused(w, "/etc/shadow");

	shim.flags |= RING_CODE;
	shim_tell(&event);
	assert_string_equal(
		first_denial(w)->text,
		"File access outside the run directory is denied inside ExecutionSandbox (open: /etc/shadow)");
}

static void an_allowed_call_is_a_record_only(void **state)
{
	struct world *w = *state;

	shim_tell(&(struct shim_event){
		.hook = 9, .call = "stat", .target = "/usr", .verdict = &w->allow });
	assert_int_equal(count_denials(w), 0);
	assert_int_equal(w->ring->written, 1);
	assert_int_equal(records(w)[0].number, 1);
	assert_int_equal(records(w)[0].hook, 9);
	assert_memory_equal(records(w)[0].target, "/usr", 4);
}

static void a_long_target_goes_on(void **state)
{
	struct world *w = *state;
	char target[RING_TARGET_MAX + 101];

	memset(target, 'x', sizeof(target) - 1);
	target[sizeof(target) - 1] = '\0';
	shim_tell(&(struct shim_event){
		.hook = 9, .call = "stat", .target = target, .verdict = &w->allow });
	assert_int_equal(w->ring->written, 2);
	assert_int_equal(records(w)[0].length, RING_TARGET_MAX + 100);
	assert_int_equal(records(w)[1].hook, RING_MORE);
	assert_int_equal(records(w)[1].length, 100);
}

static void the_oldest_are_lost_and_counted(void **state)
{
	struct world *w = *state;
	const struct shim_event event = {
		.hook = 9, .call = "stat", .target = "", .verdict = &w->allow
	};

	for (unsigned i = 0; i < RING_RECORDS + 5; i++)
		shim_tell(&event);
	assert_int_equal(w->ring->records_lost, 5);
	assert_int_equal(records(w)[4].number, RING_RECORDS + 5);
}

static void nothing_is_told_unattached(void **state)
{
	struct world *w = *state;
	struct shim_event event = refused(w, "/etc/shadow");

	shim.block = NULL;
	shim_tell(&event);
	assert_int_equal(count_denials(w), 0);
	assert_int_equal(w->ring->written, 0);
}

static void processes_write_at_once(void **state)
{
	struct world *w = *state;
	struct shim_event event = refused(w, "/etc/shadow");
	pid_t pids[4];

	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		for (int n = 0; !pids[i] && n < 500; n++)
			shim_tell(&event);
		if (!pids[i])
			_exit(0);
	}
	for (int i = 0; i < 4; i++)
		assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
	assert_int_equal(count_denials(w), 1);
	assert_int_equal(first_denial(w)->count, 2000);
	assert_int_equal(w->ring->written, 2000);
}

static void a_child_has_its_own_number(void **state)
{
	uint32_t before = shim_pid();
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(before, getpid());
	pid = fork();
	if (!pid)
		_exit(shim_pid() != (uint32_t)getpid() ||
		      shim_tid() != (uint32_t)gettid());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void an_exec_is_entered_and_taken_back(void **state)
{
	struct world *w = *state;
	struct ring_process *row = shim_tell_exec("/bin/tool");

	(void)w;
	assert_non_null(row);
	assert_int_equal(row->state, RING_EXEC);
	assert_int_equal(row->pid, getpid());
	assert_int_equal(row->parent, getppid());
	assert_string_equal(row->exe, "/bin/tool");
	shim_tell_exec_failed(row);
	assert_int_equal(row->state, RING_EXEC_FAILED);
	shim_tell_attached();
	assert_int_equal(row->state, RING_ATTACHED);
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, make_world, drop_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(writes_a_denial_whole),
		CLAIM(the_same_again_only_counts),
		CLAIM(another_target_is_another),
		CLAIM(a_flood_is_counted_as_lost),
		CLAIM(code_is_told_its_own_sentence),
		CLAIM(an_allowed_call_is_a_record_only),
		CLAIM(a_long_target_goes_on),
		CLAIM(the_oldest_are_lost_and_counted),
		CLAIM(nothing_is_told_unattached),
		CLAIM(processes_write_at_once),
		CLAIM(a_child_has_its_own_number),
		CLAIM(an_exec_is_entered_and_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
