/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result: everything stile says of one run, and its JSON form (stile-result(5)).
 * Runs in the launcher, after the program's end.
 */
#pragma once

#include "backends/layers.h"
#include "launcher/denials.h"
#include "launcher/observed.h"
#include "launcher/output.h"
#include "launcher/shim_cover.h"
#include "launcher/step_count.h"
#include "policy/limits.h"
#include "policy/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum run_status {
	STATUS_OK,
	STATUS_FAILED,
	STATUS_SIGNALED,
	STATUS_DENIED,
	STATUS_TIMED_OUT,
	STATUS_STEP_BUDGET,
	STATUS_MEMORY,
	STATUS_DISK,
	STATUS_UNAVAILABLE,
	STATUS_ERROR
};

/* Sentinels of `exit_code`; the process exits with code & 255. */
enum {
	EXIT_CODE_DENIED = -100,
	EXIT_CODE_WALL = -101,
	EXIT_CODE_STEPS = -102,
	EXIT_CODE_MEMORY = -103,
	EXIT_CODE_UNAVAILABLE = -104,
	EXIT_CODE_INTERNAL = -105
};

#define RESULT_UNKNOWN UINT64_MAX /* printed as null */
#define RESULT_WARNINGS_MAX 8

struct result {
	char id[40];
	char session[64];          /* "" = null */
	const char *profile, *backend;
	char *const *argv;         /* NULL-terminated */
	enum run_status status;
	int exit_code, signal;     /* signal 0 = null */
	char reason[VERDICT_TEXT_MAX]; /* "" = null */
	char fix[VERDICT_TEXT_MAX];
	const char *finding;       /* NULL = null */
	const char *warnings[RESULT_WARNINGS_MAX];
	size_t warning_count;
	struct output *out, *err;  /* NULL = streamed: the texts are null */
	uint64_t stdout_bytes, stderr_bytes;
	bool truncated, timed_out, denied, binary;
	uint64_t duration_us, cpu_us, max_rss_kb; /* RESULT_UNKNOWN = null */
	uint64_t switches_voluntary, switches_forced; /* for --meta */
	struct limits limits;
	const char *memory_limiter;  /* "cgroup", "address-space", "data-segment", "watch", NULL = none */
	bool memory_exact;
	const char *processes_limiter;
	struct step_count steps;
	struct layers layers;
	struct verdict verdict;    /* meaningful when status is denied */
	const struct shim_cover *shim;  /* NULL = nothing was run */
	const struct observed *observed; /* its calls; for the log; NULL = not recorded */
	const struct denials *denials; /* of the running program; NULL = none */
	bool has_repairs;
	uint64_t repairs_limit, repairs_used;
};

const char *status_name(enum run_status status);

/* The JSON object, one line without newline (or indented by 2 when `pretty`). malloc'd; NULL = ENOMEM. */
char *result_to_json(const struct result *r, bool pretty);

/* The isolate-compatible key:value file. Returns 0 or -errno. */
int result_write_meta(const struct result *r, int fd);
