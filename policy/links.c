/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Grants that went through a link which programs can replace. A run that may write `out` may as well make
 * it a link to the home; the next run that is granted `out` by name would then have the home. So a link
 * in a writable place may shorten a name, but never give what the rules without it do not give.
 *
 * Runs in the launcher, once a policy is complete: the order of its rules does not matter.
 */
#include "policy/policy.h"

#include "policy/block.h"
#include "policy/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRANTS (PATH_READ | PATH_WRITE | PATH_EXEC)

/* A profile's /tmp is the session's own: it says nothing of the folder of that name out here. */
static bool is_private_place(const struct path_rule *rule)
{
	return !strncmp(rule->origin, "profile ", 8) &&
	       (!strcmp(rule->path, "/tmp") || !strcmp(rule->path, "/dev/shm"));
}

/* The rules about this host's files, with or without what only links give, as a block. */
static int freeze(const struct policy *p, bool with_links, struct policy_block **out)
{
	struct policy some = *p;
	int r;

	some.path_count = 0;
	some.paths = calloc(p->path_count + 1, sizeof(*some.paths));
	if (!some.paths)
		return -ENOMEM;
	for (size_t i = 0; i < p->path_count; i++) {
		struct path_rule *rule = &some.paths[some.path_count];

		*rule = p->paths[i]; /* its texts stay the policy's */
		if (!with_links && rule->links.count)
			rule->rights = (rule->rights & ~(unsigned)GRANTS) | rule->plain;
		some.path_count += !is_private_place(rule) &&
				   (rule->rights & ~(unsigned)PATH_OPTIONAL) != 0;
	}
	r = policy_compile(&some, out);
	free(some.paths);
	return r;
}

static bool is_replaceable(const struct policy_block *whole, const char *link)
{
	size_t size = (size_t)(strrchr(link, '/') - link);
	char *folder = strndup(link, size ? size : 1); /* without memory: yes */
	bool is_writable = !folder || policy_path_rights(whole, folder, NULL) & PATH_WRITE;

	free(folder);
	return is_writable;
}

/* What the rule gives that would not be given without its links. */
static unsigned given_by_links(const struct policy_block *plain, const struct policy_block *whole,
			       const struct path_rule *rule)
{
	return policy_path_rights(whole, rule->path, NULL) & GRANTS &
	       ~policy_path_rights(plain, rule->path, NULL);
}

/* The first link on the rule's way that could be another tomorrow. */
static const char *find_replaceable(const struct policy_block *whole, const struct path_rule *rule)
{
	for (size_t i = 0; i < rule->links.count; i++)
		if (is_replaceable(whole, rule->links.item[i]))
			return rule->links.item[i];
	return NULL;
}

static int check_rules(const struct policy *p, const struct policy_block *plain,
		       const struct policy_block *whole, char *why, size_t size)
{
	for (size_t i = 0; i < p->path_count; i++) {
		const struct path_rule *rule = &p->paths[i];
		const char *link = given_by_links(plain, whole, rule) ?
					   find_replaceable(whole, rule) :
					   NULL;

		if (!link)
			continue;
		(void)snprintf(why, size,
			       "%.200s %.800s: the link %.800s lies where programs may write, and leads to %.800s: name that itself if it is meant",
			       rule->origin, rule->written, link, rule->path);
		return -EACCES;
	}
	return 0;
}

static bool has_links(const struct policy *p)
{
	size_t i = 0;

	while (i < p->path_count && !p->paths[i].links.count)
		i++;
	return i < p->path_count;
}

int policy_check_links(const struct policy *p, char *why, size_t size)
{
	struct policy_block *plain = NULL, *whole = NULL;
	int r;

	why[0] = '\0';
	if (!has_links(p))
		return 0;
	r = freeze(p, false, &plain);
	if (!r)
		r = freeze(p, true, &whole);
	if (!r)
		r = check_rules(p, plain, whole, why, size);
	free(plain);
	free(whole);
	return r;
}
