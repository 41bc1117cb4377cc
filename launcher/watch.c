/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watching a run with one epoll loop: the output pipes, the deadline, the warden's answers, the
 * caller's signals. Nothing here blocks on the program or grows with what it does.
 *
 * Runs in the launcher. The end is what the warden says: the program is dead and so is all it
 * started; then the pipes hold what is left, and only that is drained.
 */
#include "launcher/watch.h"

#include "backends/cleanup.h"
#include "launcher/clock.h"
#include "launcher/disk.h"
#include "launcher/signals.h"
#include "launcher/stream.h"
#include "launcher/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

#define CHUNK 65536
#define TICK_MS 50
#define RECORDS_MS 4 /* a program that waits for us records some thousand calls meanwhile */
#define DRAIN_MS 5000
#define DISK_ENTRIES_A_TICK 4000
#define DISK_ENTRIES_AT_END 100000

enum source {
	SOURCE_OUT,
	SOURCE_ERR,
	SOURCE_IN,
	SOURCE_CLOCK,
	SOURCE_TICK,
	SOURCE_WARDEN,
	SOURCE_SIGNAL,
	SOURCE_MEMORY,
	SOURCE_NOTICE,
	SOURCE_RECORDS,
	SOURCE_OUT_READY, /* whoever reads our own output */
	SOURCE_ERR_READY,
	SOURCES
};

struct loop {
	struct watch *watch;
	int epoll;
	int fds[SOURCES];
	bool ended, told_to_end;
	unsigned interrupts;
	struct disk_watch disk;
	struct notices *notices;  /* once the listener came */
	struct stream streams[2]; /* of SOURCE_OUT and SOURCE_ERR */
	char chunk[CHUNK];
};

struct timers {
	int clock, ticker, records; /* -1 = none */
};

static int add(struct loop *loop, enum source source, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = source };

	loop->fds[source] = fd;
	if (fd < 0)
		return 0;
	return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void drop(struct loop *loop, enum source source)
{
	if (loop->fds[source] < 0)
		return;
	(void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, loop->fds[source], NULL);
	loop->fds[source] = -1;
}

static int arm_timer(int fd, uint64_t first_ms, uint64_t every_ms)
{
	struct itimerspec when = {
		.it_value = { (time_t)(first_ms / 1000), (long)(first_ms % 1000) * 1000000L },
		.it_interval = { (time_t)(every_ms / 1000), (long)(every_ms % 1000) * 1000000L },
	};

	if (first_ms == 0)
		when.it_value.tv_nsec = 1;
	return timerfd_settime(fd, 0, &when, NULL) < 0 ? -errno : 0;
}

static void end_run(struct loop *loop, enum watch_cause cause)
{
	if (loop->told_to_end)
		return;
	loop->told_to_end = true;
	loop->watch->cause = cause;
	if (loop->watch->limiters.cgroup)
		cgroup_kill(loop->watch->limiters.cgroup);
	(void)warden_kill(loop->watch->warden);
}

/* One chunk into a buffer of ours. */
static enum stream_state keep_output(struct loop *loop, enum source source)
{
	struct watch *w = loop->watch;
	uint64_t *bytes = source == SOURCE_OUT ? &w->stdout_bytes : &w->stderr_bytes;
	ssize_t n = read(loop->fds[source], loop->chunk, sizeof(loop->chunk));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return STREAM_EMPTY;
	if (n <= 0)
		return STREAM_END;
	*bytes += (uint64_t)n;
	(void)output_take(source == SOURCE_OUT ? w->keep_out : w->keep_err, loop->chunk, (size_t)n);
	return STREAM_MOVED;
}

static bool is_streamed(const struct loop *loop, enum source source)
{
	return !(source == SOURCE_OUT ? loop->watch->keep_out : loop->watch->keep_err);
}

/* The reader of our own output is not ready: listen to it instead of the program, until it is. */
static void wait_for_reader(struct loop *loop, enum source source)
{
	enum source ready = source == SOURCE_OUT ? SOURCE_OUT_READY : SOURCE_ERR_READY;
	struct epoll_event mute = { .events = 0, .data.u32 = source };

	if (add(loop, ready, loop->streams[source].target, EPOLLOUT) < 0)
		return;
	(void)epoll_ctl(loop->epoll, EPOLL_CTL_MOD, loop->fds[source], &mute);
}

static void reader_is_ready(struct loop *loop, enum source ready)
{
	enum source source = ready == SOURCE_OUT_READY ? SOURCE_OUT : SOURCE_ERR;
	struct epoll_event listen = { .events = EPOLLIN, .data.u32 = source };

	drop(loop, ready);
	if (loop->fds[source] >= 0)
		(void)epoll_ctl(loop->epoll, EPOLL_CTL_MOD, loop->fds[source], &listen);
}

/* At its end a pipe is closed at once: a program that goes on writing to a reader that is gone is to
 * hear of it as it would without us. */
static void end_output(struct loop *loop, enum source source)
{
	int *pipe = source == SOURCE_OUT ? &loop->watch->out : &loop->watch->err;

	drop(loop, source);
	(void)close(*pipe);
	*pipe = -1;
	if (loop->streams[source].error)
		loop->watch->output_error = loop->streams[source].error;
}

static void read_output(struct loop *loop, enum source source)
{
	enum stream_state state = is_streamed(loop, source) ?
					  stream_move(&loop->streams[source]) :
					  keep_output(loop, source);

	if (state == STREAM_FULL)
		wait_for_reader(loop, source);
	else if (state == STREAM_END)
		end_output(loop, source);
}

static void feed_input(struct loop *loop)
{
	struct watch *w = loop->watch;
	ssize_t n = write(w->in, w->in_text, w->in_size);

	if (n > 0) {
		w->in_text += n;
		w->in_size -= (size_t)n;
	}
	if (w->in_size && (n > 0 || errno == EAGAIN))
		return;
	drop(loop, SOURCE_IN);
	(void)close(w->in);
	w->in = -1;
}

static void look_at_tree(struct loop *loop)
{
	const struct limiters *l = &loop->watch->limiters;
	const struct limits *limits = &loop->watch->limits;
	struct warden *warden = loop->watch->warden;
	struct tree_use use;

	tree_measure(warden->pid, l->house, &use);
	/* Files in the private places are memory too, but what is mapped of them is resident already:
	 * each by itself is held to the limit. */
	if (l->watch_memory)
		(void)warden_measure(warden);
	if (l->watch_memory && (use.resident_kb > limits->memory_bytes / 1024 ||
				warden->area->private_bytes > limits->memory_bytes))
		end_run(loop, WATCH_MEMORY);
	else if (l->watch_processes && use.threads > limits->processes)
		end_run(loop, WATCH_PROCESSES);
	else if (l->watch_cpu && use.cpu_ms >= limits->cpu_ms)
		end_run(loop, WATCH_CPU);
}

static bool is_cpu_in_group(const struct limiters *l)
{
	return l->watch_cpu && l->cgroup && cgroup_has(l->cgroup, CGROUP_CPU);
}

/* The warden tells what the private places hold; what it answered to the last tick's question counts. */
static void look_at_disk(struct loop *loop, unsigned entries)
{
	const struct limits *limits = &loop->watch->limits;
	const struct warden_area *area = loop->watch->warden->area;

	(void)warden_measure(loop->watch->warden);
	if (disk_watch_look(&loop->disk, entries, limits->disk_bytes, limits->inodes) ||
	    area->private_bytes > limits->disk_bytes || area->private_inodes > limits->inodes)
		end_run(loop, WATCH_DISK);
}

static void tick(struct loop *loop)
{
	const struct limiters *l = &loop->watch->limiters;
	uint64_t expirations;

	(void)!read(loop->fds[SOURCE_TICK], &expirations, sizeof(expirations));
	if (is_cpu_in_group(l) && cgroup_cpu_us(l->cgroup) / 1000 >= loop->watch->limits.cpu_ms)
		end_run(loop, WATCH_CPU);
	if (l->watch_memory || l->watch_processes || (l->watch_cpu && !is_cpu_in_group(l)))
		look_at_tree(loop);
	if (l->watch_disk)
		look_at_disk(loop, DISK_ENTRIES_A_TICK);
}

/* What was written since the last tick counts as well. */
static void look_back(struct loop *loop)
{
	const struct limits *limits = &loop->watch->limits;

	if (!loop->watch->limiters.watch_disk)
		return;
	disk_watch_end(&loop->disk);
	if (loop->watch->cause == WATCH_EXITED &&
	    disk_watch_look(&loop->disk, DISK_ENTRIES_AT_END, limits->disk_bytes,
			    limits->inodes))
		loop->watch->cause = WATCH_DISK;
	disk_watch_end(&loop->disk);
}

static void take_records(struct loop *loop)
{
	uint64_t expirations;

	(void)!read(loop->fds[SOURCE_RECORDS], &expirations, sizeof(expirations));
	loop->watch->drain(loop->watch->drain_ctx);
}

static bool needs_ticks(const struct limiters *l)
{
	return l->watch_memory || l->watch_processes || l->watch_cpu || l->watch_disk;
}

/* The program goes on without: what it is to ask about is then refused (ENOSYS), never allowed. */
static void begin_notices(struct loop *loop)
{
	struct watch *w = loop->watch;

	notices_end(loop->notices);
	loop->notices = notices_begin(&w->ground, take_fd(&w->warden->listener));
	if (!loop->notices || add(loop, SOURCE_NOTICE, notices_fd(loop->notices), EPOLLIN) < 0)
		end_run(loop, WATCH_BROKEN);
}

/* One at a turn: a program that calls without end keeps neither the clock nor the pipes waiting. */
static void hear_notice(struct loop *loop)
{
	if (!notices_serve(loop->notices))
		drop(loop, SOURCE_NOTICE);
}

static void hear_warden(struct loop *loop)
{
	int what = warden_read(loop->watch->warden, &loop->watch->program);

	if (what == WARDEN_LISTENER)
		begin_notices(loop);
	if (what == WARDEN_STARTED || what == WARDEN_LISTENER)
		return;
	if (what != WARDEN_ENDED)
		loop->watch->cause = WATCH_BROKEN;
	loop->ended = true;
}

/* Stopped from the terminal: the program stops, then we do, and both go on together. */
static void stop_together(struct loop *loop)
{
	(void)warden_signal(loop->watch->warden, SIGSTOP);
	(void)raise(SIGSTOP);
	(void)warden_signal(loop->watch->warden, SIGCONT);
}

/* A terminal's signals go to the program; the second wish to end ends the run whatever it does. */
static void hear_signal(struct loop *loop)
{
	int signal = signals_next(loop->fds[SOURCE_SIGNAL]);

	loop->interrupts += signals_ends(signal) ? 1 : 0;
	if (signal == SIGNAL_PARENT_GONE || loop->interrupts >= 2)
		end_run(loop, WATCH_SIGNAL);
	else if (signal == SIGTSTP)
		stop_together(loop);
	else if (signal && signal != SIGCONT)
		(void)warden_signal(loop->watch->warden, signal);
}

static void handle(struct loop *loop, enum source source)
{
	switch (source) {
	case SOURCE_OUT:
	case SOURCE_ERR:
		read_output(loop, source);
		break;
	case SOURCE_OUT_READY:
	case SOURCE_ERR_READY:
		reader_is_ready(loop, source);
		break;
	case SOURCE_IN:
		feed_input(loop);
		break;
	case SOURCE_CLOCK:
		end_run(loop, WATCH_WALL);
		drop(loop, SOURCE_CLOCK);
		break;
	case SOURCE_TICK:
		tick(loop);
		break;
	case SOURCE_WARDEN:
		hear_warden(loop);
		break;
	case SOURCE_SIGNAL:
		hear_signal(loop);
		break;
	case SOURCE_NOTICE:
		hear_notice(loop);
		break;
	case SOURCE_RECORDS:
		take_records(loop);
		break;
	case SOURCE_MEMORY:
		end_run(loop, WATCH_MEMORY);
		drop(loop, SOURCE_MEMORY);
		break;
	case SOURCES:
		break;
	}
}

/* A timer of this source, kept in *fd by the caller. */
static int start_timer(struct loop *loop, enum source source, int *fd, uint64_t first_ms,
		       uint64_t every_ms)
{
	int r;

	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	r = *fd < 0 ? -errno : arm_timer(*fd, first_ms, every_ms);
	return r < 0 ? r : add(loop, source, *fd, EPOLLIN);
}

static int add_timers(struct loop *loop, struct timers *t)
{
	struct watch *w = loop->watch;
	int r = 0;

	if (w->limits.wall_ms != LIMIT_NONE)
		r = start_timer(loop, SOURCE_CLOCK, &t->clock, w->limits.wall_ms, 0);
	if (r == 0 && needs_ticks(&w->limiters))
		r = start_timer(loop, SOURCE_TICK, &t->ticker, TICK_MS, TICK_MS);
	if (r == 0 && w->drain)
		r = start_timer(loop, SOURCE_RECORDS, &t->records, RECORDS_MS, RECORDS_MS);
	return r;
}

static void close_timers(struct timers *t)
{
	cleanup_fd(&t->clock);
	cleanup_fd(&t->ticker);
	cleanup_fd(&t->records);
}

static void turn(struct loop *loop)
{
	while (!loop->ended) {
		struct epoll_event events[SOURCES];
		int n = epoll_wait(loop->epoll, events, SOURCES, -1);

		for (int i = 0; i < n; i++)
			if (loop->fds[events[i].data.u32] >= 0)
				handle(loop, (enum source)events[i].data.u32);
	}
}

/* Everything that could write is dead: what the pipes hold is all there will be, at most a pipe's size
 * each. A reader of ours that does not read gets the spec's five seconds. */
static void drain(struct loop *loop)
{
	for (int source = SOURCE_OUT; source <= SOURCE_ERR; source++) {
		if (loop->fds[source] >= 0 && is_streamed(loop, (enum source)source))
			stream_finish(&loop->streams[source], DRAIN_MS);
		else if (loop->fds[source] >= 0)
			while (keep_output(loop, (enum source)source) == STREAM_MOVED)
				;
	}
}

static int add_outputs(struct loop *loop)
{
	struct watch *w = loop->watch;
	int r = add(loop, SOURCE_OUT, w->out, EPOLLIN);

	if (is_streamed(loop, SOURCE_OUT))
		stream_init(&loop->streams[SOURCE_OUT], w->out, 1, w->raw, &w->stdout_bytes);
	if (is_streamed(loop, SOURCE_ERR))
		stream_init(&loop->streams[SOURCE_ERR], w->err, 2, w->raw, &w->stderr_bytes);
	if (r == 0)
		r = add(loop, SOURCE_ERR, w->err, EPOLLIN);
	if (r == 0 && w->in >= 0)
		r = add(loop, SOURCE_IN, w->in, EPOLLOUT);
	return r;
}

static int add_sources(struct loop *loop, struct timers *timers)
{
	struct watch *w = loop->watch;
	int r = add_outputs(loop);

	if (r == 0)
		r = add(loop, SOURCE_WARDEN, w->warden->socket, EPOLLIN);
	if (r == 0)
		r = add_timers(loop, timers);
	if (r == 0 && w->limiters.cgroup && w->limiters.cgroup->exhausted >= 0)
		r = add(loop, SOURCE_MEMORY, w->limiters.cgroup->exhausted, EPOLLIN);
	if (r == 0)
		r = add(loop, SOURCE_SIGNAL, w->signals, EPOLLIN);
	return r;
}

int watch_run(struct watch *w)
{
	/* Too large for the stack. */
	_cleanup_free_ struct loop *loop = calloc(1, sizeof(*loop));
	_cleanup_fd_ int epoll = epoll_create1(EPOLL_CLOEXEC);
	__attribute__((cleanup(close_timers))) struct timers timers = { -1, -1, -1 };
	uint64_t begin = clock_us();
	int r;

	w->cause = WATCH_BROKEN;
	if (!loop || epoll < 0)
		return -ENOMEM;
	loop->watch = w;
	loop->epoll = epoll;
	loop->streams[SOURCE_OUT].terminal = loop->streams[SOURCE_ERR].terminal = -1;
	for (int i = 0; i < SOURCES; i++)
		loop->fds[i] = -1;
	disk_watch_begin(&loop->disk, w->limiters.work);
	w->cause = WATCH_EXITED;
	r = add_sources(loop, &timers);
	if (r < 0)
		end_run(loop, WATCH_BROKEN);
	turn(loop);
	notices_end(loop->notices);
	w->duration_us = clock_us() - begin;
	look_back(loop);
	drain(loop);
	stream_free(&loop->streams[SOURCE_OUT]);
	stream_free(&loop->streams[SOURCE_ERR]);
	return r;
}
