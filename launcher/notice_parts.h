/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the notices share; nobody else includes it. */
#pragma once

#include "backends/notify.h"
#include "backends/notify_calls.h"
#include "launcher/notices.h"

#include <limits.h>

struct notices {
	struct notices_ground ground;
	int listener;
	uint64_t begin_us;
	struct notice now;              /* the call that is held */
	const struct notify_call *call; /* its row; NULL = it has none */
	struct verdict_text text;
	char target[PATH_MAX + 64];
};

/* Each judges the held call by its kind, tells of a refusal, and returns 0: let the walls decide; or the errno
 * that it is to fail with. */
int notice_judge_network(struct notices *n);
int notice_judge_path(struct notices *n);
int notice_judge_exec(struct notices *n);
int notice_judge_signal(struct notices *n);

/* One path of the held call, as the program's own file system has it. */
struct notice_place {
	char path[PATH_MAX]; /* absolute, links followed as far as they lead */
	int fd;              /* O_PATH of what is there, -1 = nothing is */
	int folder;          /* … else of the folder in which nothing is, -1 = neither */
};

/* Reads text and folder from the arguments and looks the path up. 0, or -errno: nothing can be said of it. The
 * place is closed by notice_leave_place() in any case. */
int notice_find_place(const struct notices *n, const struct notify_path *where, bool is_link,
		      struct notice_place *out);
/* The same for a path that stands somewhere else, relative to the working directory. */
int notice_find_path(const struct notices *n, const char *text, bool is_link,
		     struct notice_place *out);
void notice_leave_place(struct notice_place *place);

/* Does it exist outside only: hidden from the program by its own root? */
bool notice_is_hidden(const struct notices *n, const struct notice_place *place);

/* May it be had? As the policy says, and as it is in the places of the run's own. The sentence stands in n->text. */
void notice_ask_path(struct notices *n, const struct notice_place *place, unsigned access,
		     struct verdict *out);

/* Is it in the folder of runs or in the shim's room, which the policy does not name? */
bool notice_is_session(const struct notices *n, const char *path);

/* The caller's process, as its own namespace numbers it; 0 = not known. */
int32_t notice_find_pid(const struct notices *n);

/* Adds a denial of the held call, if it is still held: else its caller may be another. */
void notice_tell(struct notices *n, enum layer layer, const struct verdict *verdict, int error);
