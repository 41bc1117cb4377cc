/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policy while it is being put together: profile, document, flags, in that order.
 *
 * This is the *loading* half: heap memory, launcher only. Once complete it is frozen into a
 * struct policy_block (block.h), and everything that decides works on that.
 */
#pragma once

#include "policy/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a path rule grants, or takes away. */
enum {
	PATH_READ = 1 << 0,
	PATH_WRITE = 1 << 1, /* implies create, remove, rename below it */
	PATH_EXEC = 1 << 2,
	PATH_DENY = 1 << 3,     /* nothing at all; the path looks absent or unusable */
	PATH_PROTECT = 1 << 4,  /* readable as its parent is, never writable, existing or not */
	PATH_OPTIONAL = 1 << 5, /* from a profile or written "path?": absent is no error */
	PATH_DENY_EXEC = 1 << 6 /* reserved for `exec: false` style rules */
};

struct string_list {
	char **item; /* owned, each owned */
	size_t count;
};

struct path_rule {
	char *path;      /* absolute, normalised, symlinks resolved at load; owned */
	char *written;   /* as the author wrote it; owned */
	unsigned rights; /* PATH_… bits */
	char *origin;    /* "profile tool", "policy.json:12", "--read"; owned */
	struct string_list links; /* that an author's grant went through, by their real places */
	unsigned plain;  /* where there are links: the rights that do not rest on them */
};

enum network_mode { NETWORK_NONE, NETWORK_HOST };
enum metachars_mode { METACHARS_ON, METACHARS_OFF };

struct policy {
	char *profile; /* "code" or "tool"; owned */
	char *root;    /* project root (tool), absolute; NULL = the run folder; owned */
	struct path_rule *paths;
	size_t path_count;
	void *index; /* of paths, by text; policy.c's own */
	enum network_mode network;
	bool processes; /* may create processes */
	bool load;      /* may load native code from outside the executable folders */
	bool shell;     /* --shell: metacharacters are the caller's wish */
	bool allow_hooks;
	enum metachars_mode metachars;
	struct string_list env_keep; /* names taken over from the caller */
	struct string_list env_set;  /* NAME=VALUE */
	struct string_list require;  /* layer names that must be enforced */
	struct string_list deny_argv0; /* basenames added to the denylist */
	struct limits limits;
};

struct policy *policy_new(void);
void policy_free(struct policy *p);

/*
 * Adds one path rule; `written` may be relative (to `base_dir`), use ~ and `..`.
 * A later rule for the same path adds rights to the earlier (DENY wins over all).
 * Returns 0 or -errno; -ENOENT when it does not exist and neither PATH_DENY,
 * PATH_PROTECT nor PATH_OPTIONAL is among `rights` (PATH_OPTIONAL + absent: no rule, 0).
 */
int policy_add_path(struct policy *p, const char *written, const char *base_dir,
		    unsigned rights, const char *origin);
int policy_add_string(struct string_list *list, const char *text);

/* Takes the profile's PATH_PROTECT rules out again (allow_hooks); a document's own stay. */
void policy_drop_hooks(struct policy *p);

/*
 * A grant may not go through a link that programs can replace, and give what no other rule gives: an
 * earlier run could have planted it. Call it when the policy is complete. Returns 0, or -EACCES with
 * one sentence in `why`, or -ENOMEM with `why` empty.
 */
int policy_check_links(const struct policy *p, char *why, size_t size);
