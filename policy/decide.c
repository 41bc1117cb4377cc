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

/* What stands before the address. */
static const char *const network_rows[NETWORK_USES] = {
	[NETWORK_SOCKET] = "a socket of ",   [NETWORK_CONNECT] = "connecting to ",
	[NETWORK_BIND] = "binding to ",	     [NETWORK_SEND] = "sending to ",
	[NETWORK_LOOKUP] = "looking up ",
};

/* The folders of programs and libraries; none can be written by a program behind walls. */
static const char *const system_folders[] = { "/usr/",   "/lib/",    "/lib32/", "/lib64/",
					      "/libx32/", "/bin/", "/sbin/", "/opt/", NULL };

struct refusal {
	enum axis axis;
	const char *fix, *before, *after;
	const char *quoted; /* NULL = none */
};

static void allow(enum axis axis, struct verdict *out)
{
	*out = (struct verdict){ .action = ACTION_ALLOW, .axis = axis, .reason = "", .fix = "" };
}

/* Refuses with this fix and the sentence `before` + the quoted subject + `after`. */
static void refuse(const struct refusal *r, struct verdict_text *text, struct verdict *out)
{
	struct sentence s;

	*out = (struct verdict){ .action = ACTION_DENY, .axis = r->axis, .reason = "", .fix = "" };
	if (!text)
		return;
	s = sentence_begin(text->fix, sizeof(text->fix));
	sentence_add(&s, r->fix);
	s = sentence_begin(text->reason, sizeof(text->reason));
	sentence_add(&s, r->before);
	if (r->quoted)
		sentence_add_repr(&s, r->quoted, strlen(r->quoted));
	sentence_add(&s, r->after);
	out->reason = text->reason;
	out->fix = text->fix;
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

	if (is_unix ? b->processes : b->network == NETWORK_HOST)
		return allow(AXIS_NETWORK, out);
	refuse(&(struct refusal){ .axis = AXIS_NETWORK,
				  .fix = is_unix ? allow_processes : allow_network,
				  .before = network_rows[use],
				  .quoted = address,
				  .after = " is not allowed under this policy" },
	       text, out);
}

/* --- processes ------------------------------------------------------------------------------ */

void policy_decide_process(const struct policy_block *b, enum process_use use, const char *path,
			   struct verdict_text *text, struct verdict *out)
{
	static const struct refusal no_process = {
		.axis = AXIS_PROCESS,
		.fix = allow_processes,
		.before = "creating a process",
		.after = " is not allowed under this policy",
	};

	if (use != PROCESS_EXEC && !b->processes)
		return refuse(&no_process, text, out);
	if (use == PROCESS_FORK)
		return allow(AXIS_PROCESS, out);
	policy_decide_path(b, path, PATH_EXEC, text, out);
	out->axis = AXIS_EXECUTABLE;
}

/* --- signals -------------------------------------------------------------------------------- */

void policy_decide_signal(const struct policy_block *b, bool is_own, const char *target,
			  struct verdict_text *text, struct verdict *out)
{
	(void)b; /* no policy has a word for it yet */
	if (is_own)
		return allow(AXIS_SIGNAL, out);
	refuse(&(struct refusal){ .axis = AXIS_SIGNAL,
				  .fix = "",
				  .before = "signalling ",
				  .quoted = target,
				  .after = " is not allowed: it is not of this run" },
	       text, out);
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

	policy_decide_path(b, path, PATH_READ, text, out);
	out->axis = AXIS_LOAD;
	if (out->action == ACTION_DENY || b->load || is_trusted(b, path, rule, rights))
		return;
	refuse(&(struct refusal){ .axis = AXIS_LOAD,
				  .fix = allow_load,
				  .before = "loading native code from ",
				  .quoted = path,
				  .after = " is not allowed under this policy" },
	       text, out);
	out->rule = rule;
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
