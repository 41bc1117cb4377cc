/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The life of a run: preflight, run folder, start, watch, end, tell, empty.
 * Runs in the launcher; what must never happen: a run told as confined that was not.
 */
#include "launcher/run.h"

#include "backends/cleanup.h"
#include "backends/landlock.h"
#include "backends/root.h"
#include "launcher/ending.h"
#include "launcher/limiters.h"
#include "launcher/look.h"
#include "launcher/watch.h"
#include "shim/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

struct pipes {
	int out[2], err[2], in[2];
};

static void close_pipes(struct pipes *p)
{
	int *all[] = { &p->out[0], &p->out[1], &p->err[0], &p->err[1], &p->in[0], &p->in[1] };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		cleanup_fd(all[i]);
		*all[i] = -1;
	}
}

/* The last path that was followed: the preflight asks for argv[0] on two axes. */
struct followed {
	char path[PATH_MAX], real[PATH_MAX];
};

static int follow_link(void *ctx, const char *path, char *out, size_t size)
{
	struct followed *last = ctx;

	if (strcmp(path, last->path) != 0) {
		last->path[0] = 0;
		/* Most words are no files: one look, not one for each folder above. */
		if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !realpath(path, last->real))
			return -errno;
		if (strlen(path) < sizeof(last->path))
			memcpy(last->path, path, strlen(path) + 1);
	}
	return (size_t)snprintf(out, size, "%s", last->real) >= size ? -ENAMETOOLONG : 0;
}

static void set_id(struct result *r)
{
	unsigned char bytes[8];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(r->id + 2 * i, 3, "%02x", bytes[i]);
}

/* Walls that were not raised, because nothing was to be started, are not missing. */
static void tell_session(const struct session *s, struct result *r)
{
	struct layer_state none = { .why = "nothing was started" };
	struct layers *layers = &r->layers;

	*layers = s->layers;
	if (s->has_folder)
		snprintf(r->session, sizeof(r->session), "%s", s->folder.sid);
	r->shim = s->shim ? shim_use_cover(s->shim) : NULL;
	r->observed = shim_use_observed(s->shim);
	if (s->is_raised)
		return;
	layers->landlock = layers->seccomp = layers->cgroup = layers->rlimit = none;
	layers->shim = none;
	for (int i = 0; i < NS_COUNT; i++)
		layers->namespaces[i] = none;
}

static void begin_result(const struct session *s, const struct run_request *q,
			 struct captured *captured, struct result *r)
{
	*r = (struct result){
		.profile = s->policy->profile,
		.backend = sandbox_mode_name(s->mode),
		.argv = q->argv,
		.limits = q->limits,
		.duration_us = RESULT_UNKNOWN,
		.cpu_us = RESULT_UNKNOWN,
		.max_rss_kb = RESULT_UNKNOWN,
		.repairs_limit = q->limits.repairs,
	};
	step_count_clear(&r->steps);
	set_id(r);
	r->denials = s->denials;
	denials_clear(s->denials);
	shim_use_forget(s->shim);
	tell_session(s, r);
	if (s->mode == SANDBOX_AUDIT_ONLY)
		r->warnings[r->warning_count++] =
			"--sandbox audit-only: no kernel isolation, shim and limits only";
	if (q->stream)
		return;
	output_init(&captured->out, q->limits.output_bytes);
	output_init(&captured->err, q->limits.output_bytes);
	r->out = &captured->out;
	r->err = &captured->err;
}

void run_refuse(const struct session *s, const struct run_request *q, const struct verdict *why,
		struct captured *captured, struct result *r)
{
	begin_result(s, q, captured, r);
	ending_denied(r, why);
}

/* The caller's standard input. A terminal is opened anew, for reading only: through his descriptor the
 * program could write to it, past what is made visible. */
static int take_stdin(int fd)
{
	char path[32];
	int again = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (isatty(fd))
		again = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	return again >= 0 ? again : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static int make_pipes(struct pipes *p, const struct run_request *q)
{
	if (pipe2(p->out, O_CLOEXEC) < 0 || pipe2(p->err, O_CLOEXEC) < 0)
		return -errno;
	if (q->stdin_text && pipe2(p->in, O_CLOEXEC) < 0)
		return -errno;
	if (!q->stdin_text && q->stdin_fd >= 0)
		p->in[0] = take_stdin(q->stdin_fd);
	else if (!q->stdin_text)
		p->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (p->in[0] < 0)
		return -errno;
	(void)fcntl(p->out[0], F_SETFL, O_NONBLOCK);
	(void)fcntl(p->err[0], F_SETFL, O_NONBLOCK);
	if (p->in[1] >= 0)
		(void)fcntl(p->in[1], F_SETFL, O_NONBLOCK);
	return 0;
}

/* A UNIX socket's address holds 108 bytes, and multiprocessing alone puts 32 behind TMPDIR. */
#define TEMPORARY_MAX 75

static bool has_private_tmp(const struct session *s)
{
	for (size_t i = 0; i < s->policy->path_count; i++)
		if (strcmp(s->policy->paths[i].path, "/tmp") == 0)
			return s->layers.namespaces[NS_MOUNT].enforced &&
			       root_is_private_place(&s->policy->paths[i]);
	return false;
}

/* Where TMPDIR points: the run folder's tmp/, or the private /tmp where that name is too long. */
static void name_temporary(const struct session *s, const struct run_folder *folder, char *out,
			   size_t size)
{
	if (strlen(folder->path) + 4 > TEMPORARY_MAX && has_private_tmp(s))
		snprintf(out, size, "/tmp");
	else
		snprintf(out, size, "%s/tmp", folder->path);
}

/* The environment of the run: what the caller chose, and where its own folders are. */
static char **run_environment(const struct session *s, const struct run_request *q, char *const *given,
			      const struct run_folder *folder, char store[4][PATH_MAX + 16])
{
	char temporary[PATH_MAX];
	static const char *const names[] = { "TMPDIR", "TMP", "TEMP", "HOME" };
	size_t count = 0, own = q->home_is_run_folder ? 4 : 3, used = 0;
	char **env;

	while (given[count])
		count++;
	env = calloc(count + 5, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		bool replaced = false;

		for (size_t k = 0; k < own; k++) {
			size_t length = strlen(names[k]);

			replaced |= !strncmp(given[i], names[k], length) &&
				    given[i][length] == '=';
		}
		if (!replaced)
			env[used++] = given[i];
	}
	name_temporary(s, folder, temporary, sizeof(temporary));
	for (size_t k = 0; k < own; k++) {
		snprintf(store[k], PATH_MAX + 16, "%s=%s", names[k],
			 k < 3 ? temporary : folder->path);
		env[used++] = store[k];
	}
	return env;
}

enum sight { SIGHT_UNKNOWN, SIGHT_STATIC, SIGHT_STATIC_FOREIGN };

/* The shim is blind to static programs: nobody but the listener sees what they open. */
static enum sight look_for_sight(const char *program)
{
	struct look_facts facts;

	if (look_at(program, &facts) < 0 || !facts.is_elf || !facts.is_static)
		return SIGHT_UNKNOWN;
	return facts.is_foreign || facts.bits != 8 * sizeof(void *) ? SIGHT_STATIC_FOREIGN :
								      SIGHT_STATIC;
}

static int fill_area(struct session *s, const struct run_request *q, const struct step_start *start,
		     const struct run_folder *folder)
{
	char store[4][PATH_MAX + 16];
	_cleanup_free_ char **own = run_environment(s, q, start->env, folder, store);
	_cleanup_free_ char **env = own ? shim_use_environment(s->shim, own) : NULL;
	struct warden_area *area = s->warden.area;

	if (!env)
		return -ENOMEM;
	area->used = 0;
	area->program = warden_put_text(area, start->program);
	area->cwd = warden_put_text(area, q->cwd ? q->cwd : folder->path);
	area->argv = warden_put_list(area, start->argv);
	area->envp = warden_put_list(area, env);
	return area->program && area->cwd && area->argv && area->envp ? 0 : -E2BIG;
}

static int write_code(const struct run_request *q, const struct run_folder *folder)
{
	_cleanup_fd_ int fd = -1;
	const char *at = q->code_text;
	size_t left = q->code_size;

	if (!q->code_name)
		return 0;
	fd = openat(folder->fd, q->code_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	while (left) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			at += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

static struct notices_ground notices_ground(const struct session *s, const char *work, const char *room)
{
	const struct layers *layers = &s->layers;

	return (struct notices_ground){
		.block = s->block,
		.law = &s->seccomp.program,
		.work = work,
		.room = room,
		.warden = s->warden.pid,
		.has_own_root = layers->namespaces[NS_MOUNT].enforced,
		.has_own_pids = layers->namespaces[NS_PID].enforced,
		.scopes_signals = layers->landlock_abi >= LANDLOCK_ABI_SIGNALS,
		.denials = s->denials,
	};
}

/* What the kernel said when it was asked for a listener, if it was. */
static void note_notify(struct session *s, struct result *r)
{
	struct layer_state *notify = &s->layers.notify;
	int error = s->warden.area->notify_error;

	if (s->mode == SANDBOX_AUDIT_ONLY)
		snprintf(notify->why, sizeof(notify->why), "audit-only");
	else if (error)
		snprintf(notify->why, sizeof(notify->why), "%s%s", strerror(error),
			 error == EBUSY ? ": a filter around stile has the one listener there can be" :
					  "");
	notify->enforced = !notify->why[0];
	r->layers.notify = *notify;
}

static int start_and_watch(struct session *s, const struct run_request *q, struct pipes *p,
			   struct watch *w)
{
	int fds[WARDEN_FDS] = { p->in[0], p->out[1], p->err[1],
				w->limiters.cgroup ? cgroup_birthplace(w->limiters.cgroup) : -1 };
	char work[PATH_MAX], room[PATH_MAX];
	int r;

	snprintf(work, sizeof(work), "%s/work", s->folder.path);
	snprintf(room, sizeof(room), "%s/room", s->folder.path);
	w->ground = notices_ground(s, work, s->layers.namespaces[NS_MOUNT].enforced ? RING_ROOM : room);
	r = warden_run(&s->warden, fds);
	if (r < 0)
		return r;
	for (int i = 0; i < 3; i++)
		(void)close(fds[i]);
	p->in[0] = p->out[1] = p->err[1] = -1;
	w->in = p->in[1];
	p->in[1] = -1;
	w->in_text = q->stdin_text;
	w->in_size = q->stdin_size;
	return watch_run(w);
}

static int run_in_folder(struct session *s, const struct run_request *q, const char *program,
			 struct steps *steps, struct captured *captured, struct run_folder *folder,
			 struct result *r)
{
	struct step_start start = {
		.program = program, .argv = q->argv, .env = q->env, .folder = folder->path
	};
	struct pipes p = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	struct watch w = { .warden = &s->warden,
			   .signals = s->signals,
			   .raw = q->raw,
			   .out = -1,
			   .err = -1,
			   .keep_out = r->out,
			   .keep_err = r->err,
			   .in = -1,
			   .limits = q->limits,
			   .drain = s->shim && shim_use_records(s->shim) ? shim_use_drain : NULL,
			   .drain_ctx = s->shim };
	enum memory_need need = MEMORY_PLAIN;
	enum sight sight = SIGHT_UNKNOWN;
	int e = write_code(q, folder);

	if (e == 0)
		e = make_pipes(&p, q);
	if (e == 0)
		e = steps_prepare(steps, &start);
	if (e == 0)
		e = shim_use_begin(s->shim);
	if (e == 0) {
		sight = look_for_sight(start.program);
		s->warden.area->tell_opens = q->tell_opens || sight != SIGHT_UNKNOWN;
		e = fill_area(s, q, &start, folder);
	}
	if (e == 0 && q->limits.memory_bytes != LIMIT_NONE)
		need = steps->needs_space ? MEMORY_MAPS : memory_need_of(program);
	if (e == 0)
		e = limiters_choose(s, need, &w.limiters, r);
	if (e == 0 && steps->cpu_ms)
		limiters_watch_cpu(s, steps->cpu_ms, &w);
	if (e == 0) {
		w.out = p.out[0];
		w.err = p.err[0];
		p.out[0] = p.err[0] = -1;
		e = steps_arm(steps);
	}
	if (e == 0)
		e = start_and_watch(s, q, &p, &w);
	note_notify(s, r);
	if (e == 0 && !s->warden.area->child_error)
		shim_use_end(s->shim, s->denials,
			     &(struct shim_run){ .program = program,
						 .cwd = q->cwd ? q->cwd : folder->path,
						 .inside = s->warden.area->inside,
						 .is_static = sight == SIGHT_STATIC &&
							      start.program == program });
	steps_end(steps);
	if (r->steps.warning && r->warning_count < RESULT_WARNINGS_MAX)
		r->warnings[r->warning_count++] = r->steps.warning;
	cleanup_fd(&w.in);
	cleanup_fd(&w.out);
	cleanup_fd(&w.err);
	close_pipes(&p);
	if (e < 0)
		ending_error(r, "starting the program", -e);
	else if (w.cause != WATCH_BROKEN && s->warden.area->child_error)
		ending_not_started(s, program, r);
	else
		ending_ended(s, &w, captured, r);
	return e;
}

static void ask_preflight(const struct session *s, const struct run_request *q,
			  struct verdict_text *text, struct verdict *verdict)
{
	char here[PATH_MAX];
	struct followed last;
	struct preflight ask = {
		.argv = q->argv,
		.cwd = q->cwd ? q->cwd : getcwd(here, sizeof(here)) ? here : "/",
		.home = getenv("HOME"),
		.follow = follow_link,
		.ctx = &last,
	};

	last.path[0] = 0;
	policy_preflight(s->block, &ask, text, verdict);
}

static int find_program(const struct session *s, const struct run_request *q, char *out,
			size_t size)
{
	struct look_for what = { .name = q->argv[0],
				 .cwd = q->cwd,
				 .env = q->env,
				 .block = s->mode == SANDBOX_AUDIT_ONLY ? NULL : s->block };

	if (!q->program)
		return look_find_program(&what, out, size);
	snprintf(out, size, "%s", q->program);
	return 0;
}

static void refuse_program(const struct run_request *q, const char *found, int e,
			   struct verdict_text *text, struct verdict *verdict)
{
	if (e == -EACCES) {
		snprintf(text->reason, sizeof(text->reason),
			 "executable '%.2000s' is outside every executable root", found);
		snprintf(text->fix, sizeof(text->fix), "--exec %.2000s", found);
	} else if (e == -ENOEXEC) {
		look_explain_exec(found, EACCES, text->reason, sizeof(text->reason));
		text->fix[0] = 0;
	} else {
		snprintf(text->reason, sizeof(text->reason), "executable not found: '%.2000s'",
			 q->argv[0]);
		text->fix[0] = 0;
	}
	*verdict = (struct verdict){ .action = ACTION_DENY,
				     .axis = AXIS_EXECUTABLE,
				     .layer = LAYER_PREFLIGHT,
				     .reason = text->reason,
				     .fix = text->fix };
}

void run_preflight(const struct session *s, const struct run_request *q, char *program, size_t size,
		   struct verdict_text *text, struct verdict *verdict)
{
	int e;

	*verdict = (struct verdict){ .action = ACTION_ALLOW, .reason = "", .fix = "" };
	program[0] = 0;
	if (q->preflight || !q->argv[0])
		ask_preflight(s, q, text, verdict);
	if (verdict->action == ACTION_DENY)
		return;
	e = find_program(s, q, program, size);
	if (e < 0)
		refuse_program(q, program, e, text, verdict);
}

static bool requires_shim(const struct session *s)
{
	for (size_t i = 0; i < s->policy->require.count; i++)
		if (strcmp(s->policy->require.item[i], "shim") == 0)
			return true;
	return false;
}

int run_once(struct session *s, const struct run_request *q, struct captured *captured,
	     struct result *r)
{
	_cleanup_free_ struct verdict_text *text = calloc(1, sizeof(*text));
	struct steps steps = { .session = s, .count = &r->steps };
	struct folder_error error = { "" };
	struct run_folder folder;
	struct verdict verdict;
	char program[PATH_MAX];
	int e;

	begin_result(s, q, captured, r);
	if (!text)
		return -ENOMEM;
	run_preflight(s, q, program, sizeof(program), text, &verdict);
	if (verdict.action == ACTION_DENY) {
		ending_denied(r, &verdict);
		return 0;
	}
	e = session_raise(s);
	if (e < 0) {
		ending_error(r, "opening the session", -e);
		return e;
	}
	tell_session(s, r);
	if (s->unavailable[0]) {
		ending_unavailable(s->unavailable, r);
		return 0;
	}
	if (limiters_refuse_too_small(r)) {
		snprintf(text->reason, sizeof(text->reason), "%s", r->reason);
		snprintf(text->fix, sizeof(text->fix), "%s", r->fix);
		ending_refused(r, AXIS_RESOURCE, text->reason, text->fix);
		return 0;
	}
	if (requires_shim(s) && shim_use_check(s->shim, program, text->reason, 512) < 0) {
		ending_unavailable(text->reason, r);
		return 0;
	}
	if (steps_choose(&steps, &q->steps, program, &q->limits, text->reason, sizeof(text->reason)) < 0) {
		ending_unavailable(text->reason, r);
		return 0;
	}
	e = run_folder_make(&s->folder, &folder, &error);
	if (e < 0) {
		ending_error(r, error.text, -e);
		return e;
	}
	e = run_in_folder(s, q, program, &steps, captured, &folder, r);
	run_folder_remove(&s->folder, &folder, &error);
	if (s->folder.poisoned)
		snprintf(s->unavailable, sizeof(s->unavailable), "%s", error.text);
	return e;
}
