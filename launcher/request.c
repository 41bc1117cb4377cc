/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the command line. Two passes over one table: the first finds what decides where the policy
 * begins (profile, root, documents), the second applies the flags over it, so that flags beat the
 * document wherever they stand. Runs in the launcher, before anything is started.
 */
#include "launcher/request.h"

#include "backends/cleanup.h"
#include "launcher/signals.h"
#include "launcher/option_use.h"
#include "policy/document.h"
#include "policy/interpreters.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

/* Which pass an option belongs to. */
enum { PASS_BASE, PASS_FLAGS };

static int take_base_text(struct request *q, const struct option_row *row, const char *value)
{
	*(const char **)(void *)((char *)q + row->argument) = value;
	return 0;
}

static int take_switch(struct request *q, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)((char *)q + row->argument) = true;
	return 0;
}

static int take_no_preflight(struct request *q, const struct option_row *row, const char *value)
{
	(void)row;
	(void)value;
	q->preflight = false;
	return 0;
}

static int take_policy(struct request *q, const struct option_row *row, const char *value)
{
	struct document_error error;
	int r = document_load_file(q->policy, value, &error);

	(void)row;
	if (r < 0)
		fprintf(stderr, "stile: %s\n", error.text);
	return r < 0 ? -ECANCELED : 0;
}

static int take_path(struct request *q, const struct option_row *row, const char *value)
{
	int r = policy_add_path(q->policy, value, q->cwd, row->argument, row->flag);

	if (r < 0)
		fprintf(stderr, "stile: %s %s: %s\n", row->flag, value, strerror(-r));
	return r < 0 ? -ECANCELED : 0;
}

static int take_env(struct request *q, const struct option_row *row, const char *value)
{
	if (row->argument && !strchr(value, '='))
		return -EINVAL;
	return policy_add_string(row->argument ? &q->policy->env_set : &q->policy->env_keep,
				 value);
}

static int take_require(struct request *q, const struct option_row *row, const char *value)
{
	if (!words_contain(option_words(row->flag), value, strlen(value)))
		return -EINVAL;
	return policy_add_string(&q->policy->require, value);
}

static int take_network(struct request *q, const struct option_row *row, const char *value)
{
	(void)row;
	if (strcmp(value, "none") && strcmp(value, "host"))
		return -EINVAL;
	q->policy->network = strcmp(value, "host") ? NETWORK_NONE : NETWORK_HOST;
	return 0;
}

static int take_shell(struct request *q, const struct option_row *row, const char *value)
{
	(void)row;
	(void)value;
	q->policy->shell = true;
	return 0;
}

static int take_allow_hooks(struct request *q, const struct option_row *row, const char *value)
{
	(void)row;
	(void)value;
	q->policy->allow_hooks = true;
	return 0;
}

/* Alone, what the shim told; "=kernel": what the kernel tells of opens besides. */
static int take_explain(struct request *q, const struct option_row *row, const char *value)
{
	(void)row;
	q->shim.explain = true;
	if (!value)
		return 0;
	q->explain_kernel = !strcmp(value, "kernel");
	return q->explain_kernel ? 0 : -EINVAL;
}

static int take_tier(struct request *q, const struct option_row *row, const char *value)
{
	(void)row;
	return limits_apply_tier(&q->policy->limits, value);
}

static int take_steps_unit(struct request *q, const struct option_row *row, const char *value)
{
	static const char *const names[] = { [STEP_UNIT_AUTO] = "auto",
					     [STEP_UNIT_BYTECODE] = "bytecode",
					     [STEP_UNIT_INSTRUCTIONS] = "instructions" };

	(void)row;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], value))
			continue;
		q->steps.unit = (enum step_unit)i;
		return 0;
	}
	return -EINVAL;
}

static int take_steps_counter(struct request *q, const struct option_row *row, const char *value)
{
	if (!words_contain(option_words(row->flag), value, strlen(value)))
		return -EINVAL;
	q->steps.counter = value;
	return 0;
}

static int take_sandbox(struct request *q, const struct option_row *row, const char *value)
{
	char why[256];
	int r = sandbox_mode_parse(value, &q->mode, why, sizeof(why));

	(void)row;
	if (r < 0)
		fprintf(stderr, "sandbox_unavailable:%s\n", why);
	return r < 0 ? -EOPNOTSUPP : 0;
}

#define TEXT(field) offsetof(struct request, field)
#define SWITCH(field) offsetof(struct request, field)

const struct option_row option_rows[] = {
	{ "--profile", "code|tool", "the built-in policy to begin with", take_base_text, TEXT(profile) },
	{ "--root", "DIR", "the project root (tool); default: the current folder", take_base_text, TEXT(root) },
	{ "--policy", "FILE", "a policy document over the profile", take_policy, 0 },
	{ "--read", "PATH", "allow reading", take_path, PATH_READ },
	{ "--write", "PATH", "allow reading and writing", take_path, PATH_READ | PATH_WRITE },
	{ "--exec", "PATH", "allow reading and executing", take_path, PATH_READ | PATH_EXEC },
	{ "--deny-path", "PATH", "deny, also below an allowed folder", take_path, PATH_DENY },
	{ "--env", "NAME", "keep this environment variable", take_env, 0 },
	{ "--set-env", "NAME=VALUE", "set this environment variable", take_env, 1 },
	{ "--network", "none|host", "network access", take_network, 0 },
	{ "--shell", NULL, "shell metacharacters in arguments are meant", take_shell, 0 },
	{ "--allow-hooks", NULL, "do not protect hook and editor files in the root", take_allow_hooks, 0 },
	{ "--no-preflight", NULL, "leave the checks before the start out", take_no_preflight, 0 },
	{ "--require", "LAYER", "unavailable unless this layer is enforced", take_require, 0 },
	{ "--explain", "[=kernel]", "say what was refused, why, and what would allow it", take_explain, 0 },
	{ "--observe", NULL, "refuse nothing in the shim, record every call", take_switch, SWITCH(shim.observe) },
	{ "-o", "FILE", "where the learned policy goes; what is there already is kept", take_base_text, TEXT(output) },
	{ "--allow-sensitive", NULL, "learn places with keys and passwords too", take_switch, SWITCH(allow_sensitive) },
	{ "--no-shim", NULL, "leave the shim out", take_switch, SWITCH(shim.none) },
	{ "--why", "QUESTION", "ask the policy: 'open PATH', 'connect ADDRESS', …", take_base_text, TEXT(why) },
	{ "--sandbox", "MODE", "the backend", take_sandbox, 0 },
	{ "--tier", "NAME", "a set of limits", take_tier, 0 },
	{ "--steps-unit", "UNIT", "what a step is", take_steps_unit, 0 },
	{ "--steps-counter", "NAME", "count with this or not at all", take_steps_counter, 0 },
	{ "--result", "FILE|fd:N|-", "write the result there", take_base_text, TEXT(result) },
	{ "--meta", "FILE", "write isolate's key:value file", take_base_text, TEXT(meta) },
	{ "--log", "FILE|fd:N", "append events as JSON lines", take_base_text, TEXT(log) },
	{ "--stdin", "FILE", "the program's standard input", take_base_text, TEXT(stdin_file) },
	{ "--label", "NAME", "the session's label", take_base_text, TEXT(label) },
	{ "--raw-output", NULL, "let control characters through to a terminal", take_switch, SWITCH(raw) },
	{ "--binary", NULL, "add base64 of the output", take_switch, SWITCH(binary) },
	{ "--json", NULL, "print JSON", take_switch, SWITCH(json) },
	{ "--show", NULL, "print the effective policy", take_switch, SWITCH(show) },
	{ "--sweep", NULL, "only remove what dead sessions left", take_switch, SWITCH(sweep) },
	{ "--die-with-parent", NULL, "end when the calling process does", take_switch, SWITCH(die_with_parent) },
	{ NULL, NULL, NULL, NULL, 0 },
};

static const struct option_row *find_option(const char *word, size_t length)
{
	for (const struct option_row *row = option_rows; row->flag; row++)
		if (strlen(row->flag) == length && strncmp(row->flag, word, length) == 0)
			return row;
	return NULL;
}

static const struct limit_row *find_limit(const char *word, size_t length)
{
	for (const struct limit_row *row = limit_rows; row->key; row++)
		if (row->flag && strlen(row->flag) == length && !strncmp(row->flag, word, length))
			return row;
	return NULL;
}

static const char *nearest_option(const char *word)
{
	const char *all[96];
	size_t count = 0;

	for (const struct option_row *row = option_rows; row->flag && count < 90; row++)
		all[count++] = row->flag;
	for (const struct limit_row *row = limit_rows; row->key && count < 95; row++)
		if (row->flag)
			all[count++] = row->flag;
	all[count] = NULL;
	return suggest_nearest(word, all);
}

static int complain(const char *verb, const char *word)
{
	const char *near = nearest_option(word);

	fprintf(stderr, "stile %s: unknown option %s%s%s\n", verb, word,
		near ? "; did you mean " : "", near ? near : "");
	return -EINVAL;
}

static int refuse_unfit(const char *verb, const struct option_row *row)
{
	fprintf(stderr, "stile %s: %s means nothing here; stile help %s has the options\n", verb,
		row->flag, verb);
	return -EINVAL;
}

static bool is_base(const struct option_row *row)
{
	return row->take == take_base_text;
}

static int apply(struct request *q, const char *verb, const struct option_row *row,
		 const char *value)
{
	int r = row->take(q, row, value);

	if (r < 0 && r != -ECANCELED && r != -EOPNOTSUPP)
		fprintf(stderr, "stile %s: %s: bad value '%s' (expected %s)\n", verb, row->flag,
			value ? value : "", row->value ? row->value : "none");
	return r;
}

static int apply_limit(struct request *q, const char *verb, const struct limit_row *row,
		       const char *value)
{
	uint64_t *at = (uint64_t *)(void *)((char *)&q->policy->limits + row->offset);
	int r = limits_parse(value, row->unit, 1, at);

	if (r < 0)
		fprintf(stderr, "stile %s: %s: %s: '%s'\n", verb, row->flag,
			r == -ERANGE ? "value out of range" : "not a valid value", value);
	return r;
}

/* One option with its value. Returns how many words it took, or -errno. */
static int read_option(struct request *q, const char *verb, char **words, int left, int pass)
{
	size_t length = strcspn(words[0], "=");
	const struct option_row *row = find_option(words[0], length);
	const struct limit_row *limit = row ? NULL : find_limit(words[0], length);
	bool may_take = limit || (row && row->value);
	bool takes = may_take && !(row && row->value[0] == '[');
	const char *value = words[0][length] ? words[0] + length + 1 : NULL;
	int used = 1, r = 0;

	if (!row && !limit)
		return complain(verb, words[0]);
	if (row && !option_fits(row->flag, verb))
		return refuse_unfit(verb, row);
	if (takes && !value) {
		if (left < 2) {
			fprintf(stderr, "stile %s: %s needs a value\n", verb, words[0]);
			return -EINVAL;
		}
		value = words[1];
		used = 2;
	} else if (!may_take && value) {
		fprintf(stderr, "stile %s: %s takes no value\n", verb, row->flag);
		return -EINVAL;
	}
	if (row && is_base(row) == (pass == PASS_BASE))
		r = apply(q, verb, row, value);
	else if (limit && pass == PASS_FLAGS)
		r = apply_limit(q, verb, limit, value);
	return r < 0 ? r : used;
}

static int read_options(struct request *q, const char *verb, int argc, char **argv, int pass)
{
	int i = 0;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		int used;

		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		used = read_option(q, verb, argv + i, argc - i, pass);
		if (used < 0)
			return used;
		i += used;
	}
	q->rest = argv + i;
	q->rest_count = argc - i;
	return 0;
}

static int load_profile(struct request *q, const char *verb)
{
	struct document_error error;
	char root[PATH_MAX];
	int r;

	if (!document_profile(q->profile)) {
		fprintf(stderr, "stile %s: unknown profile '%s' (expected code or tool)\n", verb,
			q->profile);
		return -EINVAL;
	}
	if (!realpath(q->root ? q->root : q->cwd, root)) {
		fprintf(stderr, "stile %s: --root %s: %s\n", verb, q->root ? q->root : q->cwd,
			strerror(errno));
		return -EINVAL;
	}
	r = document_load_profile(q->policy, q->profile, root, &error);
	if (r < 0)
		fprintf(stderr, "stile %s: %s\n", verb, error.text);
	if (r == 0 && q->root)
		snprintf(q->cwd, sizeof(q->cwd), "%s", root);
	return r;
}

static int read_mode_variable(struct request *q)
{
	const char *text = getenv("PDLT_SANDBOX");

	return text && *text ? take_sandbox(q, NULL, text) : 0;
}

/* Only the complete policy says which links programs can replace. */
static int check_links(const struct request *q, const char *verb)
{
	char why[3072];
	int r = policy_check_links(q->policy, why, sizeof(why));

	if (r < 0)
		fprintf(stderr, "stile %s: %s\n", verb, why[0] ? why : strerror(-r));
	return r;
}

/* A compiled program with a budget may be counted by it, and a script where that is asked for. */
static bool wants_qemu(const struct request *q)
{
	if (q->steps.counter)
		return strcmp(q->steps.counter, "qemu-tcg") == 0;
	return q->steps.unit == STEP_UNIT_INSTRUCTIONS ||
	       (strcmp(q->profile, "tool") == 0 && q->policy->limits.steps != LIMIT_NONE);
}

int request_read(struct request *q, const char *verb, const char *default_profile, int argc,
		 char **argv)
{
	int r;

	*q = (struct request){ .policy = policy_new(), .profile = default_profile,
			       .preflight = true };
	if (!q->policy)
		return -ENOMEM;
	if (!getcwd(q->cwd, sizeof(q->cwd))) {
		fprintf(stderr, "stile %s: the current folder: %s\n", verb, strerror(errno));
		return -EINVAL;
	}
	r = read_options(q, verb, argc, argv, PASS_BASE);
	if (r == 0)
		r = load_profile(q, verb);
	if (r == 0)
		r = read_mode_variable(q);
	if (r == 0)
		r = read_options(q, verb, argc, argv, PASS_FLAGS);
	if (r == 0 && wants_qemu(q))
		r = steps_allow_qemu(q->policy);
	if (r == 0 && q->policy->allow_hooks)
		policy_drop_hooks(q->policy);
	if (r == 0)
		r = check_links(q, verb);
	if (r == 0 && q->die_with_parent)
		(void)prctl(PR_SET_PDEATHSIG, SIGNAL_PARENT_GONE);
	return r;
}

struct session_wish request_wish(const struct request *q)
{
	return (struct session_wish){ .mode = q->mode, .label = q->label, .shim = q->shim };
}

void request_free(struct request *q)
{
	policy_free(q->policy);
	q->policy = NULL;
}

char **request_environment(const struct policy *p)
{
	char **env = calloc(p->env_keep.count + p->env_set.count + 1, sizeof(*env));
	size_t count = 0;

	for (size_t i = 0; env && i < p->env_keep.count; i++) {
		const char *value = getenv(p->env_keep.item[i]);

		if (value && asprintf(&env[count], "%s=%s", p->env_keep.item[i], value) >= 0)
			count++;
	}
	for (size_t i = 0; env && i < p->env_set.count; i++) {
		size_t length = strcspn(p->env_set.item[i], "=") + 1;
		size_t at = 0;

		while (at < count && strncmp(env[at], p->env_set.item[i], length))
			at++;
		free(env[at]);
		env[at] = strdup(p->env_set.item[i]);
		count += at == count;
	}
	return env;
}

void request_free_environment(char **env)
{
	for (size_t i = 0; env && env[i]; i++)
		free(env[i]);
	free(env);
}
