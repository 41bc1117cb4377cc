/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile doctor: which walls this host really gives. Every layer is probed in a child (probes.c), and
 * at last a session is opened as a run would open it, so that doctor and run cannot disagree.
 *
 * Runs in the launcher. Exit: 0 when the native backend is available, else that of "unavailable".
 */
#include "backends/cleanup.h"
#include "backends/landlock.h"
#include "backends/sys.h"
#include "launcher/advice.h"
#include "launcher/probes.h"
#include "launcher/request.h"
#include "launcher/verbs.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

struct row {
	const struct probe *probe;
	struct finding finding;
	struct setting setting;
	char why[512];      /* "" when enforced */
	const char *change; /* NULL when enforced */
};

struct visit {
	struct row rows[32];
	size_t count;
	struct utsname host;
	int abi;             /* Landlock's, 0 = none */
	int errata;          /* bit mask, -1 = the kernel does not tell */
	struct {
		const struct step_counter *counter;
		bool is_here, is_measured;
		double step_ns;
		char why[STEP_REASON_MAX]; /* "" when it is here */
	} counters[16];
	size_t counter_count;
	char unavailable[512]; /* why native is not to be had; "" = it is */
	char cgroup_unused[LAYER_MESSAGE_MAX];
};

/* What an older ABI leaves out, with the kernel that brought it. */
static const struct {
	int abi;
	const char *gives;
} landlock_abis[] = {
	{ 2, "moving files between folders (5.19)" }, { 3, "truncate (6.2)" },
	{ 4, "TCP (6.7)" },			      { 5, "device ioctls (6.10)" },
	{ 6, "signals, abstract sockets (6.12)" },
};

static void say_why(struct row *row)
{
	const struct finding *f = &row->finding;
	bool has_failed = f->step[0];
	char tail[160] = "";

	row->change = advice_for(row->probe->layer, f, &row->setting);
	if (row->setting.name)
		snprintf(tail, sizeof(tail), " (%s = %s)", row->setting.name, row->setting.value);
	snprintf(row->why, sizeof(row->why), "%s%s%s%s", has_failed ? f->step : f->text,
		 has_failed ? ": " : "", has_failed ? strerror(f->error) : "", tail);
}

static void probe_all(struct visit *v)
{
	for (const struct probe *probe = probes; probe->layer; probe++) {
		struct row *row = &v->rows[v->count++];

		row->probe = probe;
		probe_run(probe, &row->finding);
		if (row->finding.enforced)
			continue;
		say_why(row);
		if (probe->is_required && !v->unavailable[0])
			snprintf(v->unavailable, sizeof(v->unavailable), "%s: %.400s", probe->layer,
				 row->why);
	}
}

static void ask_landlock(struct visit *v)
{
	int abi = landlock_abi();

	v->abi = abi > 0 ? abi : 0;
	v->errata = abi > 0 ? sys_landlock_create(NULL, 0, 2u /* LANDLOCK_CREATE_RULESET_ERRATA */) :
			      -1;
}

/* The proof of all: walls as a run has them. Takes the request's policy over. */
static void try_session(struct visit *v, struct request *q)
{
	const struct session_wish wish = { .mode = SANDBOX_NATIVE, .label = "doctor" };
	struct session s;
	int r = session_open(&s, q->policy, &wish);

	q->policy = NULL;
	if (!v->unavailable[0] && r < 0)
		snprintf(v->unavailable, sizeof(v->unavailable), "opening a session: %s",
			 strerror(-r));
	else if (!v->unavailable[0])
		snprintf(v->unavailable, sizeof(v->unavailable), "%s", s.unavailable);
	if (!s.layers.cgroup.enforced)
		snprintf(v->cgroup_unused, sizeof(v->cgroup_unused), "%s", s.layers.cgroup.why);
	session_close(&s);
}

/* For a compiled program of this host, without walls: what each counter could do at best. */
static void probe_counters(struct visit *v)
{
	struct step_facts facts = { .budget = LIMIT_NONE, .wall_ms = LIMIT_NONE, .has_filter = true };
	struct step_host host = { 0 };

	(void)look_at("/proc/self/exe", &facts.program);
	for (size_t i = 0; step_counters[i] && i < sizeof(v->counters) / sizeof(*v->counters); i++) {
		const struct step_counter *counter = step_counters[i];
		int r = counter->probe(&host, &facts, v->counters[i].why, STEP_REASON_MAX);

		v->counters[i].counter = counter;
		v->counters[i].is_here = r == 0;
		v->counters[i].is_measured = r == 0 && counter->measure &&
					     counter->measure(&host, &v->counters[i].step_ns) == 0;
		v->counter_count++;
	}
}

static bool is_layer(const struct row *row, const char *kind)
{
	return strncmp(row->probe->layer, kind, strlen(kind)) == 0;
}

/* Proved on this host and yet not in use by runs: said, or the table would promise too much. */
static const char *unused_by_runs(const struct visit *v, const struct row *row)
{
	return row->finding.enforced && is_layer(row, "cgroup") && v->cgroup_unused[0] ?
		       v->cgroup_unused :
		       NULL;
}

static void print_landlock(const struct visit *v)
{
	printf("%-18s %-4s ABI %d", "", "", v->abi);
	if (v->errata >= 0)
		printf(", errata 0x%x", (unsigned)v->errata);
	for (size_t i = 0; i < sizeof(landlock_abis) / sizeof(*landlock_abis); i++)
		if (landlock_abis[i].abi > v->abi)
			printf("; not mediated: %s", landlock_abis[i].gives);
	putchar('\n');
}

static void print_row(const struct visit *v, const struct row *row)
{
	const char *unused = unused_by_runs(v, row);

	printf("%-18s %-4s %s\n", row->probe->layer, row->finding.enforced ? "yes" : "no",
	       row->finding.enforced ? row->finding.text : row->why);
	if (row->finding.enforced && is_layer(row, "landlock"))
		print_landlock(v);
	if (unused)
		printf("%-18s %-4s not used by runs: %s\n", "", "", unused);
	if (!row->finding.enforced) {
		printf("%-18s %-4s it would give: %s\n", "", "", row->probe->gives);
		printf("%-18s %-4s an administrator: %s\n", "", "", row->change);
	}
}

static void print_counters(const struct visit *v)
{
	printf("\n%-18s %-4s %s\n", "STEP COUNTER", "HERE", "UNIT AND COST, OR WHY NOT");
	for (size_t i = 0; i < v->counter_count; i++) {
		const struct step_counter *counter = v->counters[i].counter;

		printf("%-18s %-4s ", counter->name, v->counters[i].is_here ? "yes" : "no");
		if (!v->counters[i].is_here)
			puts(v->counters[i].why);
		else if (v->counters[i].is_measured)
			printf("%s; %.1f us a step\n", counter->unit, v->counters[i].step_ns / 1000);
		else
			puts(counter->unit);
	}
}

static void print_table(const struct visit *v)
{
	printf("%s %s %s, user %u\n\n", v->host.sysname, v->host.release, v->host.machine,
	       geteuid());
	printf("%-18s %-4s %s\n", "LAYER", "HERE", "SHOWN BY, OR WHY NOT");
	for (size_t i = 0; i < v->count; i++)
		print_row(v, &v->rows[i]);
	print_counters(v);
	if (v->unavailable[0])
		printf("\nnative backend: unavailable: %s\n", v->unavailable);
	else
		puts("\nnative backend: available");
}

static json_t *make_setting(const struct setting *setting)
{
	if (!setting->name)
		return json_null();
	return json_pack("{ss ss}", "name", setting->name, "value", setting->value);
}

static json_t *make_row(const struct visit *v, const struct row *row)
{
	const struct finding *f = &row->finding;
	const char *unused = unused_by_runs(v, row);
	json_t *json = json_pack("{ss sb sb ss ss? ss? so ss? ss?}", "layer", row->probe->layer,
				 "enforced", f->enforced, "required", row->probe->is_required,
				 "gives", row->probe->gives, "proof", f->enforced ? f->text : NULL,
				 "why", f->enforced ? NULL : row->why, "setting",
				 make_setting(&row->setting), "change", row->change, "unused",
				 unused);

	if (json && is_layer(row, "landlock")) {
		(void)json_object_set_new(json, "abi", v->abi ? json_integer(v->abi) : json_null());
		(void)json_object_set_new(json, "errata",
					  v->errata < 0 ? json_null() : json_integer(v->errata));
	}
	return json;
}

static json_t *make_counters(const struct visit *v)
{
	json_t *counters = json_array();

	for (size_t i = 0; i < v->counter_count; i++) {
		json_t *ns = v->counters[i].is_measured ? json_real(v->counters[i].step_ns) : json_null();

		(void)json_array_append_new(
			counters, json_pack("{ss sb ss so ss?}", "counter", v->counters[i].counter->name,
					    "available", v->counters[i].is_here, "unit",
					    v->counters[i].counter->unit, "step_ns", ns, "why",
					    v->counters[i].is_here ? NULL : v->counters[i].why));
	}
	return counters;
}

static int print_json(const struct visit *v)
{
	json_t *layers = json_array();
	json_t *json;
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; i < v->count; i++)
		(void)json_array_append_new(layers, make_row(v, &v->rows[i]));
	json = json_pack("{sb ss? ss ss si so so}", "native", !v->unavailable[0], "reason",
			 v->unavailable[0] ? v->unavailable : NULL, "kernel", v->host.release,
			 "machine", v->host.machine, "user", (int)geteuid(), "layers", layers,
			 "step_counters", make_counters(v));
	text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	json_decref(json);
	return text && puts(text) >= 0 ? 0 : -ENOMEM;
}

int verb_doctor(int argc, char **argv)
{
	struct visit v = { .errata = -1 };
	struct request q;
	int r = 0;

	if (request_read(&q, "doctor", "tool", argc, argv) < 0 || q.rest_count) {
		if (q.rest_count)
			fprintf(stderr, "stile doctor: unexpected operand '%s'\n", q.rest[0]);
		request_free(&q);
		return EXIT_USAGE;
	}
	(void)uname(&v.host);
	probe_all(&v);
	ask_landlock(&v);
	probe_counters(&v);
	try_session(&v, &q);
	if (q.json)
		r = print_json(&v);
	else
		print_table(&v);
	request_free(&q);
	if (r < 0)
		return EXIT_CODE_INTERNAL & 255;
	return v.unavailable[0] ? EXIT_CODE_UNAVAILABLE & 255 : 0;
}
