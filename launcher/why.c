/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking the policy instead of running: one table of the acts that can be asked about, each answered by the
 * very function that decides it for a running program. Runs in the launcher; changes nothing, and looks at
 * the file system only to follow links as the kernel would.
 */
#include "launcher/why.h"

#include "policy/decide.h"
#include "policy/policy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct question {
	const struct policy_block *block;
	const char *cwd;
	char target[PATH_MAX]; /* absolute and real, for paths */
	struct verdict_text *text;
	struct verdict *out;
};

struct act {
	const char *name;
	void (*ask)(const struct question *q, const struct act *act);
	unsigned argument;
	bool takes_path, takes_target;
};

static void ask_path(const struct question *q, const struct act *act)
{
	policy_decide_path(q->block, q->target, act->argument, q->text, q->out);
}

static void ask_network(const struct question *q, const struct act *act)
{
	policy_decide_network(q->block, (enum network_use)act->argument, q->target, q->text, q->out);
}

static void ask_process(const struct question *q, const struct act *act)
{
	policy_decide_process(q->block, (enum process_use)act->argument, q->target, q->text, q->out);
}

static void ask_signal(const struct question *q, const struct act *act)
{
	(void)act;
	policy_decide_signal(q->block, false, q->target, q->text, q->out);
}

static void ask_load(const struct question *q, const struct act *act)
{
	(void)act;
	policy_decide_load(q->block, q->target, q->text, q->out);
}

static const struct act acts[] = {
	{ "open", ask_path, PATH_READ, true, true },
	{ "read", ask_path, PATH_READ, true, true },
	{ "write", ask_path, PATH_WRITE, true, true },
	{ "create", ask_path, PATH_WRITE, true, true },
	{ "unlink", ask_path, PATH_WRITE, true, true },
	{ "exec", ask_process, PROCESS_EXEC, true, true },
	{ "spawn", ask_process, PROCESS_SPAWN, true, true },
	{ "fork", ask_process, PROCESS_FORK, false, false },
	{ "connect", ask_network, NETWORK_CONNECT, false, true },
	{ "bind", ask_network, NETWORK_BIND, false, true },
	{ "send", ask_network, NETWORK_SEND, false, true },
	{ "lookup", ask_network, NETWORK_LOOKUP, false, true },
	{ "socket", ask_network, NETWORK_SOCKET, false, true },
	{ "kill", ask_signal, 0, false, true },
	{ "load", ask_load, 0, true, true },
};

const char *why_questions(void)
{
	return "open|read|write|create|unlink|exec|spawn|load PATH, connect|bind|send ADDRESS, lookup NAME, socket FAMILY, kill PROCESS, fork";
}

static const struct act *find_act(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (strlen(acts[i].name) == length && !strncmp(acts[i].name, word, length))
			return &acts[i];
	return NULL;
}

/* As the kernel would take it: links followed, also above a last name that is not there yet. */
static int resolve(struct question *q, const char *path)
{
	char real[PATH_MAX], above[PATH_MAX];
	int r = policy_path_normalise(q->cwd, path, q->target, sizeof(q->target));
	const char *name;

	if (r < 0)
		return r;
	if (realpath(q->target, real))
		return snprintf(q->target, sizeof(q->target), "%s", real) < 0 ? -EIO : 0;
	name = strrchr(q->target, '/');
	snprintf(above, sizeof(above), "%.*s/", (int)(name - q->target), q->target);
	if (!realpath(above, real))
		return 0;
	snprintf(above, sizeof(above), "%s%s", real[1] ? real : "", name);
	memcpy(q->target, above, sizeof(above));
	return 0;
}

static int take_target(struct question *q, const struct act *act, const char *target)
{
	if (!*target != !act->takes_target)
		return -EINVAL;
	if (act->takes_path)
		return resolve(q, target);
	if (strlen(target) >= sizeof(q->target))
		return -ENAMETOOLONG;
	memcpy(q->target, target, strlen(target) + 1);
	return 0;
}

int why_ask(const struct policy_block *block, const char *question, const char *cwd,
	    struct verdict_text *text, struct verdict *verdict)
{
	const char *word = question + strspn(question, " ");
	size_t length = strcspn(word, " ");
	const struct act *act = find_act(word, length);
	struct question q = { .block = block, .cwd = cwd, .text = text, .out = verdict };
	int r = act ? take_target(&q, act, word + length + strspn(word + length, " ")) : -EINVAL;

	if (r < 0)
		return r;
	act->ask(&q, act);
	return 0;
}
