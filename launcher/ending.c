/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a run ended, in the words of the result: one function for each way to end, before the start or after.
 * Runs in the launcher. A refusal by policy is told as one, a failure of ours as an error; never one
 * as the other.
 */
#include "launcher/ending.h"

#include "launcher/look.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static void say(struct result *r, const char *text)
{
	if (r->err)
		(void)output_take(r->err, text, strlen(text));
}

void ending_unavailable(const char *why, struct result *r)
{
	char text[600];

	r->status = STATUS_UNAVAILABLE;
	r->exit_code = EXIT_CODE_UNAVAILABLE;
	r->finding = "SANDBOX_UNAVAILABLE";
	snprintf(r->reason, sizeof(r->reason), "sandbox_unavailable:%s", why);
	snprintf(text, sizeof(text), "Code execution is unavailable: %s", why);
	say(r, text);
	r->stderr_bytes = 0;
}

void ending_denied(struct result *r, const struct verdict *verdict)
{
	r->status = STATUS_DENIED;
	r->exit_code = EXIT_CODE_DENIED;
	r->denied = true;
	r->verdict = *verdict;
	snprintf(r->reason, sizeof(r->reason), "%s", verdict->reason);
	snprintf(r->fix, sizeof(r->fix), "%s", verdict->fix);
	r->verdict.reason = r->reason;
	r->verdict.fix = r->fix;
}

void ending_refused(struct result *r, enum axis axis, const char *reason, const char *fix)
{
	struct verdict verdict = { .action = ACTION_DENY,
				   .axis = axis,
				   .layer = LAYER_PREFLIGHT,
				   .reason = reason,
				   .fix = fix };

	ending_denied(r, &verdict);
}

void ending_error(struct result *r, const char *what, int error)
{
	r->status = STATUS_ERROR;
	r->exit_code = EXIT_CODE_INTERNAL;
	snprintf(r->reason, sizeof(r->reason), "%s: %s", what, strerror(error));
}

static bool looks_out_of_memory(const struct captured *captured, const struct result *r)
{
	static const char *const words[] = { "MemoryError", "Cannot allocate memory", "out of memory",
					     "Out of memory", "bad_alloc", "not enough memory" };

	if (r->limits.memory_bytes == LIMIT_NONE || !r->err)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (captured->err.used && memmem(captured->err.data, captured->err.used, words[i],
						 strlen(words[i])))
			return true;
	return false;
}

static void tell_timeout(struct result *r, const char *finding)
{
	r->status = STATUS_TIMED_OUT;
	r->exit_code = EXIT_CODE_WALL;
	r->timed_out = true;
	r->finding = finding;
	snprintf(r->reason, sizeof(r->reason), "wall-clock timeout after %.1fs",
		 (double)r->limits.wall_ms / 1000.0);
}

static void tell_memory(struct result *r)
{
	r->status = STATUS_MEMORY;
	r->exit_code = EXIT_CODE_MEMORY;
	r->finding = "MEMORY_EXCEEDED";
	snprintf(r->reason, sizeof(r->reason), "memory limit of %llu bytes reached",
		 (unsigned long long)r->limits.memory_bytes);
}

static void tell_cpu(struct result *r)
{
	tell_timeout(r, "WALL_CLOCK_EXCEEDED");
	snprintf(r->reason, sizeof(r->reason), "CPU time limit reached");
}

static void tell_disk(struct result *r)
{
	r->status = STATUS_DISK;
	r->exit_code = 128 + SIGXFSZ;
	r->finding = "PROGRAM_FAILED";
	snprintf(r->reason, sizeof(r->reason), "disk limit reached: more bytes or files than allowed");
}

static void tell_processes(struct result *r)
{
	r->status = STATUS_SIGNALED;
	r->signal = SIGKILL;
	r->exit_code = 128 + SIGKILL;
	r->finding = "PROGRAM_FAILED";
	snprintf(r->reason, sizeof(r->reason), "killed: more than %llu processes and threads",
		 (unsigned long long)r->limits.processes);
}

/* The program's own output is kept first; then one line says why it ends here. */
static void tell_steps(struct result *r)
{
	char text[128];

	r->status = STATUS_STEP_BUDGET;
	r->exit_code = EXIT_CODE_STEPS;
	r->finding = "STEP_BUDGET_EXCEEDED";
	snprintf(r->reason, sizeof(r->reason), "more than %llu steps",
		 (unsigned long long)r->limits.steps);
	snprintf(text, sizeof(text), "PDLT_STEP_BUDGET_EXCEEDED: more than %llu steps\n",
		 (unsigned long long)r->limits.steps);
	if (r->err && r->err->used && r->err->data[r->err->used - 1] != '\n')
		say(r, "\n");
	say(r, text);
	if (!r->err)
		fputs(text, stderr);
}

/* A counter that stopped the program itself, or one that can only have its time watched. */
static bool is_over_steps(const struct watch *w, const struct result *r)
{
	if (!r->steps.is_stopped)
		return false;
	return w->cause == WATCH_EXITED ||
	       (w->cause == WATCH_CPU && r->cpu_us / 1000 < r->limits.cpu_ms);
}

/* Seen after the end: the kernel killed for memory, or the clock of all processes ran past its limit
 * between two looks. */
static bool tell_exhausted(const struct watch *w, struct result *r)
{
	const struct cgroup *group = w->limiters.cgroup;

	if (group && cgroup_ran_out(group))
		tell_memory(r);
	else if (r->limits.cpu_ms != LIMIT_NONE && r->cpu_us / 1000 >= r->limits.cpu_ms)
		tell_cpu(r);
	else
		return false;
	return true;
}

static void tell_exit(const struct captured *captured, int status, struct result *r)
{
	if (WIFSIGNALED(status)) {
		r->status = STATUS_SIGNALED;
		r->signal = WTERMSIG(status);
		r->exit_code = 128 + r->signal;
		snprintf(r->reason, sizeof(r->reason), "killed by signal %d (SIG%s)", r->signal,
			 sigabbrev_np(r->signal) ? sigabbrev_np(r->signal) : "?");
		r->finding = "PROGRAM_FAILED";
	} else {
		r->exit_code = WEXITSTATUS(status);
		r->status = r->exit_code ? STATUS_FAILED : STATUS_OK;
		r->finding = r->exit_code ? "PROGRAM_FAILED" : NULL;
	}
	if (r->signal == SIGXCPU) {
		tell_cpu(r);
	} else if (r->signal == SIGXFSZ) {
		r->status = STATUS_DISK;
		snprintf(r->reason, sizeof(r->reason), "file size limit reached");
	} else if (r->status != STATUS_OK && looks_out_of_memory(captured, r)) {
		tell_memory(r);
	}
}

void ending_ended(struct session *s, const struct watch *w, const struct captured *captured,
		  struct result *r)
{
	const struct warden_area *area = s->warden.area;

	r->duration_us = w->duration_us;
	r->stdout_bytes = w->stdout_bytes;
	r->stderr_bytes = w->stderr_bytes;
	r->truncated = r->out && (output_is_truncated(r->out) || output_is_truncated(r->err));
	if (w->cause == WATCH_BROKEN) {
		ending_error(r, "the warden ended unexpectedly", EPIPE);
		snprintf(s->unavailable, sizeof(s->unavailable),
			 "the session's warden ended unexpectedly");
		return;
	}
	if (area->leftover < 0)
		snprintf(s->unavailable, sizeof(s->unavailable),
			 "the session's private folders could not be emptied: %s",
			 strerror(-area->leftover));
	r->cpu_us = area->cpu_us;
	r->max_rss_kb = area->max_rss_kb;
	r->switches_voluntary = area->switches_voluntary;
	r->switches_forced = area->switches_forced;
	if (is_over_steps(w, r))
		tell_steps(r);
	else if (w->cause == WATCH_WALL)
		tell_timeout(r, "WALL_CLOCK_EXCEEDED");
	else if (w->cause == WATCH_MEMORY)
		tell_memory(r);
	else if (w->cause == WATCH_CPU)
		tell_cpu(r);
	else if (w->cause == WATCH_DISK)
		tell_disk(r);
	else if (w->cause == WATCH_PROCESSES)
		tell_processes(r);
	else if (!tell_exhausted(w, r))
		tell_exit(captured, area->wait_status, r);
	if (w->output_error)
		ending_error(r, "passing the program's output on", -w->output_error);
}

/* A step between fork and exec failed: the program never ran. */
void ending_not_started(const struct session *s, const char *program, struct result *r)
{
	const struct warden_area *area = s->warden.area;
	char why[VERDICT_TEXT_MAX];

	if (strcmp(area->child_step, "exec") == 0) {
		look_explain_exec(program, area->child_error, why, sizeof(why));
		ending_refused(r, AXIS_EXECUTABLE, why, "");
		if (area->child_error == ENOEXEC || area->child_error == ENOENT)
			r->verdict.layer = LAYER_PREFLIGHT;
		return;
	}
	snprintf(why, sizeof(why), "%s: %s", area->child_step, strerror(area->child_error));
	r->status = STATUS_UNAVAILABLE;
	r->exit_code = EXIT_CODE_UNAVAILABLE;
	r->finding = "SANDBOX_UNAVAILABLE";
	snprintf(r->reason, sizeof(r->reason), "sandbox_unavailable:%s", why);
}
