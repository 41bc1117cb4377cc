/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policy while it is being put together: a growing list of path rules, each path resolved once,
 * here, against the world as it is at load. Runs in the launcher before anything is started; reads
 * the file system, changes nothing.
 *
 * What takes something away (deny, protect) may name what does not exist yet, and covers a symlink
 * under its own name as well as what it points to: the link could be replaced otherwise. What
 * grants names what is there.
 */
#include "policy/policy.h"

#include "policy/block.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define LINKS_MAX 40 /* as the kernel */
#define TAKES_AWAY (PATH_DENY | PATH_PROTECT)

struct index_entry {
	UT_hash_handle hh; /* the key is the rule's own text */
	size_t at;
};

struct policy *policy_new(void)
{
	struct policy *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->network = NETWORK_NONE;
	p->metachars = METACHARS_ON;
	p->limits = limits_default();
	return p;
}

static void list_free(struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->item[i]);
	free(list->item);
}

static void rule_free(struct path_rule *rule)
{
	free(rule->path);
	free(rule->written);
	free(rule->origin);
	list_free(&rule->links);
}

static void index_free(struct policy *p)
{
	struct index_entry *head = p->index, *entry, *next;

	HASH_ITER(hh, head, entry, next)
	{
		HASH_DEL(head, entry);
		free(entry);
	}
	p->index = NULL;
}

void policy_free(struct policy *p)
{
	if (!p)
		return;
	index_free(p);
	for (size_t i = 0; i < p->path_count; i++)
		rule_free(&p->paths[i]);
	free(p->paths);
	list_free(&p->env_keep);
	list_free(&p->env_set);
	list_free(&p->require);
	list_free(&p->deny_argv0);
	free(p->profile);
	free(p->root);
	free(p);
}

static int index_add(struct policy *p, size_t at)
{
	struct index_entry *head = p->index, *entry = calloc(1, sizeof(*entry));
	const char *path = p->paths[at].path;

	if (!entry)
		return -ENOMEM;
	entry->at = at;
	HASH_ADD_KEYPTR(hh, head, path, strlen(path), entry);
	if (!entry->hh.tbl) {
		free(entry);
		return -ENOMEM;
	}
	p->index = head;
	return 0;
}

static struct path_rule *find_rule(const struct policy *p, const char *path, size_t length)
{
	struct index_entry *head = p->index, *entry;

	HASH_FIND(hh, head, path, length, entry);
	return entry ? &p->paths[entry->at] : NULL;
}

/* Room for one more behind `count`, doubling. */
static void *grow(void *array, size_t count, size_t item_size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? count * 2 : 1, item_size);
}

int policy_add_string(struct string_list *list, const char *text)
{
	char **item = grow(list->item, list->count, sizeof(*item));

	if (!item)
		return -ENOMEM;
	list->item = item;
	item[list->count] = strdup(text);
	if (!item[list->count])
		return -ENOMEM;
	list->count++;
	return 0;
}

static int add_links(struct path_rule *rule, const struct path_rule *like)
{
	int r = 0;

	for (size_t i = 0; !r && i < like->links.count; i++)
		r = policy_add_string(&rule->links, like->links.item[i]);
	return r;
}

static int append_rule(struct policy *p, const struct path_rule *like)
{
	struct path_rule *paths = grow(p->paths, p->path_count, sizeof(*paths));
	struct path_rule *rule;
	int r = -ENOMEM;

	if (!paths)
		return r;
	p->paths = paths;
	rule = &paths[p->path_count];
	*rule = (struct path_rule){ .path = strdup(like->path),
				    .written = strdup(like->written),
				    .origin = strdup(like->origin),
				    .rights = like->rights,
				    .plain = like->plain };
	if (rule->path && rule->written && rule->origin)
		r = add_links(rule, like);
	if (!r)
		r = index_add(p, p->path_count);
	if (r < 0) {
		rule_free(rule);
		return r;
	}
	p->path_count++;
	return 0;
}

/* A rule that takes away gives the merged rule its origin: it is the one to blame. */
static int merge_rule(struct path_rule *rule, const struct path_rule *like)
{
	unsigned optional = rule->rights & like->rights & PATH_OPTIONAL;

	if (like->rights & ~rule->rights & PATH_DENY ||
	    (like->rights & PATH_PROTECT && !(rule->rights & PATH_DENY))) {
		char *origin = strdup(like->origin);

		if (!origin)
			return -ENOMEM;
		free(rule->origin);
		rule->origin = origin;
	}
	rule->rights = ((rule->rights | like->rights) & ~(unsigned)PATH_OPTIONAL) | optional;
	rule->plain |= like->plain;
	return add_links(rule, like);
}

static int put_rule(struct policy *p, const struct path_rule *like)
{
	struct path_rule *rule = find_rule(p, like->path, strlen(like->path));

	return rule ? merge_rule(rule, like) : append_rule(p, like);
}

static bool is_hook(const struct path_rule *rule)
{
	return rule->rights & PATH_PROTECT && !strncmp(rule->origin, "profile ", 8);
}

void policy_drop_hooks(struct policy *p)
{
	size_t kept = 0;

	index_free(p);
	for (size_t i = 0; i < p->path_count; i++) {
		struct path_rule *rule = &p->paths[i];

		if (is_hook(rule))
			rule->rights &= ~(unsigned)PATH_PROTECT;
		if (!(rule->rights & ~(unsigned)PATH_OPTIONAL)) {
			rule_free(rule);
			continue;
		}
		p->paths[kept] = *rule;
		/* Without memory the rule stays unindexed: a duplicate later, never a grant. */
		(void)index_add(p, kept++);
	}
	p->path_count = kept;
}

/* --- what the author wrote, as an absolute path --------------------------------------------- */

static int find_home(char *out, size_t size)
{
	const char *home = getenv("HOME");
	struct passwd entry, *found = NULL;
	char text[4096];
	int r = 0;

	if (!home || !*home) {
		r = getpwuid_r(getuid(), &entry, text, sizeof(text), &found);
		home = found ? found->pw_dir : NULL;
	}
	if (r || !home || home[0] != '/')
		return -EINVAL;
	r = snprintf(out, size, "%s", home);
	return r < (int)size ? 0 : -ENAMETOOLONG;
}

static int expand_path(const char *written, const char *base_dir, char **out)
{
	char home[PATH_MAX];
	bool is_home = written[0] == '~' && (!written[1] || written[1] == '/');
	int r;

	if (!*written || (written[0] == '~' && !is_home))
		return -EINVAL;
	if (is_home) {
		r = find_home(home, sizeof(home));
		if (r < 0)
			return r;
		return asprintf(out, "%s%s", home, written + 1) < 0 ? -ENOMEM : 0;
	}
	if (written[0] == '/')
		return (*out = strdup(written)) ? 0 : -ENOMEM;
	if (!base_dir || base_dir[0] != '/')
		return -EINVAL;
	return asprintf(out, "%s/%s", base_dir, written) < 0 ? -ENOMEM : 0;
}

/* --- a path some of which may be absent, as the kernel would walk it ------------------------- */

struct walk {
	char done[PATH_MAX]; /* "" = the root */
	char rest[PATH_MAX];
	unsigned links;
	/* What to do about a link on the way, at `done`; NULL = nothing. 0 or -errno. */
	int (*pass)(struct policy *p, const char *link, struct path_rule *like);
	struct policy *policy;
	struct path_rule *like;
};

static void walk_up(struct walk *w)
{
	char *slash = strrchr(w->done, '/');

	if (slash)
		*slash = '\0';
}

/* When `done` is a symlink, its target takes its place in front of `rest`. */
static int walk_link(struct walk *w)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t size = readlink(w->done, target, sizeof(target) - 1);
	int r;

	if (size < 0)
		return 0; /* no link; or absent, or out of sight: its name is all there is */
	target[size] = '\0';
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	r = w->pass ? w->pass(w->policy, w->done, w->like) : 0;
	if (r < 0)
		return r;
	r = snprintf(rest, sizeof(rest), "%s/%s", target, w->rest);
	if (r >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(w->rest, rest, (size_t)r + 1);
	walk_up(w);
	if (target[0] == '/')
		w->done[0] = '\0';
	return 0;
}

/* Moves the next component from `rest` to `done`; 0 = there is none left. */
static int walk_step(struct walk *w, bool follow_last)
{
	char *name = w->rest + strspn(w->rest, "/");
	size_t size = strcspn(name, "/"), at = strlen(w->done);
	bool is_last = !name[size + strspn(name + size, "/")];
	bool is_dot = size == 1 && name[0] == '.', is_up = size == 2 && !strncmp(name, "..", 2);
	int r = 0;

	if (!size)
		return 0;
	if (is_up)
		walk_up(w);
	if (!is_up && !is_dot && at + size + 2 > sizeof(w->done))
		return -ENAMETOOLONG;
	if (!is_up && !is_dot) {
		w->done[at] = '/';
		memcpy(w->done + at + 1, name, size);
		w->done[at + 1 + size] = '\0';
	}
	memmove(w->rest, name + size, strlen(name + size) + 1);
	if (!is_up && !is_dot && (follow_last || !is_last))
		r = walk_link(w);
	return r < 0 ? r : 1;
}

/* Fills w->done; absent parts are taken by their names. */
static int walk_path(struct walk *w, const char *full, bool follow_last)
{
	int r = snprintf(w->rest, sizeof(w->rest), "%s", full);

	if (r >= (int)sizeof(w->rest))
		return -ENAMETOOLONG;
	w->done[0] = '\0';
	w->links = 0;
	do {
		r = walk_step(w, follow_last);
	} while (r > 0);
	if (!r && !w->done[0])
		w->done[0] = '/', w->done[1] = '\0';
	return r;
}

/* --- rules ---------------------------------------------------------------------------------- */

static bool is_written_to(const struct policy *p, const char *path)
{
	for (size_t length = strlen(path); length; length--) {
		const struct path_rule *rule;

		if (length > 1 && path[length] && path[length] != '/')
			continue;
		rule = find_rule(p, path, length);
		if (rule)
			return rule->rights & PATH_WRITE;
	}
	return false;
}

/* A link on the way could be replaced by a folder, and the path be another: it has to stay. */
static int hold_link(struct policy *p, const char *link, struct path_rule *like)
{
	struct path_rule hold = *like;

	if (!is_written_to(p, link))
		return 0;
	hold.path = (char *)link;
	hold.rights = PATH_PROTECT | (like->rights & PATH_OPTIONAL);
	return put_rule(p, &hold);
}

/*
 * A symlink's target is protected only where the policy lets somebody write: a hostile project's
 * `.npmrc -> /home/me/secret` must not make a rule about the secret.
 */
static int add_taken_away(struct policy *p, const char *full, struct path_rule *like)
{
	struct walk name = { .pass = hold_link, .policy = p, .like = like }, target = { .pass = NULL };
	int r = walk_path(&name, full, false);

	if (r < 0)
		return r;
	like->path = name.done;
	r = put_rule(p, like);
	if (r < 0)
		return r;
	r = walk_path(&target, full, true);
	if (r == -ELOOP) /* leads nowhere: the name is enough */
		return 0;
	if (r < 0 || !strcmp(name.done, target.done))
		return r;
	like->path = target.done;
	if (!(like->rights & PATH_DENY) && !is_written_to(p, target.done))
		return 0;
	return put_rule(p, like);
}

static int note_link(struct policy *p, const char *link, struct path_rule *like)
{
	(void)p;
	return policy_add_string(&like->links, link);
}

/* A profile's links are the system's (/bin); an author's are judged when the policy is complete. */
static int note_links(struct policy *p, const char *full, struct path_rule *like)
{
	struct walk walk = { .pass = note_link, .policy = p, .like = like };
	int r = strncmp(like->origin, "profile ", 8) ? walk_path(&walk, full, true) : 0;

	like->plain = like->links.count ? 0 : like->rights;
	return r;
}

static int add_granted(struct policy *p, const char *full, struct path_rule *like)
{
	int r;

	like->path = realpath(full, NULL);
	if (!like->path)
		return errno == ENOENT && like->rights & PATH_OPTIONAL ? 0 : -errno;
	r = note_links(p, full, like);
	if (!r)
		r = put_rule(p, like);
	free(like->path);
	list_free(&like->links);
	return r;
}

/* What is written is looked at, and what is executed is read by its loader. */
static unsigned complete_rights(unsigned rights)
{
	return rights & (PATH_WRITE | PATH_EXEC) ? rights | PATH_READ : rights;
}

int policy_add_path(struct policy *p, const char *written, const char *base_dir,
		    unsigned rights, const char *origin)
{
	struct path_rule like = { .written = (char *)written,
				  .origin = (char *)origin,
				  .rights = complete_rights(rights) };
	char *full = NULL;
	int r = expand_path(written, base_dir, &full);

	if (r < 0)
		return r;
	r = rights & TAKES_AWAY ? add_taken_away(p, full, &like) : add_granted(p, full, &like);
	free(full);
	return r;
}
