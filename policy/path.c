/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deciding about paths: the longest rule that is a prefix, by components, of an absolute path.
 *
 * Runs everywhere, in the shim inside the program and in signal handlers too: reads one frozen
 * block, takes no memory, no lock and no system call. One forward pass hashes the path and asks the
 * table at the end of each component, so the cost is the path's, whatever the number of rules.
 * A path that is not normalised matches nothing: it fails closed.
 */
#include "policy/block.h"
#include "policy/block_hash.h"
#include "policy/policy.h"
#include "policy/repr.h"

#include <errno.h>
#include <string.h>

/* --- the rule ------------------------------------------------------------------------------- */

static const struct block_rule *rule_at(const struct policy_block *b, uint32_t rule)
{
	return (const struct block_rule *)((const char *)b + b->rules) + rule;
}

/* The rule of exactly path[0 … length), 0 = none. */
static uint32_t find_rule(const struct policy_block *b, const char *path, uint64_t hash,
			  size_t length)
{
	const uint32_t *slots = (const uint32_t *)((const char *)b + b->slots);
	uint32_t mask = b->slot_count - 1;

	for (uint32_t slot = block_slot(hash, mask); slots[slot]; slot = (slot + 1) & mask) {
		const struct block_rule *rule = rule_at(b, slots[slot]);

		if (rule->hash == hash && rule->length == length &&
		    !memcmp(block_text(b, rule->path), path, length))
			return slots[slot];
	}
	return 0;
}

static bool is_plain(const char *name, size_t size)
{
	return size && !(size == 1 && name[0] == '.') &&
	       !(size == 2 && name[0] == '.' && name[1] == '.');
}

/* Index of the longest rule above or at `path`; -1 when the path is not in normal form. */
static int64_t find_longest(const struct policy_block *b, const char *path)
{
	uint64_t hash = BLOCK_HASH_START;
	size_t start = 1, at = 0;
	uint32_t best, hit;

	if (path[0] != '/')
		return -1;
	hash = block_hash_add(hash, path[at++]);
	best = find_rule(b, path, hash, at);
	while (path[at]) {
		for (start = at; path[at] && path[at] != '/'; at++)
			hash = block_hash_add(hash, path[at]);
		if (!is_plain(path + start, at - start))
			return -1;
		hit = find_rule(b, path, hash, at);
		best = hit ? hit : best;
		if (!path[at])
			break;
		hash = block_hash_add(hash, path[at++]);
		if (!path[at])
			return -1;
	}
	return best;
}

unsigned policy_path_rights(const struct policy_block *b, const char *path, uint32_t *rule)
{
	int64_t found = find_longest(b, path);

	if (rule)
		*rule = found > 0 ? (uint32_t)found : 0;
	return found > 0 ? rule_at(b, (uint32_t)found)->rights : 0;
}

/* --- the sentence --------------------------------------------------------------------------- */

/* One byte as it must stand inside $'…'. */
static void say_shell_byte(struct sentence *s, char c)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char byte = (unsigned char)c;
	char plain[] = { c, '\0' };
	char quoted[] = { '\\', c, '\0' };
	char escaped[] = { '\\', 'x', hex[byte >> 4], hex[byte & 15], '\0' };

	if (byte < 0x20 || byte == 0x7f)
		return sentence_add(s, escaped);
	sentence_add(s, c == '\'' || c == '\\' ? quoted : plain);
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("/._-+:,@%=", c));
}

/* As a shell would need it: plain when it can be, else $'…'. */
static void say_argument(struct sentence *s, const char *path)
{
	const char *c = path;

	while (is_bare(*c))
		c++;
	if (!*c)
		return sentence_add(s, path);
	sentence_add(s, "$'");
	while (*path)
		say_shell_byte(s, *path++);
	sentence_add(s, "'");
}

/* In this order the first right that is missing names the refusal. */
static const struct access_row {
	unsigned right;
	const char *able, *flag;
} access_rows[] = {
	{ PATH_WRITE, "writable", "--write " },
	{ PATH_EXEC, "executable", "--exec " },
	{ PATH_READ, "readable", "--read " },
};

static const struct access_row *find_missing(unsigned missing)
{
	const struct access_row *row = access_rows;

	while (!(row->right & missing) && row->right != PATH_READ)
		row++;
	return row;
}

struct refusal {
	const char *path;
	const char *how;    /* "denied", "protected"; NULL = not granted */
	const char *origin; /* of the rule that took it away */
	const char *rule_path;
	unsigned missing;
};

static void say_not_granted(const struct refusal *r, struct sentence *reason,
			    struct sentence *fix)
{
	const struct access_row *row = find_missing(r->missing);

	sentence_add(reason, " is not ");
	sentence_add(reason, row->able);
	sentence_add(reason, " under this policy");
	sentence_add(fix, row->flag);
	say_argument(fix, r->path);
}

static void say_taken_away(const struct refusal *r, struct sentence *reason,
			   struct sentence *fix)
{
	bool is_deny = !strcmp(r->how, "denied");

	sentence_add(reason, is_deny ? " is denied by " : " is protected by ");
	sentence_add(reason, r->origin);
	if (!is_deny && !strncmp(r->origin, "profile ", 8))
		return sentence_add(fix, "--allow-hooks");
	sentence_add(fix, is_deny ? "remove the deny of " : "remove the protect of ");
	say_argument(fix, r->rule_path);
	sentence_add(fix, " (");
	sentence_add(fix, r->origin);
	sentence_add(fix, ")");
}

static void say_refusal(const struct refusal *r, struct verdict_text *text)
{
	struct sentence reason = sentence_begin(text->reason, VERDICT_TEXT_MAX);
	struct sentence fix = sentence_begin(text->fix, VERDICT_TEXT_MAX);

	sentence_add(&reason, "path ");
	sentence_add_repr(&reason, r->path, strlen(r->path));
	text->fix[0] = '\0';
	if (r->how)
		say_taken_away(r, &reason, &fix);
	else
		say_not_granted(r, &reason, &fix);
}

static void say_malformed(const char *path, struct verdict_text *text)
{
	struct sentence reason = sentence_begin(text->reason, VERDICT_TEXT_MAX);

	sentence_add(&reason, "path ");
	sentence_add_repr(&reason, path, strlen(path));
	sentence_add(&reason, " is not an absolute, normalised path");
	text->fix[0] = '\0';
}

static const char *how_taken(unsigned rights, unsigned missing)
{
	if (rights & PATH_DENY)
		return "denied";
	return rights & PATH_PROTECT && missing == PATH_WRITE ? "protected" : NULL;
}

void policy_decide_path(const struct policy_block *b, const char *path, unsigned access,
			struct verdict_text *text, struct verdict *out)
{
	int64_t found = find_longest(b, path);
	const struct block_rule *rule = rule_at(b, found > 0 ? (uint32_t)found : 0);
	unsigned missing = access & ~rule->rights;

	*out = (struct verdict){
		.action = ACTION_ALLOW, .axis = AXIS_PATH, .reason = "", .fix = ""
	};
	out->rule = found > 0 ? (uint32_t)found : 0;
	if (found >= 0 && !missing && !(rule->rights & PATH_DENY))
		return;
	out->action = ACTION_DENY;
	if (!text)
		return;
	out->reason = text->reason;
	out->fix = text->fix;
	if (found < 0)
		return say_malformed(path, text);
	say_refusal(&(struct refusal){ .path = path,
				       .how = how_taken(rule->rights, missing),
				       .origin = block_text(b, rule->origin),
				       .rule_path = block_text(b, rule->path),
				       .missing = missing },
		    text);
}

/* --- the normal form ------------------------------------------------------------------------ */

struct normal {
	char *out;
	size_t size, used; /* used = 0: the root */
};

static void drop_last(struct normal *n)
{
	while (n->used && n->out[--n->used] != '/')
		;
}

static int take_names(struct normal *n, const char *path)
{
	while (*path) {
		size_t skip = strspn(path, "/"), size = strcspn(path + skip, "/");
		const char *name = path + skip;

		path = name + size;
		if (size == 2 && name[0] == '.' && name[1] == '.')
			drop_last(n);
		if (!is_plain(name, size))
			continue;
		if (n->used + size + 2 > n->size)
			return -ENAMETOOLONG;
		n->out[n->used++] = '/';
		memcpy(n->out + n->used, name, size);
		n->used += size;
	}
	return 0;
}

int policy_path_normalise(const char *base, const char *path, char *out, size_t size)
{
	struct normal n = { out, size, 0 };
	int r = path[0] == '/' ? 0 : take_names(&n, base);

	if (!r)
		r = take_names(&n, path);
	if (r < 0 || size < 2)
		return -ENAMETOOLONG;
	if (!n.used)
		out[n.used++] = '/';
	out[n.used] = '\0';
	return (int)n.used;
}
