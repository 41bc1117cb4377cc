/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A set of paths with the rights they were used with, folded into a policy document. Pure: it looks at no
 * file. Runs in the launcher; must never widen what it was shown beyond the rules of its header.
 */
#include "launcher/learned.h"

#include "policy/decide.h"
#include "policy/policy.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Keys, tokens, passwords. "~/" is the home folder; a pattern without a slash is a name anywhere. */
static const char *const sensitive_places[] = {
	"~/.ssh",	      "~/.aws",		       "~/.azure",	     "~/.gnupg",
	"~/.kube",	      "~/.docker",	       "~/.config/gcloud",   "~/.config/gh",
	"~/.netrc",	      "~/.git-credentials",    "~/.pypirc",	     "~/.npmrc",
	"~/.pgpass",	      "~/.my.cnf",	       "~/.password-store",  "~/.mozilla",
	"~/.config/chromium", "~/.config/google-chrome", "~/.local/share/keyrings",
	"~/.bash_history",    "~/.zsh_history",	       "~/.python_history",
	"/etc/shadow",	      "/etc/gshadow",	       "/etc/sudoers",	     "/etc/sudoers.d",
	"/etc/ssl/private",   "/root",		       "/run/secrets",	     "/var/run/secrets",
	".env",		      ".env.*",		       "*.pem",		     "*.key",
	"*.kdbx",	      "id_rsa*",	       "id_ed25519*",	     "id_ecdsa*",
	"credentials",	      "credentials.json",
};

#define SENSITIVE_PLACES (sizeof(sensitive_places) / sizeof(*sensitive_places))
#define CALL_MAX 48

struct used_path {
	char *path; /* owned */
	unsigned access;
	uint64_t uses;
	size_t folded; /* entries it stands for; 0 = itself */
	char call[CALL_MAX];
	UT_hash_handle hh;
};

struct learned {
	struct learned_plan plan;
	struct used_path *paths;    /* by path */
	struct used_path *left_out; /* the sensitive ones */
	uint64_t runs;
	bool network, processes, loads;
	char network_target[128];
};

/* --- what is sensitive ------------------------------------------------------------------------- */

static bool is_below_or_at(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static bool is_component(const char *path, const char *pattern)
{
	char part[NAME_MAX + 1];

	while (*path) {
		size_t length = strcspn(path, "/");

		if (length && length < sizeof(part)) {
			memcpy(part, path, length);
			part[length] = 0;
			if (fnmatch(pattern, part, 0) == 0)
				return true;
		}
		path += length + (path[length] == '/');
	}
	return false;
}

/* The place as a path; false = it is none, or there is no home. */
static bool place_path(const char *place, const char *home, char out[PATH_MAX])
{
	if (place[0] == '/')
		return (size_t)snprintf(out, PATH_MAX, "%s", place) < PATH_MAX;
	return place[0] == '~' && home &&
	       (size_t)snprintf(out, PATH_MAX, "%s%s", home, place + 1) < PATH_MAX;
}

/* Root's home is a place like others where it is the caller's own. */
static bool is_own_home(const char *place, const char *home)
{
	return home && strcmp(place, home) == 0;
}

bool learned_is_sensitive(const char *path, const char *home)
{
	char place[PATH_MAX];

	for (size_t i = 0; i < SENSITIVE_PLACES; i++) {
		const char *pattern = sensitive_places[i];

		if (place_path(pattern, home, place) ?
			    !is_own_home(place, home) && is_below_or_at(path, place) :
			    !strchr(pattern, '/') && is_component(path, pattern))
			return true;
	}
	return false;
}

static bool is_above_sensitive(const char *folder, const char *home)
{
	char place[PATH_MAX];

	for (size_t i = 0; i < SENSITIVE_PLACES; i++)
		if (place_path(sensitive_places[i], home, place) && is_below_or_at(place, folder))
			return true;
	return false;
}

/* --- the set ----------------------------------------------------------------------------------- */

struct learned *learned_new(const struct learned_plan *plan)
{
	struct learned *l = calloc(1, sizeof(*l));

	if (l)
		*l = (struct learned){ .plan = *plan, .runs = 1 };
	return l;
}

static void drop(struct used_path **set, struct used_path *one)
{
	HASH_DEL(*set, one);
	free(one->path);
	free(one);
}

static void free_set(struct used_path **set)
{
	struct used_path *one, *next;

	HASH_ITER(hh, *set, one, next)
	{
		drop(set, one);
	}
}

void learned_free(struct learned *l)
{
	if (!l)
		return;
	free_set(&l->paths);
	free_set(&l->left_out);
	free(l);
}

size_t learned_left_out(const struct learned *l)
{
	return HASH_COUNT(l->left_out);
}

static struct used_path *find(struct used_path *set, const char *path)
{
	struct used_path *one;

	HASH_FIND_STR(set, path, one);
	return one;
}

/* The path's entry, made where there is none. NULL = out of memory. */
static struct used_path *use(struct used_path **set, const char *path, const char *call)
{
	struct used_path *one = find(*set, path);

	if (one)
		return one;
	one = calloc(1, sizeof(*one));
	if (!one)
		return NULL;
	one->path = strdup(path);
	if (!one->path) {
		free(one);
		return NULL;
	}
	snprintf(one->call, sizeof(one->call), "%s", call);
	HASH_ADD_KEYPTR(hh, *set, one->path, strlen(one->path), one);
	return one;
}

static int add(struct learned *l, const char *path, unsigned access, const char *call, uint64_t uses)
{
	bool is_open = l->plan.allow_sensitive || !learned_is_sensitive(path, l->plan.home);
	struct used_path *one = use(is_open ? &l->paths : &l->left_out, path, call);

	if (!one)
		return -ENOMEM;
	one->access |= access;
	one->uses += uses;
	return 0;
}

static int parent_of(const char *path, char out[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash == path ? 1 : (size_t)(slash - path);

	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	memmove(out, path, length);
	out[length] = 0;
	return 0;
}

static bool is_granted(const struct learned *l, const char *path, unsigned access)
{
	unsigned rights = policy_path_rights(l->plan.block, path, NULL);

	return rights && !(rights & PATH_DENY) && !(access & ~rights);
}

static int take_path(struct learned *l, const struct learned_call *call)
{
	unsigned access = call->access & (PATH_READ | PATH_WRITE | PATH_EXEC);
	char parent[PATH_MAX];

	if (call->target[0] != '/' || !access || is_granted(l, call->target, access))
		return 0;
	if (!(access & PATH_WRITE) || !call->made_in_run)
		return add(l, call->target, access, call->call, 1);
	if (parent_of(call->target, parent) < 0)
		return 0;
	return add(l, parent, access, call->call, 1);
}

static bool is_internet(const char *target)
{
	return strncmp(target, "unix:", 5) != 0 && strcmp(target, "AF_UNIX") != 0 &&
	       strcmp(target, "AF_NETLINK") != 0;
}

int learned_take(struct learned *l, const struct learned_call *call)
{
	switch (call->axis) {
	case AXIS_PATH:
	case AXIS_EXECUTABLE:
		return take_path(l, call);
	case AXIS_NETWORK:
		if (is_internet(call->target) && !l->network)
			snprintf(l->network_target, sizeof(l->network_target), "%s %s", call->call,
				 call->target);
		l->network |= is_internet(call->target);
		return 0;
	case AXIS_PROCESS:
		l->processes = true;
		return 0;
	case AXIS_LOAD:
		l->loads = true;
		return take_path(l, call);
	default:
		return 0;
	}
}

/* --- earlier runs ------------------------------------------------------------------------------ */

static const struct {
	const char *list;
	unsigned access;
} lists[] = { { "read", PATH_READ }, { "write", PATH_WRITE }, { "exec", PATH_EXEC } };

#define LISTS (sizeof(lists) / sizeof(*lists))

static int merge_list(struct learned *l, json_t *list, unsigned access)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		const char *path = json_string_value(item);
		struct used_path *one = path && path[0] == '/' ? use(&l->paths, path, "") : NULL;

		if (!one)
			return path && path[0] == '/' ? -ENOMEM : -EINVAL;
		one->access |= access;
	}
	return 0;
}

int learned_merge(struct learned *l, json_t *document)
{
	json_t *filesystem = json_object_get(document, "filesystem");
	json_t *create = json_object_get(json_object_get(document, "process"), "create");
	const char *network = json_string_value(json_object_get(document, "network"));
	int r = json_object_get(document, "$learned") ? 0 : -EINVAL;

	for (size_t i = 0; r == 0 && i < LISTS; i++)
		r = merge_list(l, json_object_get(filesystem, lists[i].list), lists[i].access);
	if (r < 0)
		return r;
	l->network |= network && strcmp(network, "host") == 0;
	l->processes |= json_is_true(create);
	l->loads |= json_is_true(json_object_get(document, "load"));
	l->runs += (uint64_t)json_integer_value(
		json_object_get(json_object_get(document, "$learned"), "runs"));
	return 0;
}

/* --- folding ----------------------------------------------------------------------------------- */

static bool can_be_folded_to(const struct learned *l, const char *folder)
{
	const char *home = l->plan.home;

	return strchr(folder + 1, '/') && !(home && is_below_or_at(home, folder)) &&
	       !is_above_sensitive(folder, home);
}

/* How many entries of one folder were used with the same rights. */
struct tally {
	char key[PATH_MAX + 16];
	size_t count;
	UT_hash_handle hh;
};

static int tally_key(const struct used_path *one, char key[PATH_MAX + 16])
{
	char parent[PATH_MAX];

	if (parent_of(one->path, parent) < 0)
		return -ENAMETOOLONG;
	snprintf(key, PATH_MAX + 16, "%u%s", one->access, parent);
	return 0;
}

static void free_tallies(struct tally **tallies)
{
	struct tally *one, *next;

	HASH_ITER(hh, *tallies, one, next)
	{
		HASH_DEL(*tallies, one);
		free(one);
	}
}

static int count_entries(const struct learned *l, struct tally **tallies)
{
	char key[PATH_MAX + 16];

	for (const struct used_path *one = l->paths; one; one = one->hh.next) {
		struct tally *tally;

		if (tally_key(one, key) < 0)
			continue;
		HASH_FIND_STR(*tallies, key, tally);
		if (!tally) {
			tally = calloc(1, sizeof(*tally));
			if (!tally)
				return -ENOMEM;
			memcpy(tally->key, key, sizeof(key));
			HASH_ADD_STR(*tallies, key, tally);
		}
		tally->count++;
	}
	return 0;
}

static bool is_to_be_folded(const struct learned *l, struct tally *tallies, const struct used_path *one,
			    char parent[PATH_MAX])
{
	char key[PATH_MAX + 16];
	struct tally *tally;

	if (tally_key(one, key) < 0 || parent_of(one->path, parent) < 0)
		return false;
	HASH_FIND_STR(tallies, key, tally);
	return tally && tally->count >= LEARNED_FOLD_MIN && can_be_folded_to(l, parent);
}

/* One step upwards for all that can go. How many went, or -ENOMEM. */
static int fold(struct learned *l, struct tally *tallies)
{
	struct used_path *one, *next;
	char parent[PATH_MAX];
	int folded = 0;

	HASH_ITER(hh, l->paths, one, next)
	{
		struct used_path *whole;

		if (!is_to_be_folded(l, tallies, one, parent))
			continue;
		whole = use(&l->paths, parent, "");
		if (!whole)
			return -ENOMEM;
		whole->access |= one->access;
		whole->folded += one->folded ? one->folded : 1;
		whole->uses += one->uses;
		drop(&l->paths, one);
		folded++;
	}
	return folded;
}

static int fold_all(struct learned *l)
{
	int r;

	do {
		struct tally *tallies = NULL;

		r = count_entries(l, &tallies);
		if (r == 0)
			r = fold(l, tallies);
		free_tallies(&tallies);
	} while (r > 0);
	return r;
}

/* The nearest kept folder above decides, as the policy has it: a path stays where that gives it less. */
static void drop_granted(struct learned *l)
{
	struct used_path *one, *next;

	HASH_ITER(hh, l->paths, one, next)
	{
		char above[PATH_MAX];
		const struct used_path *folder = NULL;

		snprintf(above, sizeof(above), "%s", one->path);
		while (!folder && above[1] && parent_of(above, above) == 0)
			folder = find(l->paths, above);
		if (!folder)
			continue;
		/* The longest rule decides alone: below a folder, a path needs all it uses. */
		if ((one->access & ~folder->access) == 0)
			drop(&l->paths, one);
	}
}

/* --- the document ------------------------------------------------------------------------------ */

static int by_path(const struct used_path *a, const struct used_path *b)
{
	return strcmp(a->path, b->path);
}

static json_t *make_list(const struct learned *l, unsigned access)
{
	json_t *list = json_array();

	for (const struct used_path *one = l->paths; one; one = one->hh.next)
		if (one->access & access)
			(void)json_array_append_new(list, json_string(one->path));
	return list;
}

static const char *rights_text(unsigned access, char out[32])
{
	snprintf(out, 32, "%s%s%s", access & PATH_READ ? "read " : "",
		 access & PATH_WRITE ? "write " : "", access & PATH_EXEC ? "exec " : "");
	if (out[0])
		out[strlen(out) - 1] = 0;
	return out;
}

static json_t *why_text(const struct used_path *one)
{
	char rights[32];

	rights_text(one->access, rights);
	if (one->folded)
		return json_sprintf("%s: %zu entries of it were used", rights, one->folded);
	if (!one->uses)
		return json_sprintf("%s: an earlier run", rights);
	return json_sprintf("%s: %s, %llu times", rights, one->call[0] ? one->call : "used",
			    (unsigned long long)one->uses);
}

static json_t *make_why(const struct learned *l, const struct used_path *set)
{
	json_t *why = json_object();

	for (const struct used_path *one = set; one; one = one->hh.next)
		(void)json_object_set_new(why, one->path, why_text(one));
	if (set == l->paths && l->network_target[0])
		(void)json_object_set_new(why, "network", json_string(l->network_target));
	return why;
}

static json_t *make_learned(const struct learned *l, const char *command)
{
	return json_pack("{sssIss}", "command", command, "runs", (json_int_t)l->runs, "by",
			 "stile learn");
}

json_t *learned_document(struct learned *l, const char *command)
{
	json_t *document;

	if (fold_all(l) < 0)
		return NULL;
	drop_granted(l);
	HASH_SORT(l->paths, by_path);
	HASH_SORT(l->left_out, by_path);
	document = json_pack("{so so}", "$learned", make_learned(l, command), "$why",
			     make_why(l, l->paths));
	if (document && l->left_out)
		(void)json_object_set_new(document, "$left_out", make_why(l, l->left_out));
	if (document && json_object_update_new(
				document,
				json_pack("{si ss s{so so so} ss s{sb} sb}", "version", 1, "profile",
					  "tool", "filesystem", "read", make_list(l, PATH_READ), "write",
					  make_list(l, PATH_WRITE), "exec", make_list(l, PATH_EXEC),
					  "network", l->network ? "host" : "none", "process", "create",
					  l->processes, "load", l->loads)) == 0)
		return document;
	json_decref(document);
	return NULL;
}
