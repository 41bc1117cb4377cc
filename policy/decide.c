/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deciding about the network, processes, signals and native code: one yes or no of the block each, and
 * the sentence for a no.
 *
 * Runs everywhere, in the shim inside the program and in signal handlers too: reads one frozen block,
 * takes no memory, no lock and no system call. It must never be wider than the walls: what the seccomp
 * filter and Landlock refuse for a policy is refused here.
 */
#include "policy/decide.h"

#include "policy/policy.h"
#include "policy/repr.h"

#include <string.h>

static const char allow_processes[] = "\"process\": { \"create\": true }";
static const char allow_network[] = "--network host";
static const char allow_load[] = "\"load\": true";

/* What stands before and after the address. */
static const struct {
	const char *before, *after;
} network_rows[NETWORK_USES] = {
	[NETWORK_SOCKET] = { "a socket of ", " is not allowed under this policy" },
	[NETWORK_CONNECT] = { "connecting to ", " is not allowed under this policy" },
	[NETWORK_BIND] = { "binding to ", " is not allowed under this policy" },
	[NETWORK_SEND] = { "sending to ", " is not allowed under this policy" },
	[NETWORK_LOOKUP] = { "looking up ", " is not allowed under this policy" },
};

/* The folders of programs and libraries; none can be written by a program behind walls. */
static const char *const system_folders[] = { "/usr/",   "/lib/",    "/lib32/", "/lib64/",
					      "/libx32/", "/bin/", "/sbin/", "/opt/", NULL };

static void allow(enum axis axis, struct verdict *out)
{
	*out = (struct verdict){ .action = ACTION_ALLOW, .axis = axis, .reason = "", .fix = "" };
}

/* Begins the reason; the fix is whole. */
static struct sentence refuse(enum axis axis, const char *fix, struct verdict_text *text,
			      struct verdict *out)
{
	struct sentence s = sentence_begin(text->fix, sizeof(text->fix));

	sentence_add(&s, fix);
	*out = (struct verdict){
		.action = ACTION_DENY, .axis = axis, .reason = text->reason, .fix = text->fix
	};
	return sentence_begin(text->reason, sizeof(text->reason));
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* --- network -------------------------------------------------------------------------------- */

void policy_decide_network(const struct policy_block *b, enum network_use use, const char *address,
			   struct verdict_text *text, struct verdict *out)
{
	bool is_unix = begins(address, "unix:");
	struct sentence s;

	if (is_unix ? b->processes : b->network == NETWORK_HOST)
		return allow(AXIS_NETWORK, out);
	s = refuse(AXIS_NETWORK, is_unix ? allow_processes : allow_network, text, out);
	sentence_add(&s, network_rows[use].before);
	sentence_add_repr(&s, address, strlen(address));
	sentence_add(&s, network_rows[use].after);
}

/* --- processes ------------------------------------------------------------------------------ */

void policy_decide_process(const struct policy_block *b, enum process_use use, const char *path,
			   struct verdict_text *text, struct verdict *out)
{
	struct sentence s;

	allow(AXIS_PROCESS, out);
	if (use != PROCESS_EXEC && !b->processes) {
		s = refuse(AXIS_PROCESS, allow_processes, text, out);
		return sentence_add(&s, "creating a process is not allowed under this policy");
	}
	if (use == PROCESS_FORK)
		return;
	policy_decide_path(b, path, PATH_EXEC, text, out);
	out->axis = AXIS_EXECUTABLE;
}

/* --- signals -------------------------------------------------------------------------------- */

void policy_decide_signal(const struct policy_block *b, bool is_own, const char *target,
			  struct verdict_text *text, struct verdict *out)
{
	struct sentence s;

	(void)b; /* no policy has a word for it yet */
	if (is_own)
		return allow(AXIS_SIGNAL, out);
	s = refuse(AXIS_SIGNAL, "", text, out);
	sentence_add(&s, "signalling ");
	sentence_add(&s, target);
	sentence_add(&s, " is not allowed: it is not of this run");
}

/* --- native code ---------------------------------------------------------------------------- */

static bool is_system(const char *path)
{
	const char *const *folder = system_folders;

	while (*folder && !begins(path, *folder))
		folder++;
	return *folder;
}

static const char *origin_of(const struct policy_block *b, uint32_t rule)
{
	const struct block_rule *rules = (const void *)block_text(b, b->rules);

	return block_text(b, rules[rule].origin);
}

/* The launcher's recipe grants the interpreter's own folders; what the user grants to read is data. */
static bool is_trusted(const struct policy_block *b, const char *path, uint32_t rule, unsigned rights)
{
	if (rights & PATH_WRITE)
		return false;
	return rights & PATH_EXEC || is_system(path) || !strcmp(origin_of(b, rule), "recipe");
}

void policy_decide_load(const struct policy_block *b, const char *path, struct verdict_text *text,
			struct verdict *out)
{
	uint32_t rule = 0;
	unsigned rights = policy_path_rights(b, path, &rule);
	struct sentence s;

	policy_decide_path(b, path, PATH_READ, text, out);
	out->axis = AXIS_LOAD;
	if (out->action == ACTION_DENY || b->load || is_trusted(b, path, rule, rights))
		return;
	s = refuse(AXIS_LOAD, allow_load, text, out);
	out->rule = rule;
	sentence_add(&s, "loading native code from ");
	sentence_add_repr(&s, path, strlen(path));
	sentence_add(&s, " is not allowed under this policy");
}

/* --- the profile `code` --------------------------------------------------------------------- */

static const struct {
	const char *before;
	bool has_target;
} code_rows[AXIS_COUNT] = {
	[AXIS_NETWORK] = { "Network access is strictly disabled inside ExecutionSandbox (", false },
	[AXIS_PROCESS] = { "Process creation is denied inside ExecutionSandbox (", false },
	[AXIS_EXECUTABLE] = { "Process creation is denied inside ExecutionSandbox (", false },
	[AXIS_SIGNAL] = { "Signalling other processes is denied inside ExecutionSandbox (", false },
	[AXIS_LOAD] = { "Loading native code is denied inside ExecutionSandbox (", false },
	[AXIS_PATH] = { "File access outside the run directory is denied inside ExecutionSandbox (", true },
};

bool policy_is_code(const struct policy_block *b)
{
	return !strcmp(block_text(b, b->profile), "code");
}

void policy_say_code(enum axis axis, const char *event, const char *target, char *out, size_t size)
{
	struct sentence s = sentence_begin(out, size);

	if ((unsigned)axis >= AXIS_COUNT || !code_rows[axis].before)
		return;
	sentence_add(&s, code_rows[axis].before);
	sentence_add(&s, event);
	if (code_rows[axis].has_target) {
		sentence_add(&s, ": ");
		sentence_add(&s, target);
	}
	sentence_add(&s, ")");
}
