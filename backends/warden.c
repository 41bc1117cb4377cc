/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The launcher's end of the warden: forks it, speaks with it, ends it.
 */
#include "backends/warden.h"

#include "backends/cleanup.h"
#include "backends/warden_inside.h"
#include "backends/wire.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

static struct warden_area *map_area(void)
{
	void *area = mmap(NULL, WARDEN_AREA_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return area == MAP_FAILED ? NULL : area;
}

/* The first answer, which may bring the shim's ring. */
static int read_first(struct warden *w)
{
	char what[8];
	int n = wire_receive(w->socket, what, sizeof(what), &w->ring, 1);

	return n < 0 ? n : what[0];
}

static int wait_ready(struct warden *w)
{
	int what = read_first(w);

	if (what == WARDEN_READY)
		return 0;
	if (what == WARDEN_FAILED)
		return w->area->error ? -w->area->error : -EIO;
	return what < 0 ? what : -EPROTO;
}

/* What is missing on the host can only be held where mounts are. */
static int start_janitor(struct warden *w, struct warden_plan *plan)
{
	int r = 0;

	w->keeper = (struct placeholder_keeper){ .pid = 0, .socket = -1 };
	if (plan->walls && (plan->namespaces & CLONE_NEWNS))
		r = placeholder_start(&w->keeper, plan->policy);
	plan->keeper = w->keeper.socket;
	if (r < 0)
		snprintf(w->area->step, sizeof(w->area->step), "janitor");
	return r;
}

int warden_start(struct warden *w, const struct warden_plan *wished)
{
	struct warden_plan own = *wished, *plan = &own;
	pid_t launcher = getpid();
	int ends[2];
	int r;

	*w = (struct warden){
		.pid = -1, .socket = -1, .ring = -1, .listener = -1, .area = map_area()
	};
	if (!w->area)
		return -ENOMEM;
	r = start_janitor(w, plan);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	w->socket = ends[0];
	w->pid = fork();
	if (w->pid == 0)
		warden_live(plan, w->area, ends[1], launcher);
	r = w->pid < 0 ? -errno : 0;
	(void)close(ends[1]);
	if (r == 0 && plan->started)
		plan->started(plan->ctx, w->pid);
	return r < 0 ? r : wait_ready(w);
}

int warden_take_law(struct warden *w, const struct seccomp_program *law)
{
	struct warden_area *area = w->area;

	if (law->program.len > WARDEN_LAW_MAX)
		return -E2BIG;
	memcpy(area->law_rows, law->program.filter, law->program.len * sizeof(*area->law_rows));
	area->law.program = (struct sock_fprog){ .len = law->program.len, .filter = area->law_rows };
	return 0;
}

void warden_stop(struct warden *w)
{
	if (w->socket >= 0)
		(void)close(w->socket);
	w->socket = -1;
	if (w->pid > 0)
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	w->pid = -1;
	cleanup_fd(&w->ring);
	w->ring = -1;
	cleanup_fd(&w->listener);
	w->listener = -1;
	placeholder_stop(&w->keeper);
	if (w->area)
		(void)munmap(w->area, WARDEN_AREA_BYTES);
	w->area = NULL;
}

/* Room for `size` bytes, aligned for pointers. */
static uint32_t reserve(struct warden_area *area, size_t size)
{
	size_t room = WARDEN_AREA_BYTES - sizeof(*area);
	size_t at = (area->used + 7u) & ~(size_t)7;

	if (at > room || size > room - at)
		return 0;
	area->used = (uint32_t)(at + size);
	return (uint32_t)(sizeof(*area) + at);
}

uint32_t warden_put_text(struct warden_area *area, const char *text)
{
	size_t size = strlen(text) + 1;
	uint32_t at = reserve(area, size);

	if (at)
		memcpy((char *)area + at, text, size);
	return at;
}

/* Launcher and warden have the area at the same address: the fork kept it. */
uint32_t warden_put_list(struct warden_area *area, char *const *list)
{
	size_t count = 0;
	uint32_t at;
	char **out;

	while (list[count])
		count++;
	at = reserve(area, (count + 1) * sizeof(*out));
	if (!at)
		return 0;
	out = (char **)(void *)((char *)area + at);
	for (size_t i = 0; i < count; i++) {
		uint32_t text = warden_put_text(area, list[i]);

		if (!text)
			return 0;
		out[i] = (char *)area + text;
	}
	out[count] = NULL;
	return at;
}

int warden_run(struct warden *w, const int fds[WARDEN_FDS])
{
	const char what[2] = { WARDEN_RUN, 0 };
	size_t count = fds[WARDEN_FDS - 1] < 0 ? WARDEN_FDS - 1 : WARDEN_FDS;

	return wire_send(w->socket, what, sizeof(what), fds, count);
}

static int send_word(struct warden *w, char what, char argument)
{
	const char word[2] = { what, argument };

	return send(w->socket, word, sizeof(word), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int warden_kill(struct warden *w)
{
	return send_word(w, WARDEN_KILL, 0);
}

int warden_signal(struct warden *w, int signal)
{
	return send_word(w, WARDEN_SIGNAL, (char)signal);
}

int warden_measure(struct warden *w)
{
	return send_word(w, WARDEN_MEASURE, 0);
}

int warden_read(struct warden *w, pid_t *pid)
{
	struct {
		char what;
		pid_t pid;
	} word = { 0 };
	_cleanup_fd_ int fd = -1;
	int n = wire_receive(w->socket, &word, sizeof(word), &fd, 1);

	if (n < 0)
		return n;
	if (word.what == WARDEN_LISTENER) {
		cleanup_fd(&w->listener);
		w->listener = take_fd(&fd);
	} else if (pid) {
		*pid = word.pid;
	}
	return word.what;
}
