/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking the policy about what the shim told: the same functions that decided in the program decide here
 * again, on a block that no program could write, so that reasons and fixes are ours. Runs in the launcher.
 */
#include "launcher/told_judge.h"

#include "policy/decide.h"
#include "policy/policy.h"

#include <stdio.h>
#include <string.h>

#define RIGHTS (PATH_READ | PATH_WRITE | PATH_EXEC)

/* How a name begins, and what it does; the first that fits. Names of paths' calls need no row: such a call
 * asks for access. */
static const struct {
	const char *beginning;
	enum axis axis;
	int use; /* of the axis */
} names[] = {
	{ "exec", AXIS_EXECUTABLE, PROCESS_EXEC },
	{ "fexec", AXIS_EXECUTABLE, PROCESS_EXEC },
	{ "posix_spawn", AXIS_PROCESS, PROCESS_SPAWN },
	{ "system", AXIS_PROCESS, PROCESS_FORK },
	{ "popen", AXIS_PROCESS, PROCESS_FORK },
	{ "fork", AXIS_PROCESS, PROCESS_FORK },
	{ "vfork", AXIS_PROCESS, PROCESS_FORK },
	{ "socketpair", AXIS_NETWORK, NETWORK_SOCKET },
	{ "socket.bind", AXIS_NETWORK, NETWORK_BIND },
	{ "socket.send", AXIS_NETWORK, NETWORK_SEND },
	{ "socket.get", AXIS_NETWORK, NETWORK_LOOKUP },
	{ "socket.connect", AXIS_NETWORK, NETWORK_CONNECT },
	{ "socket", AXIS_NETWORK, NETWORK_SOCKET },
	{ "bind", AXIS_NETWORK, NETWORK_BIND },
	{ "connect", AXIS_NETWORK, NETWORK_CONNECT },
	{ "sendto", AXIS_NETWORK, NETWORK_SEND },
	{ "sendm", AXIS_NETWORK, NETWORK_SEND },
	{ "getaddrinfo", AXIS_NETWORK, NETWORK_LOOKUP },
	{ "getnameinfo", AXIS_NETWORK, NETWORK_LOOKUP },
	{ "gethostby", AXIS_NETWORK, NETWORK_LOOKUP },
	{ "res_", AXIS_NETWORK, NETWORK_LOOKUP },
	{ "kill", AXIS_SIGNAL, 0 },
	{ "dlopen", AXIS_LOAD, 0 },
	{ "dlmopen", AXIS_LOAD, 0 },
};

#define NAMES (sizeof(names) / sizeof(*names))

static size_t find_name(const char *call)
{
	size_t i = 0;

	while (i < NAMES && strncmp(call, names[i].beginning, strlen(names[i].beginning)) != 0)
		i++;
	return i;
}

enum axis told_axis(const struct told_call *call)
{
	size_t i = find_name(call->call);

	if (call->axis != AXIS_NONE)
		return call->axis;
	if (call->access & RIGHTS)
		return AXIS_PATH;
	return i < NAMES ? names[i].axis : AXIS_NONE;
}

/* What the name does on this axis, or what such calls mostly do. */
static int use_on(enum axis axis, const char *call, int usual)
{
	size_t i = find_name(call);

	return i < NAMES && names[i].axis == axis ? names[i].use : usual;
}

struct asking {
	const struct policy_block *block;
	const struct told_call *call;
	struct verdict_text *text;
	struct verdict *out;
};

static void ask_path(const struct asking *a)
{
	unsigned access = a->call->access & RIGHTS;

	policy_decide_path(a->block, a->call->target, access ? access : PATH_READ, a->text, a->out);
}

static void ask_network(const struct asking *a)
{
	int use = use_on(AXIS_NETWORK, a->call->call, NETWORK_CONNECT);

	policy_decide_network(a->block, (enum network_use)use, a->call->target, a->text, a->out);
}

static void ask_process(const struct asking *a)
{
	int use = use_on(AXIS_PROCESS, a->call->call, PROCESS_FORK);

	if (a->call->target[0] != '/')
		use = PROCESS_FORK;
	policy_decide_process(a->block, (enum process_use)use, a->call->target, a->text, a->out);
}

static void ask_exec(const struct asking *a)
{
	policy_decide_process(a->block, PROCESS_EXEC, a->call->target, a->text, a->out);
}

static void ask_signal(const struct asking *a)
{
	policy_decide_signal(a->block, false, a->call->target, a->text, a->out);
}

static void ask_load(const struct asking *a)
{
	policy_decide_load(a->block, a->call->target, a->text, a->out);
}

static const struct {
	void (*ask)(const struct asking *a);
	bool needs_path; /* the target must be an absolute one */
} judges[AXIS_COUNT] = {
	[AXIS_PATH] = { ask_path, true },	 [AXIS_NETWORK] = { ask_network, false },
	[AXIS_PROCESS] = { ask_process, false }, [AXIS_EXECUTABLE] = { ask_exec, true },
	[AXIS_SIGNAL] = { ask_signal, false },	 [AXIS_LOAD] = { ask_load, true },
};

/* The words of profile code take the place of the usual ones. */
static void say_code(const struct asking *a, enum axis axis)
{
	char text[VERDICT_TEXT_MAX];

	if (!a->text || !policy_is_code(a->block))
		return;
	policy_say_code(axis, a->call->call, a->call->target, text, sizeof(text));
	if (!text[0])
		return;
	snprintf(a->text->reason, sizeof(a->text->reason), "%s", text);
	a->out->reason = a->text->reason;
}

void told_judge(const struct policy_block *block, const struct told_call *call,
		struct verdict_text *text, struct verdict *out)
{
	const struct asking a = { .block = block, .call = call, .text = text, .out = out };
	enum axis axis = told_axis(call);

	*out = (struct verdict){ .action = ACTION_ALLOW, .axis = axis, .reason = "", .fix = "" };
	if (judges[axis].ask && (!judges[axis].needs_path || call->target[0] == '/'))
		judges[axis].ask(&a);
	if (out->action == ACTION_DENY)
		say_code(&a, axis);
}
