/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who holds which limit of a run: control group, rlimit, or watch. Chosen before it starts. */
#pragma once

#include "launcher/memory_need.h"
#include "launcher/result.h"
#include "launcher/session.h"
#include "launcher/watch.h"

/* Makes the groups that the session's own limits call for, and moves the warden in while it still
 * builds its walls: that hides the kernel's waiting. Nothing fails here; what is missing is found again. */
void limiters_foresee(struct session *s, pid_t warden);

/* All groups this host gives, for a caller who requires them. 0, or -errno with layers.cgroup.why. */
int limiters_require_cgroup(struct session *s);

/* Chooses for a run with the result's limits, writes them where they are not rlimits, fills the
 * warden's request and the result's limiter names, layers and warnings. 0 or -errno. */
int limiters_choose(struct session *s, enum memory_need need, struct limiters *l,
		    struct result *r);

/* Besides, the run ends once it has used so much processor time. */
void limiters_watch_cpu(const struct session *s, uint64_t cpu_ms, struct watch *w);

/* The first limit too small for any program to start: tells it in the result as a refusal. */
bool limiters_refuse_too_small(struct result *r);
