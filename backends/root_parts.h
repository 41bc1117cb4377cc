/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What root.c and root_guard.c share while a root is built. Nobody else includes this. */
#pragma once

#include "backends/root.h"
#include "backends/rule_tree.h"

#include <stdbool.h>
#include <stdint.h>

struct builder {
	const struct root_plan *plan;
	struct rule_tree tree;
	int new_root;       /* O_PATH of what becomes "/" */
	int blank;          /* O_PATH of a folder with the stand-ins, outside the new root */
	bool is_host_root;  /* the new root is the host's "/", granted by a rule */
	bool is_writable;   /* … and writable */
};

/* What stands for something the program may not have: unreadable; readable and empty; no file that could be
 * read and no folder (a socket); a folder with places for what is allowed again below it. */
enum stand_in { STAND_IN_DENIED, STAND_IN_EMPTY, STAND_IN_NOTHING, STAND_IN_REOPENED };

/* Opens a path of the new root itself, links not followed anywhere. Descriptor (O_PATH) or -errno. */
int root_open(const struct builder *b, const char *path);

/* Mounts a stand-in over what `target` is. REOPENED: a fresh folder, writable until root_seal(). */
int root_cover(const struct builder *b, int target, enum stand_in kind);

/* Mounts what `target` is over itself, so that it cannot be renamed or removed. */
int root_pin(int target, bool read_only);

/* Makes node `i`, which takes something away, hold. 0 or -errno. */
int root_guard(const struct builder *b, size_t i);

/* Where node `i` has less than the writable folder it is in: it cannot be moved away to make room for
 * another. 0 or -errno. */
int root_hold_parents(const struct builder *b, size_t i);
