/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counter ptrace-singlestep: every instruction a stop. Exact anywhere, and ten thousand times slower
 * than the program, so that it is chosen only where the budget fits the clock by this host's measured
 * cost. Also the launcher's end of the tracer, for every counter that has one.
 *
 * Runs in the launcher. The block-wise stepping that some processors offer is not used: where it is not
 * there the kernel says that it worked.
 */
#include "launcher/steps.h"

#include "backends/sys.h"
#include "launcher/clock.h"
#include "launcher/session.h"
#include "launcher/tracee.h"
#include "launcher/tracer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define WARM_UP 50
#define MEASURED 400
#define TRACER_GRACE_MS 2000
#define NS_A_MS 1000000u

__attribute__((noreturn)) static void be_stepped(void)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	(void)raise(SIGSTOP);
	tracee_known_loop(UINT64_MAX);
	_exit(0);
}

/* One step with all that the tracer does for one. */
static int step_once(pid_t pid)
{
	siginfo_t info;
	uint64_t pc;
	int status;

	if (tracee_pc(pid, &pc) < 0)
		return -ESRCH;
	(void)tracee_insn_at(pid, pc);
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0)
		return -errno;
	if (waitpid(pid, &status, __WALL) < 0)
		return -errno;
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		return -EPROTO;
	return ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) < 0 ? -errno : 0;
}

static int measure(pid_t pid, uint64_t *ns)
{
	uint64_t begin = 0;
	int status, r = 0;

	if (waitpid(pid, &status, __WALL) < 0)
		return -errno;
	if (!WIFSTOPPED(status))
		return -EPERM;
	for (int i = 0; r == 0 && i < WARM_UP + MEASURED; i++) {
		if (i == WARM_UP)
			begin = clock_ns();
		r = step_once(pid);
	}
	*ns = (clock_ns() - begin) / MEASURED;
	return r;
}

int steps_measure_step(struct step_host *host)
{
	pid_t pid;
	int r;

	if (host->step_ns || host->step_error)
		return -host->step_error;
	pid = fork();
	if (pid == 0)
		be_stepped();
	r = pid < 0 ? -errno : measure(pid, &host->step_ns);
	if (pid > 0) {
		(void)kill(pid, SIGKILL);
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	host->step_error = -r;
	return r;
}

static int probe_ptrace(struct step_host *host, const struct step_facts *facts, char *why, size_t size)
{
	uint64_t need_ms;
	int r;

	if (facts->program.is_elf && !tracee_can_step(facts->program.machine)) {
		snprintf(why, size, "programs of this processor cannot be stepped");
		return -EOPNOTSUPP;
	}
	r = steps_measure_step(host);
	if (r < 0) {
		snprintf(why, size, "stepping a child: %s", strerror(-r));
		return r;
	}
	if (facts->budget == LIMIT_NONE || facts->wall_ms == LIMIT_NONE)
		return 0;
	need_ms = facts->budget > UINT64_MAX / host->step_ns ?
			  UINT64_MAX :
			  facts->budget * host->step_ns / NS_A_MS;
	if (need_ms <= facts->wall_ms)
		return 0;
	snprintf(why, size, "%llu steps of %.1f us each take %.1f s, more than the wall clock",
		 (unsigned long long)facts->budget, (double)host->step_ns / 1000.0,
		 (double)need_ms / 1000.0);
	return -ETIME;
}

int steps_tracer_arm(struct steps *s, struct perf_source *perf)
{
	struct warden_area *area = s->session->warden.area;
	struct tracer_order order = { .area = area,
				      .budget = s->facts.budget,
				      .perf = perf,
				      .launcher = getpid() };

	s->page = mmap(NULL, sizeof(*s->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (s->page == MAP_FAILED) {
		s->page = NULL;
		return -errno;
	}
	order.page = s->page;
	area->gate = WARDEN_GATE_SHUT;
	s->tracer = fork();
	if (s->tracer == 0)
		tracer_live(&order);
	if (s->tracer < 0) {
		area->gate = WARDEN_GATE_OPEN;
		return -errno;
	}
	/* In another pid namespace its number means somebody else, or nobody. */
	area->gatekeeper = s->facts.has_pid_namespace ? 0 : s->tracer;
	return 0;
}

/* All it held is dead when the run has ended, so it ends by itself; one that never got hold does not. */
static void end_tracer(struct steps *s)
{
	struct pollfd end = { .fd = sys_pidfd_open(s->tracer), .events = POLLIN };

	if (s->page->is_armed && end.fd >= 0)
		(void)poll(&end, 1, TRACER_GRACE_MS);
	if (end.fd >= 0)
		(void)close(end.fd);
	(void)kill(s->tracer, SIGKILL);
	while (waitpid(s->tracer, NULL, 0) < 0 && errno == EINTR)
		;
	s->tracer = -1;
}

static void read_where(struct step_count *count, const struct tracer_page *page)
{
	if (!page->is_stopped || !page->where_module[0])
		return;
	count->has_where = true;
	count->where.offset = page->where_offset;
	snprintf(count->where.module, sizeof(count->where.module), "%s", page->where_module);
}

/* What makes a traced count less than exact. */
static void doubt_page(struct step_count *count, const struct step_facts *facts,
		       const struct tracer_page *page)
{
	if (page->unsure)
		step_count_doubt(count, "killed");
	if (page->overrun)
		step_count_doubt(count, "skid");
	if (page->is_estimated)
		step_count_doubt(count, "interrupts");
	/* A child may ask the kernel to be born unseen; the filter refuses that. */
	if (!facts->has_filter)
		step_count_doubt(count, "no seccomp: children may be born uncounted");
	if (!count->is_exact)
		count->error_bound = facts->has_filter ? page->unsure + page->overrun : STEP_UNKNOWN;
}

void steps_tracer_read(struct steps *s)
{
	struct step_count *count = s->count;
	const struct tracer_page *page = s->page;

	if (s->tracer > 0)
		end_tracer(s);
	if (!page || !page->is_armed) {
		step_count_doubt(count, "the program did not start");
		return;
	}
	if (!page->is_finished) {
		count->counter = "lost";
		step_count_doubt(count, "the tracer ended before the program");
		return;
	}
	count->count = count->count_all = page->count;
	count->is_stopped = page->is_stopped;
	count->start = page->starts_at_exec ? "exec" : "entry";
	if (page->starts_at_exec || !page->had_startup)
		count->startup_steps = 0;
	read_where(count, page);
	doubt_page(count, &s->facts, page);
}

void steps_tracer_finish(struct steps *s)
{
	if (s->tracer > 0)
		end_tracer(s);
	s->session->warden.area->gate = WARDEN_GATE_OPEN;
	if (s->page)
		(void)munmap(s->page, sizeof(*s->page));
	s->page = NULL;
}

static int measure_ptrace(struct step_host *host, double *ns)
{
	int r = steps_measure_step(host);

	*ns = (double)host->step_ns;
	return r;
}

static int arm_ptrace(struct steps *s)
{
	return steps_tracer_arm(s, NULL);
}

const struct step_counter step_counter_ptrace = {
	.name = "ptrace-singlestep",
	.unit = "instructions",
	.family = STEP_UNIT_INSTRUCTIONS,
	.scope = "process",
	.start = "entry",
	.is_exact = true,
	.probe = probe_ptrace,
	.measure = measure_ptrace,
	.arm = arm_ptrace,
	.read = steps_tracer_read,
	.finish = steps_tracer_finish,
};
