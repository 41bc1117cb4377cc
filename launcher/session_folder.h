/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The session folder: <tempdir>/pdlt-sandboxes/<sid>/ with owner.json and work/, its run folders,
 * and the sweep of dead ones. Runs in the launcher. Reads what it finds as hostile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct session_folder {
	char *path;     /* absolute, real; owned */
	char sid[64];
	int fd;         /* the session folder, O_PATH|O_DIRECTORY, CLOEXEC */
	int work_fd;    /* work/, O_RDONLY|O_DIRECTORY, CLOEXEC */
	unsigned runs;  /* run folders made so far */
	bool poisoned;  /* something in work/ could not be removed */
};

struct run_folder {
	char name[32];  /* run-NNNN-<6 hex> */
	char *path;     /* absolute; owned */
	int fd;         /* O_RDONLY|O_DIRECTORY, CLOEXEC */
};

struct folder_error { char text[512]; };

/* `label` may be NULL; cleaned to at most 16 of [a-z0-9-]. Sweeps first. 0 or -errno with err->text. */
int session_folder_open(struct session_folder *s, const char *label, const char *backend,
			struct folder_error *err);
void session_folder_close(struct session_folder *s); /* idempotent; empties and removes all */

int run_folder_make(struct session_folder *s, struct run_folder *r, struct folder_error *err);
/* Empties all of work/; what resists poisons the session. */
void run_folder_remove(struct session_folder *s, struct run_folder *r, struct folder_error *err);

/* Removes dead sessions; calls `tell` (may be NULL) once for each entry looked at. Count removed, or -errno. */
enum sweep_what { SWEEP_REMOVED, SWEEP_KEPT, SWEEP_FAILED };
int session_sweep(void (*tell)(void *ctx, const char *name, enum sweep_what, const char *why),
		  void *ctx, struct folder_error *err);

/* owner.json, read as hostile (at most 4096 bytes, every field checked). */
struct owner {
	pid_t pid;
	uid_t uid;
	unsigned long long start_time; /* field 22 of /proc/PID/stat */
	char boot_id[40], host[256], backend[32], created[40], handle[128];
};
int owner_parse(const char *text, size_t size, struct owner *out); /* 0, -EINVAL */
enum owner_fate { OWNER_ALIVE, OWNER_DEAD, OWNER_FOREIGN };
enum owner_fate owner_judge(const struct owner *o);
