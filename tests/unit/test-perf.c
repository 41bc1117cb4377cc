/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hardware counters without hardware: a made-up PMU and a made-up /sys/devices. */
#include "launcher/perf.h"
#include "launcher/tracer.h"
#include "launcher/tracer_meter.h"

#include "backends/sys.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define HANDLES 16

/* A PMU that is told what happened. */
struct fake {
	uint64_t counts[HANDLES], periods[HANDLES];
	unsigned opened, closed;
	uint64_t each_read; /* passes by itself whenever it is read */
	double error;       /* of the known loop */
	int fails;          /* errno of every read */
};

static struct fake *fake_of(struct perf_source *source)
{
	return source->own;
}

static int fake_open(struct perf_source *source, pid_t tid)
{
	(void)tid;
	return fake_of(source)->opened < HANDLES ? (int)fake_of(source)->opened++ : -EMFILE;
}

static int fake_read(struct perf_source *source, int handle, uint64_t *count)
{
	struct fake *fake = fake_of(source);

	fake->counts[handle] += fake->each_read;
	*count = fake->counts[handle];
	return -fake->fails;
}

static int fake_arm(struct perf_source *source, int handle, uint64_t period)
{
	fake_of(source)->periods[handle] = period;
	return 0;
}

static void fake_close(struct perf_source *source, int handle)
{
	(void)handle;
	fake_of(source)->closed++;
}

#define SOURCE(fake)                                                                      \
	{ .pmu_count = 1, .margin = 1000, .open = fake_open, .read = fake_read, .arm = fake_arm, \
	  .close = fake_close, .own = (fake) }

/* --- kinds of processors --- */

struct tree {
	char base[64];
};

static void make_pmu(const struct tree *tree, const char *name, const char *type)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tree->base, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/type", tree->base, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(type, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int plant_tree(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	snprintf(tree->base, sizeof(tree->base), "/tmp/test-perf-XXXXXX");
	assert_non_null(mkdtemp(tree->base));
	*state = tree;
	return 0;
}

static int fell_tree(void **state)
{
	struct tree *tree = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", tree->base);
	assert_int_equal(system(command), 0);
	free(tree);
	return 0;
}

static void a_usual_host_has_one_kind(void **state)
{
	struct tree *tree = *state;
	struct perf_pmu pmus[PERF_PMUS_MAX];

	make_pmu(tree, "cpu", "4\n");
	make_pmu(tree, "msr", "11\n");
	assert_int_equal(perf_find_pmus(tree->base, pmus, PERF_PMUS_MAX), 1);
	assert_string_equal(pmus[0].name, "cpu");
	assert_int_equal(pmus[0].type, 0);
}

static void a_hybrid_host_has_each_of_its_kinds(void **state)
{
	struct tree *tree = *state;
	struct perf_pmu pmus[PERF_PMUS_MAX];

	make_pmu(tree, "cpu_atom", "10\n");
	make_pmu(tree, "cpu_core", "4\n");
	assert_int_equal(perf_find_pmus(tree->base, pmus, PERF_PMUS_MAX), 2);
	assert_string_equal(pmus[0].name, "cpu_core");
	assert_int_equal(pmus[0].type, 4);
	assert_int_equal(pmus[1].type, 10);
}

static void a_kind_without_a_type_is_none(void **state)
{
	struct tree *tree = *state;
	struct perf_pmu pmus[PERF_PMUS_MAX];

	make_pmu(tree, "cpu_core", "?\n");
	make_pmu(tree, "cpu_atom", "10\n");
	assert_int_equal(perf_find_pmus(tree->base, pmus, PERF_PMUS_MAX), 1);
	assert_string_equal(pmus[0].name, "cpu_atom");
}

/* --- how far to run --- */

static void a_lone_counter_gets_all_but_the_margin(void **state)
{
	(void)state;
	assert_int_equal(perf_next_period(1000000, 1, 1000), 999000);
}

static void many_counters_together_stay_below_what_is_left(void **state)
{
	uint64_t period = perf_next_period(1000000, 7, 1000);

	(void)state;
	assert_true(7 * (period + 1000) <= 1000000);
	assert_true(7 * (period + 1000) > 1000000 - 7);
}

static void near_the_budget_the_rest_is_stepped(void **state)
{
	(void)state;
	assert_int_equal(perf_next_period(1999, 1, 1000), 0);
	assert_int_equal(perf_next_period(3000, 3, 1000), 0);
	assert_int_equal(perf_next_period(0, 1, 1000), 0);
	assert_int_equal(perf_next_period(1000000, 0, 1000), 0);
}

static void unknown_processors_get_the_widest_margin(void **state)
{
	(void)state;
	assert_true(perf_margin_of("GenuineIntel") < perf_margin_of("AuthenticAMD"));
	assert_int_equal(perf_margin_of("nobody"), perf_margin_of("AuthenticAMD"));
}

/* --- proving --- */

static struct fake *proving; /* the loop has no argument for it */

static void fake_loop(uint64_t rounds)
{
	for (int i = 0; i < HANDLES; i++)
		proving->counts[i] += (uint64_t)((double)(2 * rounds) * (1 + proving->error));
}

static int prove(struct fake *fake, char *why, size_t size)
{
	struct perf_source source = SOURCE(fake);

	proving = fake;
	return perf_prove(&source, fake_loop, why, size);
}

static void a_true_counter_proves_itself(void **state)
{
	struct fake fake = { .each_read = 20 };
	char why[256] = "";

	(void)state;
	assert_int_equal(prove(&fake, why, sizeof(why)), 0);
	assert_int_equal(fake.opened, fake.closed);
}

static void a_counter_that_stands_still_is_found_out(void **state)
{
	struct fake fake = { .error = -1 };
	char why[256];

	(void)state;
	assert_int_equal(prove(&fake, why, sizeof(why)), -ERANGE);
	assert_non_null(strstr(why, "was counted as 0"));
}

static void a_counter_a_thousandth_off_is_found_out(void **state)
{
	struct fake high = { .error = 0.001 }, low = { .error = -0.001 };
	char why[256];

	(void)state;
	assert_int_equal(prove(&high, why, sizeof(why)), -ERANGE);
	assert_int_equal(prove(&low, why, sizeof(why)), -ERANGE);
}

static void a_counter_that_shares_its_place_is_refused(void **state)
{
	struct fake fake = { .fails = EAGAIN };
	char why[256];

	(void)state;
	assert_int_equal(prove(&fake, why, sizeof(why)), -EAGAIN);
	assert_non_null(strstr(why, "all the time"));
}

static void a_counter_that_cannot_be_opened_says_why(void **state)
{
	struct fake fake = { .opened = HANDLES };
	char why[256];

	(void)state;
	assert_int_equal(prove(&fake, why, sizeof(why)), -EMFILE);
	assert_non_null(strstr(why, "perf_event_open: "));
}

/* --- dealing out the budget among threads --- */

static void the_budget_is_dealt_out_anew_at_every_look(void **state)
{
	struct fake fake = { 0 };
	struct perf_source source = SOURCE(&fake);
	struct meter meter = { .source = &source };
	struct thread_table threads = { 0 };
	uint64_t count;

	(void)state;
	meter_take(&meter, threads_add(&threads, 10));
	meter_take(&meter, threads_add(&threads, 11));
	assert_true(meter_run_on(&meter, &threads, 100000, &count));
	assert_int_equal(fake.periods[0], 49000);
	fake.counts[0] = 49500; /* it ran over, and on a little */
	fake.counts[1] = 10000;
	assert_true(meter_run_on(&meter, &threads, 100000, &count));
	assert_int_equal(count, 59500);
	assert_int_equal(fake.periods[1], (100000 - 59500) / 2 - 1000);
	fake.counts[1] += 38000;
	assert_false(meter_run_on(&meter, &threads, 100000, &count));
	assert_int_equal(count, 97500);
	meter_leave(&meter, threads.first);
	threads_drop(&threads, threads.first);
	threads_drop(&threads, threads.first);
}

static void the_dead_have_counted(void **state)
{
	struct fake fake = { 0 };
	struct perf_source source = SOURCE(&fake);
	struct meter meter = { .source = &source };
	struct thread_table threads = { 0 };
	struct thread *first = threads_add(&threads, 10);
	uint64_t count;

	(void)state;
	meter_take(&meter, first);
	fake.counts[0] = 4000;
	meter_leave(&meter, first);
	threads_drop(&threads, first);
	meter_take(&meter, threads_add(&threads, 11));
	fake.counts[1] = 50;
	assert_true(meter_run_on(&meter, &threads, UINT64_MAX, &count));
	assert_int_equal(count, 4050);
	assert_int_equal(fake.periods[1], 0);
	threads_drop(&threads, threads.first);
}

static void a_counter_that_fails_ends_the_running(void **state)
{
	struct fake fake = { 0 };
	struct perf_source source = SOURCE(&fake);
	struct meter meter = { .source = &source };
	struct thread_table threads = { 0 };
	uint64_t count;

	(void)state;
	meter_take(&meter, threads_add(&threads, 10));
	fake.fails = EIO;
	assert_false(meter_run_on(&meter, &threads, UINT64_MAX, &count));
	assert_int_equal(meter.error, EIO);
	threads_drop(&threads, threads.first);
}

/* --- a tracer with it --- */

struct traced {
	struct tracer_page page;
	struct warden_area area; /* last: it has room for texts behind it */
};

static void become_gated(struct warden_area *area)
{
	area->gated = getpid();
	area->gate = WARDEN_GATE_ARRIVED;
	(void)sys_futex_wake(&area->gate);
	while (area->gate == WARDEN_GATE_ARRIVED)
		(void)sys_futex_wait(&area->gate, WARDEN_GATE_ARRIVED);
	if (area->gate == WARDEN_GATE_OPEN)
		(void)execl("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL);
	_exit(1);
}

/* The hardware counts to 4,000 and more by being looked at; the last of 6,000 are single steps. */
static void the_rest_behind_the_hardware_is_stepped_exactly(void **state)
{
	struct traced *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fake fake = { .each_read = 400 };
	struct perf_source source = SOURCE(&fake);
	struct tracer_order order = { .area = &t->area,
				      .page = &t->page,
				      .budget = 6000,
				      .perf = &source,
				      .launcher = getpid() };
	pid_t tracer, program;

	(void)state;
	t->area.gate = WARDEN_GATE_SHUT;
	tracer = fork();
	if (tracer == 0)
		tracer_live(&order);
	program = fork();
	if (program == 0)
		become_gated(&t->area);
	assert_int_equal(waitpid(program, NULL, 0), program);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	if (t->area.gate == WARDEN_GATE_REFUSED)
		skip();
	assert_true(t->page.is_finished);
	assert_true(t->page.is_stopped);
	assert_int_equal(t->page.count, 6000);
	assert_true(t->page.is_estimated);
	assert_int_equal(t->page.overrun, 0);
	assert_int_equal(munmap(t, sizeof(*t)), 0);
}

#define TREE(test) cmocka_unit_test_setup_teardown(test, plant_tree, fell_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE(a_usual_host_has_one_kind),
		TREE(a_hybrid_host_has_each_of_its_kinds),
		TREE(a_kind_without_a_type_is_none),
		cmocka_unit_test(a_lone_counter_gets_all_but_the_margin),
		cmocka_unit_test(many_counters_together_stay_below_what_is_left),
		cmocka_unit_test(near_the_budget_the_rest_is_stepped),
		cmocka_unit_test(unknown_processors_get_the_widest_margin),
		cmocka_unit_test(a_true_counter_proves_itself),
		cmocka_unit_test(a_counter_that_stands_still_is_found_out),
		cmocka_unit_test(a_counter_a_thousandth_off_is_found_out),
		cmocka_unit_test(a_counter_that_shares_its_place_is_refused),
		cmocka_unit_test(a_counter_that_cannot_be_opened_says_why),
		cmocka_unit_test(the_budget_is_dealt_out_anew_at_every_look),
		cmocka_unit_test(the_dead_have_counted),
		cmocka_unit_test(a_counter_that_fails_ends_the_running),
		cmocka_unit_test(the_rest_behind_the_hardware_is_stepped_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
