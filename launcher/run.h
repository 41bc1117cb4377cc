/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run, from request to result. */
#pragma once

#include "launcher/result.h"
#include "launcher/session.h"

struct run_request {
	char *const *argv;
	const char *cwd;       /* NULL = the run folder */
	char *const *env;      /* complete, NULL-terminated; TMPDIR and HOME are added by the run */
	struct limits limits;
	bool preflight;        /* ask it first */
	bool stream;           /* the program's output goes to our own 1 and 2 as it comes */
	bool tell_opens;       /* the kernel tells of what is opened, made and removed too */
	bool raw;              /* streamed to a terminal: as it is */
	bool home_is_run_folder;
	int stdin_fd;          /* -1 = empty */
	const char *stdin_text; /* used instead when not NULL */
	size_t stdin_size;
	
	const char *code_name; /* its name there */
	const char *code_text;
	size_t code_size;
	bool big_address_space; /* the interpreter reserves more than it uses */
	const char *program;   /* path to execute; NULL = found by argv[0] */
	struct step_wish steps;
};

struct captured {
	struct output out, err;
};

/* Fills *r, always. r->out/err point into *captured unless streamed. Returns 0 or -errno for a fault of
 * stile itself (r is then status "error"). */
int run_once(struct session *s, const struct run_request *q, struct captured *captured,
	     struct result *r);

/* The result of a request that is refused by `why` before any of it. */
void run_refuse(const struct session *s, const struct run_request *q, const struct verdict *why,
		struct captured *captured, struct result *r);

/* What comes before the start, for runs and for `stile check` alike: the policy's preflight (unless the
 * request leaves it out), then the program's file, into program[size]. */
void run_preflight(const struct session *s, const struct run_request *q, char *program, size_t size,
		   struct verdict_text *text, struct verdict *verdict);
