/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The warden: one process a session, forked from the launcher, that stands inside the walls
 * (namespaces, mounts, Landlock) and starts every program of the session from there, so
 * that the walls are built once. It stays outside the programs' pid namespace: they can neither see nor
 * signal it, and it takes their exit status by wait.
 *
 * Launcher and warden share one memory area: requests and failures pass through it, and a socket
 * wakes the other side. A program never has it: it is gone with exec.
 */
#pragma once

#include "backends/layers.h"
#include "backends/notify.h"
#include "backends/placeholder.h"
#include "backends/room.h"
#include "backends/seccomp.h"
#include "policy/limits.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#define WARDEN_AREA_BYTES (6u << 20) /* ARG_MAX of 2 MiB, environment, pointers */
#define WARDEN_STEP_MAX 64
#define WARDEN_FDS 4
#define WARDEN_LAW_MAX 4096 /* BPF_MAXINSNS: the kernel takes no longer filter */

struct warden_area {
	/* written by the warden while it builds the walls, read by the launcher at "ready" */
	struct layers layers;
	char step[WARDEN_STEP_MAX]; /* what failed; "" = nothing */
	int error;                  /* its errno */

	/* one request */
	struct limits limits;
	int memory_rlimit;          /* RLIMIT_AS, RLIMIT_DATA, or -1 = limited elsewhere */
	bool processes_rlimit;      /* RLIMIT_NPROC is the limiter */
	bool dies_first;            /* the warden shares the group: it must be the last to be killed */
	_Atomic uint32_t gate;      /* enum warden_gate, a futex */
	pid_t gated, gatekeeper;    /* the child at it; who opens it */
	int gate_error;
	uint32_t program, cwd;      /* offsets of texts in data */
	uint32_t argv, envp;        /* offsets of char *[], pointers into this area, NULL-ended */
	uint32_t used;
	bool tell_opens;            /* the listener hears of opens too */

	/* one answer */
	int32_t inside;             /* the program's number in its own pid namespace */
	int child_error;            /* errno of a step between fork and exec, 0 = exec happened */
	char child_step[WARDEN_STEP_MAX];
	int wait_status;
	int notify_error;           /* errno of the kernel that gave no listener; it stays: asked once */
	int leftover;               /* -errno: something stayed in a private place */
	uint64_t private_bytes, private_inodes; /* in /tmp and /dev/shm, as last measured */
	uint64_t cpu_us, max_rss_kb, switches_voluntary, switches_forced;

	struct notify_parcel parcel; /* the child's, on its way */

	/* the filter of every program: written by the launcher while the walls are built */
	struct seccomp_program law; /* its rows are those below; none = there are no walls */
	struct sock_filter law_rows[WARDEN_LAW_MAX];

	char data[];
};

/* Where a counter outside the program has to hold it from its first instruction on, the child stops at
 * this gate, just before its filter and exec. */
enum warden_gate {
	WARDEN_GATE_OPEN,    /* nobody counts from outside */
	WARDEN_GATE_SHUT,    /* set by the launcher before the order */
	WARDEN_GATE_ARRIVED, /* by the child, once it waits; `gated` then is its number outside */
	WARDEN_GATE_REFUSED  /* by the counter: gate_error says why; the program is not started */
};

enum warden_message { WARDEN_RUN = 'r', WARDEN_KILL = 'k', WARDEN_SIGNAL = 's' /* +1 byte */, WARDEN_MEASURE = 'm' };
enum warden_answer { WARDEN_READY = 'R', WARDEN_LISTENER = 'L', WARDEN_STARTED = 'S', WARDEN_ENDED = 'E', WARDEN_FAILED = 'F' };

struct warden_plan {
	const struct policy *policy;
	const char *mount_point;  /* a folder of our own, over which the new root is built */
	const char *work;         /* the session's work/ folder, bound read-write */
	unsigned namespaces;      /* CLONE_NEW… bits to try */
	bool walls;               /* false = audit-only: limits only */
	int landlock_abi;         /* of the kernel, from landlock_abi() */
	bool tell;                /* programs' calls are told through a listener, where the kernel has one */
	/* Called in the launcher as soon as there is a warden, while it builds: the time to compile the
	 * filter and give it to warden_take_law(). NULL = nothing to do. */
	void (*started)(void *ctx, pid_t warden);
	void *ctx;
	const struct room_plan *room; /* the shim's; NULL = no shim */
	int keeper;               /* warden_start()'s own: the janitor's socket, -1 = none */
};

struct warden {
	pid_t pid;
	int socket;
	struct warden_area *area;
	struct placeholder_keeper keeper;
	int ring; /* the shim's, where the warden made the room; owned, -1 = none */
	int listener; /* came with WARDEN_LISTENER; whoever takes it closes it; -1 = none */
};

/* Forks the warden and waits until the walls stand. 0, or -errno with area->step/error telling which
 * step failed; then nothing is left running and *w can be freed by warden_stop(). */
int warden_start(struct warden *w, const struct warden_plan *plan);

/* Every program from the next on starts under this filter, which is copied; behind walls none starts
 * without. 0, or -E2BIG. */
int warden_take_law(struct warden *w, const struct seccomp_program *law);

/* Ends the session's processes and the warden; frees. Idempotent. */
void warden_stop(struct warden *w);

/* Request building: area->used must be 0 at first. Offsets, or 0 when the area is full. */
uint32_t warden_put_text(struct warden_area *area, const char *text);
uint32_t warden_put_list(struct warden_area *area, char *const *list);

/* Starts the request in the area with these as descriptors 0, 1, 2, born in the control group behind
 * the fourth (-1 = the warden's own). 0 or -errno. */
int warden_run(struct warden *w, const int fds[WARDEN_FDS]);
int warden_kill(struct warden *w);
int warden_signal(struct warden *w, int signal);
/* Asks what the session's private places hold; the answer comes into the area, some time. */
int warden_measure(struct warden *w);

/* Reads one answer (blocking); *pid of the program with WARDEN_STARTED, w->listener with WARDEN_LISTENER (from the
 * program's child, before WARDEN_STARTED). Answer or -errno; -EPIPE: it died. */
int warden_read(struct warden *w, pid_t *pid);
