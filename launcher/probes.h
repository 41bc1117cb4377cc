/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes: for each layer one small experiment in a forked child, which shows that the layer holds on
 * this host or which step fails.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define FINDING_TEXT_MAX 256

struct finding {
	bool enforced;
	int error;                   /* errno of the step that failed; 0 = none, see `text` */
	char step[64];               /* that step; "" = none failed */
	char text[FINDING_TEXT_MAX]; /* what was seen: the proof, or what stays open */
};

struct probe {
	const char *layer;
	const char *gives; /* what it is good for, for people */
	bool is_required;  /* by the native backend */
	/* In a forked child that ends after it; fills *f by the lines below, whose value it returns. */
	int (*act)(struct finding *f);
};
extern const struct probe probes[]; /* ends with layer = NULL */

/* Runs it in a child of the caller. Always fills *f. */
void probe_run(const struct probe *probe, struct finding *f);

/* The three ends of an act: this step failed with errno; it holds; it does not hold. */
int probe_fail(struct finding *f, const char *step);
int probe_prove(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int probe_disprove(struct finding *f, const char *text);

/* Acts of the other files. */
int probe_user(struct finding *f);
int probe_pid(struct finding *f);
int probe_ipc(struct finding *f);
int probe_uts(struct finding *f);
int probe_mount(struct finding *f);
int probe_network(struct finding *f);
int probe_nproc(struct finding *f);
int probe_cgroup_memory(struct finding *f);
int probe_cgroup_pids(struct finding *f);

/* Forks; in the child calls act(f) and ends. Returns the child's wait status, or -errno. */
int probe_in_child(int (*act)(struct finding *f), struct finding *f);
