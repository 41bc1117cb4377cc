/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tracer's loop: take hold of the program at the warden's gate, let it run to its entry point, then one
 * instruction at a time and one thread at a time, so that the steps have one order and the budget one
 * place where it ends. Where the hardware counts (tracer_meter.c), all run freely until near that place.
 *
 * Runs in a process of its own, outside the walls. The programs are hostile: no event of theirs, nor its
 * absence, may end the counting while one of them lives. A step is counted when it begins and taken back
 * when the stop says that nothing was executed.
 */
#include "launcher/tracer.h"

#include "backends/sys.h"
#include "launcher/tracee.h"
#include "launcher/tracer_meter.h"
#include "launcher/tracer_threads.h"
#include "launcher/tracer_wait.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define OPTIONS                                                                      \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | \
	 PTRACE_O_TRACEVFORK)
#define QUANTUM 400       /* steps of one thread while others are ready: they may wait for each other */
#define LOOK_US 20000     /* a program may block the signal of an overflow: look without one */
#define GATHER_MISSES 40  /* who has not stopped by then is dead but for its other threads */

struct tracer {
	const struct tracer_order *order;
	struct tracer_page *page;
	struct thread_table threads;
	struct thread *current; /* in flight, and expected back; NULL = none */
	uint64_t count;
	bool is_stepping;       /* the entry point was reached, and nothing counts but steps */
	bool is_metered;        /* it was reached, and the hardware counts */
	bool is_look_due;       /* at the hardware's counters */
	struct meter meter;
	bool is_planted;
	uint64_t entry;
	long under_breakpoint;
};

/* ---- one flight: from the resumption of a thread to its next stop ---- */

/* Finds out what the thread would do next. False: that is one step too many. */
static bool prepare_flight(struct tracer *tr, struct thread *t)
{
	bool goes_on;

	t->is_counted = false;
	if (tracee_pc(t->tid, &t->pc) < 0)
		return true;
	t->insn = t->in_call || t->may_restart ? TRACEE_SYSCALL : tracee_insn_at(t->tid, t->pc);
	goes_on = t->in_call || (t->insn == TRACEE_REP && t->pc == t->repeating);
	t->is_counted = !goes_on;
	return goes_on || tr->count < tr->order->budget;
}

static void fly(struct tracer *tr, struct thread *t)
{
	int signal = t->signal;

	t->had_signal = signal != 0;
	t->signal = 0;
	t->is_ready = false;
	if (t->insn == TRACEE_REP)
		t->repeating = t->pc;
	tr->count += t->is_counted;
	tr->current = t;
	if (ptrace(PTRACE_SINGLESTEP, t->tid, NULL, signal) < 0) {
		/* Killed meanwhile: its end will be told. */
		tr->count -= t->is_counted;
		t->is_counted = false;
	}
	tr->page->count = tr->count;
}

/* The thread is back; `executed`: the instruction it was sent to is done, or begun for good. */
static void land(struct tracer *tr, struct thread *t, bool executed)
{
	uint64_t pc = 0;

	if (tr->current == t)
		tr->current = NULL;
	if (!executed && t->is_counted)
		tr->count--;
	if (t->insn == TRACEE_REP && executed && tracee_pc(t->tid, &pc) == 0 && pc != t->pc)
		t->repeating = 0;
	if (t->insn == TRACEE_REP && !executed && t->is_counted)
		t->repeating = 0;
	t->is_counted = t->is_held = false;
	t->is_ready = true;
	tr->page->count = tr->count;
}

static void drop(struct tracer *tr, struct thread *t)
{
	if (!t)
		return;
	if (tr->current == t)
		tr->current = NULL;
	meter_leave(&tr->meter, t);
	threads_drop(&tr->threads, t);
}

/* Where the stop itself does not tell: did the thread get anywhere? A jump to itself counts as no. */
static bool has_moved(const struct thread *t)
{
	uint64_t pc;

	return tracee_pc(t->tid, &pc) == 0 && pc != t->pc;
}

static bool has_started(const struct tracer *tr)
{
	return tr->is_stepping || tr->is_metered;
}

/* ---- the start: native to the entry point, from there by single steps ---- */

/* All that live are stopped, or about to be for the first time. */
static void begin_counting(struct tracer *tr, bool at_exec)
{
	tr->is_metered = tr->meter.source != NULL;
	tr->is_stepping = !tr->is_metered;
	tr->is_look_due = tr->is_metered;
	for (struct thread *t = tr->threads.first; t && tr->is_metered; t = t->next)
		meter_take(&tr->meter, t);
	if (tr->is_metered)
		tracer_wait_wake_every(LOOK_US);
	tr->page->is_estimated = tr->is_metered;
	tr->page->starts_at_exec = at_exec;
	tr->page->is_started = true;
}

/* The program (or, before the start, another in its place) stands before its first instruction. */
static void wait_for_entry(struct tracer *tr, struct thread *t)
{
	uint64_t pc;

	tr->is_planted = false;
	t->in_call = true;
	if (tracee_pc(t->tid, &pc) < 0)
		return;
	if (tracee_entry(t->tid, &tr->entry) < 0) {
		begin_counting(tr, true);
		return;
	}
	if (pc == tr->entry) {
		begin_counting(tr, false);
		return;
	}
	if (tracee_plant(t->tid, tr->entry, &tr->under_breakpoint) < 0) {
		begin_counting(tr, true);
		return;
	}
	tr->is_planted = true;
	tr->page->had_startup = true;
}

static void reach_entry(struct tracer *tr, struct thread *t)
{
	int r = tracee_unplant(t->tid, tr->entry, tr->under_breakpoint);

	tr->is_planted = false;
	t->in_call = false;
	t->pc = 0;
	if (r < 0 && r != -ESRCH)
		tr->page->error = -r;
	begin_counting(tr, false);
}

static void lift_breakpoint(struct tracer *tr, struct thread *t)
{
	uint64_t pc;

	if (tracee_pc(t->tid, &pc) == 0 &&
	    tracee_unplant(t->tid, tr->entry, tr->under_breakpoint) == 0)
		(void)tracee_set_pc(t->tid, pc);
}

/* A thread or a process before the entry point: from here on it is simpler to count than to explain. */
static void start_early(struct tracer *tr, struct thread *t, struct thread *born, bool shares_memory)
{
	if (has_started(tr))
		return;
	if (tr->is_planted)
		lift_breakpoint(tr, t);
	born->has_breakpoint = tr->is_planted && !shares_memory;
	tr->is_planted = false;
	begin_counting(tr, true);
}

/* A thread that executes takes its leader's number, and its hardware counter along. */
static void take_over(struct tracer *tr, struct thread *t, struct thread *former)
{
	meter_leave(&tr->meter, t);
	if (!former)
		return;
	t->perf = former->perf;
	former->perf = -1;
	drop(tr, former);
}

/* ---- events ---- */

static void hear_exec(struct tracer *tr, struct thread *t)
{
	unsigned long former = 0;

	if (ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &former) == 0 && (pid_t)former != t->tid)
		take_over(tr, t, threads_find(&tr->threads, (pid_t)former));
	land(tr, t, true);
	t->in_call = true;
	t->may_restart = false;
	t->repeating = 0;
	if (has_started(tr))
		tr->page->execs++;
	else
		wait_for_entry(tr, t);
}

static void hear_birth(struct tracer *tr, struct thread *t, int event)
{
	struct thread *born;
	unsigned long tid = 0;

	if (event == PTRACE_EVENT_CLONE)
		tr->page->threads++;
	else
		tr->page->processes++;
	(void)ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &tid);
	/* Its own first stop may have come before this. */
	born = threads_find(&tr->threads, (pid_t)tid);
	if (!born && tid)
		born = threads_add(&tr->threads, (pid_t)tid);
	if (born)
		start_early(tr, t, born, event != PTRACE_EVENT_FORK);
	land(tr, t, true);
	t->in_call = true;
}

static bool is_stopping(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* Stopped as a process, by a signal: so it stays until somebody lets it go on. */
static void hear_group_stop(struct tracer *tr, struct thread *t, int signal)
{
	bool executed = has_moved(t);

	if (t->has_breakpoint)
		lift_breakpoint(tr, t);
	t->has_breakpoint = false;
	t->may_restart |= executed && t->insn == TRACEE_SYSCALL && t->is_counted;
	land(tr, t, executed);
	if (tr->is_metered && t->perf < 0) {
		meter_take(&tr->meter, t);
		tr->is_look_due = true;
	}
	if (is_stopping(signal) && ptrace(PTRACE_LISTEN, t->tid, NULL, NULL) == 0) {
		t->is_ready = false;
		t->is_held = true;
	}
}

/* si_code of a trap: the step is done; the handler of a signal was entered instead; it is the program's. */
static void hear_trap(struct tracer *tr, struct thread *t)
{
	siginfo_t info = { .si_code = TRAP_TRACE };
	bool is_call = t->insn == TRACEE_SYSCALL;

	(void)ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info);
	if (tr->is_planted && info.si_code == SI_KERNEL && tracee_is_planted_at(t->tid, tr->entry)) {
		land(tr, t, true);
		reach_entry(tr, t);
		return;
	}
	if (info.si_code == SIGTRAP && t->had_signal) {
		land(tr, t, false);
	} else if (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT) {
		/* Sent to finish a call, it went one further. */
		if (t->in_call && info.si_code == TRAP_TRACE)
			tr->count++;
		land(tr, t, true);
	} else {
		t->may_restart |= is_call && t->is_counted;
		land(tr, t, has_moved(t));
		t->signal = SIGTRAP;
		return;
	}
	t->in_call = false;
	t->may_restart = false;
}

/* A counter of ours ran over: nobody else sends this signal so, and it is not the program's. */
static bool is_overflow(const struct tracer *tr, const struct thread *t, int signal)
{
	siginfo_t info = { .si_code = 0 };

	return tr->meter.source && signal == PERF_SIGNAL &&
	       ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) == 0 &&
	       (info.si_code == POLL_IN || info.si_code == POLL_HUP);
}

/* A signal on its way to the program: it gets it with the next resumption. */
static void hear_signal(struct tracer *tr, struct thread *t, int signal)
{
	bool executed = has_moved(t);

	if (is_overflow(tr, t, signal)) {
		tr->is_look_due = true;
		signal = 0;
	}

	/* A call that was broken off is gone back to, or not: the next step may sleep again. */
	t->may_restart = executed && t->insn == TRACEE_SYSCALL;
	land(tr, t, executed);
	t->signal = signal;
}

static void hear_end(struct tracer *tr, struct thread *t, int status)
{
	bool is_kill = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	bool in_call = t->insn == TRACEE_SYSCALL;

	/* A call that never returns was a step; a signal resumed with left no time for one; whether
	 * somebody else's kill did, nobody knows. */
	tr->page->unsure += is_kill && t->is_counted && !in_call;
	land(tr, t, in_call ? WIFEXITED(status) || is_kill || !t->had_signal : is_kill);
	drop(tr, t);
}

static void hear(struct tracer *tr, pid_t tid, int status)
{
	struct thread *t = threads_find(&tr->threads, tid);
	int event = status >> 16, signal = WSTOPSIG(status);

	if (!t)
		t = threads_add(&tr->threads, tid);
	if (!t) {
		tr->page->error = ENOMEM;
		(void)kill(tid, SIGKILL);
	} else if (!WIFSTOPPED(status)) {
		hear_end(tr, t, status);
	} else if (event == PTRACE_EVENT_EXEC) {
		hear_exec(tr, t);
	} else if (event == PTRACE_EVENT_STOP) {
		hear_group_stop(tr, t, signal);
	} else if (event) {
		hear_birth(tr, t, event);
	} else if (signal == SIGTRAP) {
		hear_trap(tr, t);
	} else {
		hear_signal(tr, t, signal);
	}
}

/* ---- the loop ---- */

/* Before the entry point, and while the hardware counts, all run as they like. */
static void resume_natively(struct tracer *tr)
{
	for (struct thread *t = tr->threads.first; t; t = t->next) {
		if (!t->is_ready)
			continue;
		t->is_ready = false;
		t->in_call = false;
		(void)ptrace(PTRACE_CONT, t->tid, NULL, t->signal);
		t->signal = 0;
	}
}

static bool has_running(const struct tracer *tr)
{
	for (const struct thread *t = tr->threads.first; t; t = t->next)
		if (!t->is_ready && !t->is_held)
			return true;
	return false;
}

/* Stops all that run. One that is dead but for its other threads never stops. */
static void gather(struct tracer *tr)
{
	int misses = 0, status;
	pid_t tid;

	for (struct thread *t = tr->threads.first; t; t = t->next)
		if (!t->is_ready && !t->is_held)
			(void)ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	while (has_running(tr) && misses < GATHER_MISSES) {
		tid = tracer_wait(tr->page, false, &status);
		if (tid == -ECHILD)
			return;
		if (tid > 0)
			hear(tr, tid, status);
		else
			misses++;
	}
}

/* Near the budget the hardware's word is taken for the last time; the rest is single steps. */
static void end_metering(struct tracer *tr)
{
	tracer_wait_wake_every(0);
	gather(tr);
	tr->count = meter_read(&tr->meter, &tr->threads);
	for (struct thread *t = tr->threads.first; t; t = t->next) {
		meter_leave(&tr->meter, t);
		/* It may have been stopped in a call that it goes back to. */
		t->may_restart = true;
		t->repeating = t->pc = 0;
	}
	tr->page->count = tr->count;
	if (tr->count > tr->order->budget)
		tr->page->overrun = tr->count - tr->order->budget;
	if (tr->meter.error)
		tr->page->error = tr->meter.error;
	tr->is_metered = false;
	tr->is_stepping = true;
}

static void look_at_meter(struct tracer *tr)
{
	tr->is_look_due = false;
	if (meter_run_on(&tr->meter, &tr->threads, tr->order->budget, &tr->count))
		tr->page->count = tr->count;
	else
		end_metering(tr);
}

/* Sends the next thread to its next step. False: the budget is spent. */
static bool send_next(struct tracer *tr)
{
	struct thread *t = threads_next(&tr->threads, QUANTUM);

	if (!t)
		return true;
	if (!prepare_flight(tr, t)) {
		tr->threads.last = t;
		return false;
	}
	fly(tr, t);
	return true;
}

/* Whoever is in flight comes back at once, unless its step is a system call that waits for the others. */
static bool is_patient(const struct tracer *tr)
{
	return !tr->current || tr->current->insn != TRACEE_SYSCALL ||
	       !threads_has_ready(&tr->threads);
}

/* Until all are dead (false) or the budget is spent (true). */
static bool turn(struct tracer *tr)
{
	for (;;) {
		int status;
		pid_t tid;

		if (tr->is_metered && tr->is_look_due)
			look_at_meter(tr);
		if (!tr->is_stepping)
			resume_natively(tr);
		else if (!tr->current && !send_next(tr))
			return true;
		tid = tracer_wait(tr->page, is_patient(tr), &status);
		if (tid == 0)
			tr->current = NULL;
		else if (tid == -EINTR)
			tr->is_look_due = true;
		else if (tid == -ECHILD)
			return false;
		else if (tid > 0)
			hear(tr, tid, status);
	}
}

/* ---- beginning and end ---- */

/* Everything dies; children born meanwhile come to us as well. */
static void kill_all(struct tracer *tr)
{
	int status;
	pid_t tid;

	for (struct thread *t = tr->threads.first; t; t = t->next)
		(void)kill(t->tid, SIGKILL);
	while ((tid = tracer_wait(tr->page, true, &status)) > 0 || tid == -EINTR)
		if (tid > 0 && WIFSTOPPED(status))
			(void)kill(tid, SIGKILL);
}

static void note_where(struct tracer_page *page, const struct thread *t)
{
	(void)tracee_where(t->tid, t->pc, page->where_module, &page->where_offset);
}

static void stop_at_budget(struct tracer *tr)
{
	if (tr->threads.last)
		note_where(tr->page, tr->threads.last);
	tr->page->is_stopped = true;
	kill_all(tr);
}

static void open_gate(struct warden_area *area, int error)
{
	area->gate_error = error;
	area->gate = error ? WARDEN_GATE_REFUSED : WARDEN_GATE_OPEN;
	(void)sys_futex_wake(&area->gate);
}

/* The child waits at the gate; from here to exec it runs as it would. */
static int take_hold(struct tracer *tr)
{
	struct warden_area *area = tr->order->area;
	struct thread *t;

	while (area->gate == WARDEN_GATE_SHUT)
		(void)sys_futex_wait(&area->gate, WARDEN_GATE_SHUT);
	t = threads_add(&tr->threads, area->gated);
	if (!t)
		return -ENOMEM;
	return ptrace(PTRACE_SEIZE, area->gated, NULL, OPTIONS) < 0 ? -errno : 0;
}

/* Nothing of the launcher's stays with us: a pipe held open here would never end for its reader. */
static void stand_alone(const struct tracer_order *order)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != order->launcher)
		_exit(1);
	(void)prctl(PR_SET_NAME, "stile-tracer");
	(void)sys_close_range(3, ~0u);
}

void tracer_live(const struct tracer_order *order)
{
	struct tracer tr = { .order = order, .page = order->page, .meter.source = order->perf };
	int r;

	stand_alone(order);
	tracer_wait_hear_timer();
	r = take_hold(&tr);
	tr.page->error = -r;
	tr.page->is_armed = r == 0;
	open_gate(order->area, -r);
	if (r < 0)
		_exit(1);
	if (turn(&tr))
		stop_at_budget(&tr);
	tr.page->count = tr.is_metered ? tr.meter.gone : tr.count;
	tr.page->is_finished = true;
	_exit(0);
}
