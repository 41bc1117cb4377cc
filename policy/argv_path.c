/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path arguments: nothing named on the command line may lead out of the project root.
 *
 * The walls decide what a program can open. This decides earlier, and stricter, what a
 * caller may *point it at*: /etc/passwd is readable to programs of profile `tool` (libc
 * needs it), yet no argument has business naming it. So the rules of the profile do not
 * count here; what counts is the root, what the user granted, and the top folders below
 * that hold programs, headers and devices.
 *
 * No option grammar is known, so an argument is read for every path it may carry: itself,
 * the value glued to an option, what stands behind `=` and `@`. What is let pass on
 * purpose, because the walls decide anyway and a false alarm would be worse:
 *  - URLs, except file:;
 *  - an absolute path whose first component does not exist (sed's /foo/d, awk's /re/);
 *  - "/" glued to a short option (cut -d/, awk -F/): a delimiter;
 *  - a relative path inside the root, whatever it is (s/a/b/, origin/main, text with
 * slashes). What is refused although it may be harmless: a regular expression that begins
 * with an existing folder (/home/), a define that carries a path (-DDIR=/etc). `--read`
 * is the answer.
 */
#include "policy/argv_parts.h"

#include "policy/interpreters.h"
#include "policy/policy.h"

#include <errno.h>
#include <string.h>

/* Programs, libraries, headers. /lib covers lib32, lib64, libx32 in is_system(). */
static const char *const system_folders[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", NULL};

/* Judged as written: where they lead (a terminal, a pipe) is the caller's own doing. */
static const char *const devices[] = {
	"/dev/null",	"/dev/zero", "/dev/full",  "/dev/random",
	"/dev/urandom", "/dev/tty",  "/dev/stdin", "/dev/stdout",
	"/dev/stderr",	"/dev/fd",   NULL};

/* Judged as paths even on a host where they do not exist. */
static const char *const known_tops[] = {"/etc",   "/root", "/home", "/var", "/proc",
					 "/sys",   "/dev",  "/boot", "/run", "/mnt",
					 "/media", "/srv",  "/tmp",  "/usr", "/bin",
					 "/sbin",  "/lib",  "/opt",  NULL};

struct argument {
	const struct check *check;
	const char *whole; /* as it stands in argv */
};

static bool is_under_any(const char *path, const char *const *tops)
{
	for (; *tops; tops++)
		if (path_is_under(path, *tops))
			return true;
	return false;
}

static bool is_profile_rule(const struct policy_block *b, uint32_t rule)
{
	const struct block_rule *rules = (const void *)block_text(b, b->rules);

	return !rule || !strncmp(block_text(b, rules[rule].origin), "profile ", 8);
}

/* Granted by a document or a flag, not by a profile. A profile's longer rule
 * (/etc/passwd) does not hide the user's shorter one (--read /etc), so every folder above
 * is asked too. */
static bool is_granted_by_user(const struct check *c, const char *path)
{
	char folder[PATH_MAX];
	struct sentence s = sentence_begin(folder, sizeof(folder));
	uint32_t rule = 0;

	if (!(policy_path_rights(c->block, path, &rule) & PATH_READ)) {
		c->out->rule = rule;
		return false;
	}
	sentence_add(&s, path);
	while (folder[1]) {
		policy_path_rights(c->block, folder, &rule);
		if (!is_profile_rule(c->block, rule))
			return true;
		s.used = (size_t)(path_basename(folder) - folder);
		folder[s.used > 1 ? s.used - 1 : 1] = '\0';
	}
	return false;
}

/* /tmp counts only where it was named as such: `../x` out of a root in /tmp, or a link
 * there, leaves the root like any other. */
static bool is_shared_tmp(const struct check *c, const char *text, const char *real)
{
	return path_is_under(text, "/tmp") && path_is_under(real, "/tmp") &&
	       (policy_path_rights(c->block, real, NULL) & PATH_READ);
}

/* /proc/self/root leads anywhere: only what stays in /proc. */
static bool is_own_proc(const char *text, const char *real)
{
	return path_is_under(text, "/proc/self") && path_is_under(real, "/proc");
}

static bool is_allowed(const struct check *c, const char *text, const char *real)
{
	if (path_is_under(real, block_text(c->block, c->block->root)))
		return true;
	if (is_under_any(text, devices) && !strstr(text, ".."))
		return true;
	return is_under_any(real, system_folders) || is_own_proc(text, real) ||
	       is_shared_tmp(c, text, real) || is_granted_by_user(c, real);
}

static bool refuse_path(const struct argument *a, const char *real)
{
	const char *root = block_text(a->check->block, a->check->block->root);
	struct sentence s = check_refuse(a->check, AXIS_PATH, "");

	sentence_add(&s, "path argument ");
	sentence_add_repr(&s, a->whole, strlen(a->whole));
	sentence_add(&s, " resolves outside project root (");
	sentence_add_repr(&s, real, strlen(real));
	sentence_add(&s, " not under ");
	sentence_add_repr(&s, root, strlen(root));
	sentence_add(&s, ")");
	check_set_fix(a->check, "--read ", real);
	return true;
}

/* /foo/d where there is no /foo: more likely an expression than a path. */
static bool has_unknown_top(const struct check *c, const char *text)
{
	char top[NAME_MAX + 2], real[PATH_MAX];
	size_t slashes = strspn(text, "/"), length = strcspn(text + slashes, "/");

	if (text[0] != '/' || !length || is_under_any(text + slashes - 1, known_tops))
		return false;
	if (length > NAME_MAX || (length <= 2 && !strncmp(text + slashes, "..", length)))
		return length > NAME_MAX;
	top[0] = '/';
	memcpy(top + 1, text + slashes, length);
	top[1 + length] = '\0';
	return c->ask->follow(c->ask->ctx, top, real, sizeof(real)) == -ENOENT;
}

/* `text` is a path for sure: absolute or relative, tilde already expanded. */
static bool judge_path(const struct argument *a, const char *text)
{
	char real[PATH_MAX];

	if (has_unknown_top(a->check, text))
		return false;
	if (check_resolve(a->check, text, real) == -ENAMETOOLONG)
		return false; /* the kernel takes no such path either */
	return is_allowed(a->check, text, real) ? false : refuse_path(a, real);
}

/* ~ and ~/x as the shell would expand them; ~user as if at home in /home. */
static bool judge_tilde(const struct argument *a, const char *text)
{
	const char *home = a->check->ask->home;
	const bool is_own = text[1] == '/' || !text[1];
	char path[PATH_MAX];
	struct sentence s = sentence_begin(path, sizeof(path));

	if (is_own)
		sentence_add(&s, home && *home ? home : "/root");
	else if (!strncmp(text, "~root", 5) && (text[5] == '/' || !text[5]))
		sentence_add(&s, "/");
	else
		sentence_add(&s, "/home/");
	sentence_add(&s, text + 1);
	return judge_path(a, path);
}

static bool is_climbing(const char *text)
{
	return text[0] == '.' && text[1] == '.' && (!text[2] || text[2] == '/');
}

/* Begins like a path that is not simply inside the working directory. */
static bool is_path_like(const char *text)
{
	return text[0] == '/' || text[0] == '~' || is_climbing(text);
}

/* A slash-less word is a path only if it is a link, and then where that leads counts. */
static bool judge_word(const struct argument *a, const char *word)
{
	char real[PATH_MAX], folder[PATH_MAX], plain[PATH_MAX];

	if (check_resolve(a->check, word, real) < 0 ||
	    check_resolve(a->check, a->check->ask->cwd, folder) < 0 ||
	    policy_path_normalise(folder, word, plain, sizeof(plain)) < 0)
		return false;
	if (!strcmp(real, plain) || is_allowed(a->check, word, real))
		return false;
	return refuse_path(a, real);
}

static bool judge_value(const struct argument *a, const char *text)
{
	if (text[0] == '~')
		return judge_tilde(a, text);
	if (strchr(text, '/') || is_climbing(text))
		return judge_path(a, text);
	return judge_word(a, text);
}

/* /usr/lib:/etc is two paths, unless a file is really named so. */
static bool judge_list(const struct argument *a, const char *text)
{
	char piece[PATH_MAX], real[PATH_MAX];

	if (!strpbrk(text, ":,") || !is_path_like(text) ||
	    !check_resolve(a->check, text, real) || strlen(text) >= sizeof(piece))
		return judge_value(a, text);
	for (const char *p = text; *p;) {
		size_t length = strcspn(p, ":,");

		memcpy(piece, p, length);
		piece[length] = '\0';
		if (is_path_like(piece) && judge_value(a, piece))
			return true;
		p += length + (p[length] != '\0');
	}
	return false;
}

/* file:///etc/passwd and file:/etc/passwd are paths; http://… is not ours to judge. */
static bool judge_url(const struct argument *a, const char *url, bool *is_url)
{
	const char *scheme_end = strstr(url, "://");

	*is_url = !strncasecmp(url, "file:", 5) ||
		  (scheme_end && strcspn(url, "/=@ ") == (size_t)(scheme_end - url) + 1);
	if (strncasecmp(url, "file:", 5) != 0)
		return false;
	url += 5;
	if (url[0] == '/' && url[1] == '/') {
		url = strchr(url + 2, '/');
		if (!url)
			return false;
	}
	return judge_list(a, url);
}

/* What stands behind the = of NAME=value, --name=value; NULL when that = is inside a
 * path. */
static const char *assigned_value(const char *text)
{
	size_t length = strcspn(text, "/=");

	return text[length] == '=' ? text + length + 1 : NULL;
}

static bool judge_text(const struct argument *a, const char *text)
{
	const char *value;
	bool is_url = false;

	for (value = text; value && !is_url; value = assigned_value(text)) {
		text = value;
		if (judge_url(a, text, &is_url))
			return true;
		/* @file: a response file, or data to be sent. */
		if (*text == '@' && text[1] && judge_list(a, text + 1))
			return true;
		if (!is_url && *text && judge_list(a, text))
			return true;
	}
	return false;
}

/* Letters in front of a path are a cluster (-xvf/etc/x), unless they are a folder's name.
 */
static bool is_cluster(const struct argument *a, const char *value, size_t length)
{
	char name[16], real[PATH_MAX];

	if (length >= sizeof(name))
		return false;
	memcpy(name, value, length);
	name[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if ((name[i] | 32) < 'a' || (name[i] | 32) > 'z')
			return false;
	return check_resolve(a->check, name, real) < 0;
}

/* -I/etc, -f../x, -xvf/etc/x, -Wl,-rpath,/etc: from the first thing that begins a path.
 */
static bool judge_short(const struct argument *a, const char *option)
{
	const char *value = option + 2;

	if (!option[1] || !*value || !strcmp(value, "/"))
		return false;
	if (judge_text(a, value))
		return true;
	for (const char *p = value + 1; *p; p++) {
		if (!is_path_like(p) || !p[1] || (*p == '~' && p[1] != '/') ||
		    (*p == '/' && p[1] == '.'))
			continue;
		if (p[-1] == ',' || p[-1] == ':' ||
		    is_cluster(a, value, (size_t)(p - value)))
			return judge_list(a, p);
		return false;
	}
	return false;
}

static bool judge_argument(const struct check *c, const char *text)
{
	const struct argument a = {.check = c, .whole = text};
	const char *value = assigned_value(text);

	if (text[0] != '-')
		return judge_text(&a, text);
	if (value && judge_text(&a, value))
		return true;
	return text[1] == '-' ? false : judge_short(&a, text);
}

bool check_path_arguments(const struct check *c, const char *const *argv)
{
	for (const char *const *arg = argv + 1; argv[0] && *arg; arg++)
		if (judge_argument(c, *arg))
			return true;
	return false;
}
