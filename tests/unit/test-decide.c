/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the frozen policy answers about the network, processes, signals and native code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/compile.h"
#include "policy/decide.h"

#include <stdlib.h>
#include <string.h>

/* Two policies about /ns, which does not exist: one that grants little, one that grants all. */
struct world {
	struct policy_block *closed, *open;
	struct verdict_text text;
	struct verdict v;
};

static int add(struct policy *p, const char *path, unsigned rights, const char *origin)
{
	int r = policy_add_path(p, path, NULL, rights | PATH_DENY, origin);

	p->paths[p->path_count - 1].rights = rights; /* as if it existed */
	return r;
}

static struct policy_block *make_block(bool is_open)
{
	struct policy *p = policy_new();
	struct policy_block *b = NULL;
	int bad = 0;

	p->network = is_open ? NETWORK_HOST : NETWORK_NONE;
	p->processes = p->load = is_open;
	p->profile = strdup(is_open ? "tool" : "code");
	bad |= add(p, "/ns/w", PATH_READ | PATH_WRITE, "--write");
	bad |= add(p, "/ns/data", PATH_READ, "--read");
	bad |= add(p, "/ns/lib", PATH_READ, "recipe");
	bad |= add(p, "/ns/x", PATH_READ | PATH_EXEC, "--exec");
	bad |= add(p, "/usr/nowhere", PATH_READ, "--read");
	assert_int_equal(bad, 0);
	assert_int_equal(policy_compile(p, &b), 0);
	policy_free(p);
	return b;
}

static int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->closed = make_block(false);
	w->open = make_block(true);
	*state = w;
	return 0;
}

static int drop_world(void **state)
{
	struct world *w = *state;

	free(w->closed);
	free(w->open);
	free(w);
	return 0;
}

static void assert_denied(const struct world *w, enum axis axis, const char *reason, const char *fix)
{
	assert_int_equal(w->v.action, ACTION_DENY);
	assert_int_equal(w->v.axis, axis);
	assert_string_equal(w->v.reason, reason);
	assert_string_equal(w->v.fix, fix);
}

static void assert_allowed(const struct world *w, enum axis axis)
{
	assert_int_equal(w->v.action, ACTION_ALLOW);
	assert_int_equal(w->v.axis, axis);
	assert_string_equal(w->v.reason, "");
	assert_string_equal(w->v.fix, "");
}

static void refuses_the_network(void **state)
{
	struct world *w = *state;

	policy_decide_network(w->closed, NETWORK_CONNECT, "192.0.2.1:80", &w->text, &w->v);
	assert_denied(w, AXIS_NETWORK, "connecting to '192.0.2.1:80' is not allowed under this policy",
		      "--network host");
}

static void quotes_a_hostile_name(void **state)
{
	struct world *w = *state;

	policy_decide_network(w->closed, NETWORK_LOOKUP, "a\nb", &w->text, &w->v);
	assert_denied(w, AXIS_NETWORK, "looking up 'a\\nb' is not allowed under this policy",
		      "--network host");
}

static void allows_the_network_of_the_host(void **state)
{
	struct world *w = *state;

	policy_decide_network(w->open, NETWORK_SEND, "[::1]:53", &w->text, &w->v);
	assert_allowed(w, AXIS_NETWORK);
}

static void unix_sockets_go_with_processes(void **state)
{
	struct world *w = *state;

	policy_decide_network(w->closed, NETWORK_BIND, "unix:@x", &w->text, &w->v);
	assert_denied(w, AXIS_NETWORK, "binding to 'unix:@x' is not allowed under this policy",
		      "\"process\": { \"create\": true }");
	policy_decide_network(w->open, NETWORK_BIND, "unix:@x", &w->text, &w->v);
	assert_allowed(w, AXIS_NETWORK);
}

static void refuses_a_process(void **state)
{
	struct world *w = *state;

	policy_decide_process(w->closed, PROCESS_FORK, "", &w->text, &w->v);
	assert_denied(w, AXIS_PROCESS, "creating a process is not allowed under this policy",
		      "\"process\": { \"create\": true }");
	policy_decide_process(w->closed, PROCESS_SPAWN, "/ns/x/tool", &w->text, &w->v);
	assert_int_equal(w->v.axis, AXIS_PROCESS);
	assert_int_equal(w->v.action, ACTION_DENY);
}

static void an_exec_needs_the_right_only(void **state)
{
	struct world *w = *state;

	policy_decide_process(w->closed, PROCESS_EXEC, "/ns/x/tool", &w->text, &w->v);
	assert_allowed(w, AXIS_EXECUTABLE);
	policy_decide_process(w->open, PROCESS_SPAWN, "/ns/w/tool", &w->text, &w->v);
	assert_denied(w, AXIS_EXECUTABLE, "path '/ns/w/tool' is not executable under this policy",
		      "--exec /ns/w/tool");
}

static void signals_stay_in_the_run(void **state)
{
	struct world *w = *state;

	policy_decide_signal(w->closed, true, "pid 7", &w->text, &w->v);
	assert_allowed(w, AXIS_SIGNAL);
	policy_decide_signal(w->open, false, "pid 7", &w->text, &w->v);
	assert_denied(w, AXIS_SIGNAL, "signalling 'pid 7' is not allowed: it is not of this run", "");
}

static void loads_from_where_code_lives(void **state)
{
	struct world *w = *state;

	policy_decide_load(w->closed, "/ns/x/a.so", &w->text, &w->v);
	assert_allowed(w, AXIS_LOAD);
	policy_decide_load(w->closed, "/ns/lib/a.so", &w->text, &w->v);
	assert_allowed(w, AXIS_LOAD);
	policy_decide_load(w->closed, "/usr/nowhere/a.so", &w->text, &w->v);
	assert_allowed(w, AXIS_LOAD);
}

static void loads_no_data(void **state)
{
	struct world *w = *state;

	policy_decide_load(w->closed, "/ns/data/a.so", &w->text, &w->v);
	assert_denied(w, AXIS_LOAD, "loading native code from '/ns/data/a.so' is not allowed under this policy",
		      "\"load\": true");
	policy_decide_load(w->closed, "/ns/w/a.so", &w->text, &w->v);
	assert_int_equal(w->v.action, ACTION_DENY);
	policy_decide_load(w->open, "/ns/w/a.so", &w->text, &w->v);
	assert_allowed(w, AXIS_LOAD);
}

static void loads_nothing_unreadable(void **state)
{
	struct world *w = *state;

	policy_decide_load(w->open, "/ns/a.so", &w->text, &w->v);
	assert_denied(w, AXIS_LOAD, "path '/ns/a.so' is not readable under this policy",
		      "--read /ns/a.so");
}

static void decides_without_a_sentence(void **state)
{
	struct world *w = *state;

	policy_decide_network(w->closed, NETWORK_CONNECT, "192.0.2.1:80", NULL, &w->v);
	assert_denied(w, AXIS_NETWORK, "", "");
	policy_decide_process(w->closed, PROCESS_EXEC, "/ns/w/tool", NULL, &w->v);
	assert_denied(w, AXIS_EXECUTABLE, "", "");
	policy_decide_load(w->closed, "/ns/data/a.so", NULL, &w->v);
	assert_denied(w, AXIS_LOAD, "", "");
}

static void code_has_sentences_of_its_own(void **state)
{
	struct world *w = *state;

	assert_true(policy_is_code(w->closed));
	assert_false(policy_is_code(w->open));
	policy_say_code(AXIS_NETWORK, "socket.connect", "x", w->text.reason, VERDICT_TEXT_MAX);
	assert_string_equal(w->text.reason,
			    "Network access is strictly disabled inside ExecutionSandbox (socket.connect)");
	policy_say_code(AXIS_PATH, "open", "/etc/passwd", w->text.reason, VERDICT_TEXT_MAX);
	assert_string_equal(
		w->text.reason,
		"File access outside the run directory is denied inside ExecutionSandbox (open: /etc/passwd)");
	policy_say_code(AXIS_RESOURCE, "x", "", w->text.reason, VERDICT_TEXT_MAX);
	assert_string_equal(w->text.reason, "");
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, make_world, drop_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(refuses_the_network),
		CLAIM(quotes_a_hostile_name),
		CLAIM(allows_the_network_of_the_host),
		CLAIM(unix_sockets_go_with_processes),
		CLAIM(refuses_a_process),
		CLAIM(an_exec_needs_the_right_only),
		CLAIM(signals_stay_in_the_run),
		CLAIM(loads_from_where_code_lives),
		CLAIM(loads_no_data),
		CLAIM(loads_nothing_unreadable),
		CLAIM(decides_without_a_sentence),
		CLAIM(code_has_sentences_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
