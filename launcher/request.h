/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the caller asks for: options and policy documents brought into one struct. */
#pragma once

#include "launcher/run.h"
#include "launcher/session.h"
#include "policy/policy.h"

#include <stdbool.h>

enum {
	EXIT_USAGE = 2
};

struct request {
	struct policy *policy; /* owned until taken by a session */
	enum sandbox_mode mode;
	const char *profile, *root;
	char cwd[4096];
	const char *result, *meta, *stdin_file, *label, *log;
	struct step_wish steps;
	struct shim_wish shim;
	bool explain_kernel; /* --explain=kernel */
	const char *why;     /* --why */
	const char *output;  /* -o */
	bool allow_sensitive;
	bool json, show, sweep, binary, raw, preflight, pretty, die_with_parent;
	char **rest; /* what follows the options */
	int rest_count;
};

/* Reads options up to the first operand or "--"; profile, document and flags are applied in that order.
 * On a mistake prints one line to stderr and returns -EINVAL. */
int request_read(struct request *q, const char *verb, const char *default_profile, int argc,
		 char **argv);
void request_free(struct request *q);

/* What a session is to be opened with. */
struct session_wish request_wish(const struct request *q);

/* The program's environment by the policy: malloc'd list, freed with request_free_environment. */
char **request_environment(const struct policy *p);
void request_free_environment(char **env);

/* One row per option; ends with flag = NULL. Read by parser, help and completions. */
struct option_row {
	const char *flag;
	const char *value; /* its name in help, NULL = none taken */
	const char *help;
	int (*take)(struct request *q, const struct option_row *row, const char *value);
	unsigned argument;
};
extern const struct option_row option_rows[];
