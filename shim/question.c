/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking the policy about one thing a call names: resolve it as the kernel would, ask the
 * same deciding code as the launcher, and say with which errno the walls would refuse it.
 *
 * Runs inside the program, in signal handlers and after vfork. Reads the program's memory
 * only where the kernel has read it before, or where it has been proved readable.
 */
#include "shim/question.h"

#include "shim/raw.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* --- paths
 * ------------------------------------------------------------------------------------ */

static unsigned resolve_flags(const struct question *ask)
{
	return (ask->flags & ASK_NOFOLLOW ? RESOLVE_NOFOLLOW : 0u) |
	       (ask->flags & ASK_EMPTY ? RESOLVE_EMPTY : 0u);
}

static bool resolve(const struct question *ask, struct answer *out)
{
	int r = ask->subject == SUBJECT_FD
			? resolve_fd(ask->number, &out->place)
			: resolve_path(ask->number, ask->what, resolve_flags(ask),
				       &out->place);

	out->target = out->place.path;
	return !r;
}

/* Making, moving and removing an entry writes its folder. */
static void decide_folder(struct answer *out)
{
	char *path = out->place.path, *slash = strrchr(path, '/'), cut;

	slash += slash == path; /* the root keeps its slash */
	cut = *slash;
	*slash = '\0';
	policy_decide_path(shim.block, path, PATH_WRITE, NULL, &out->verdict);
	*slash = cut;
}

static bool changes_entry(const struct question *ask, const struct answer *out)
{
	return ask->flags & ASK_ENTRY || (ask->flags & ASK_NEW && !out->place.exists);
}

/* Landlock says EACCES; what is protected stands on a read-only mount of its own: EROFS.
 */
static int path_error(const struct verdict *verdict)
{
	const struct block_rule *rules = (const void *)block_text(shim.block,
								  shim.block->rules);

	return rules[verdict->rule].rights & PATH_PROTECT ? EROFS : EACCES;
}

static bool decide_path(const struct question *ask, struct answer *out)
{
	unsigned access = ask->access;

	if (!resolve(ask, out))
		return false;
	if (changes_entry(ask, out))
		access |= PATH_WRITE;
	policy_decide_path(shim.block, out->target, access, NULL, &out->verdict);
	if (out->verdict.action == ACTION_ALLOW && changes_entry(ask, out) &&
	    out->target[1])
		decide_folder(out);
	out->error = path_error(&out->verdict);
	return true;
}

static bool decide_exec(const struct question *ask, struct answer *out)
{
	if (!resolve(ask, out))
		return false;
	policy_decide_process(shim.block, PROCESS_EXEC, out->target, NULL, &out->verdict);
	out->error = EACCES;
	return true;
}

/* A name without a slash is searched where the policy had its say before the start. */
static bool decide_load(const struct question *ask, struct answer *out)
{
	const char *path = ask->what;

	if (!path || !strchr(path, '/') || !resolve(ask, out) || !out->place.exists)
		return false;
	policy_decide_load(shim.block, out->target, NULL, &out->verdict);
	out->error = EACCES;
	return true;
}

/* --- network
 * ----------------------------------------------------------------------------------- */

static bool decide_family(const struct question *ask, struct answer *out)
{
	address_say_family(ask->number, out->text);
	out->target = out->text;
	policy_decide_network(shim.block, NETWORK_SOCKET, out->text, NULL, &out->verdict);
	out->error = EACCES; /* of the seccomp filter */
	return true;
}

/* A socket in the file system is a file too; only making one needs a right there. */
static bool decide_socket_file(struct answer *out)
{
	const struct question file = ENTRY(out->text + strlen("unix:"));

	return decide_path(&file, out);
}

/* The address must be readable; false = there is none that matters. */
static bool say_address(const void *address, size_t size, struct answer *out)
{
	if (!address || size < sizeof(sa_family_t) ||
	    size > sizeof(struct sockaddr_storage))
		return false;
	address_say(address, size, out->text);
	out->target = out->text;
	return strcmp(out->text, "family:0") != 0; /* AF_UNSPEC only takes a peer away */
}

static bool is_readable(const void *address, size_t size)
{
	return raw_is_readable(address) &&
	       (size <= 8 || raw_is_readable((const char *)address + size - 8));
}

static bool decide_address(const struct question *ask, struct answer *out)
{
	if (!is_readable(ask->what, ask->length) ||
	    !say_address(ask->what, ask->length, out))
		return false;
	policy_decide_network(shim.block, (enum network_use)ask->access, out->text, NULL,
			      &out->verdict);
	out->error = EACCES;
	if (out->verdict.action == ACTION_ALLOW && ask->access == NETWORK_BIND &&
	    !strncmp(out->text, "unix:/", 6))
		return decide_socket_file(out);
	return true;
}

static bool decide_message(const struct question *ask, struct answer *out)
{
	const struct msghdr *message = ask->what;
	struct question address = *ask;

	if (!message || !raw_is_readable(message) ||
	    !raw_is_readable(&message->msg_namelen))
		return false;
	address.what = message->msg_name;
	address.length = message->msg_namelen;
	return decide_address(&address, out);
}

static bool decide_name(const struct question *ask, struct answer *out)
{
	if (!ask->what)
		return false; /* one's own addresses */
	out->target = ask->what;
	policy_decide_network(shim.block, NETWORK_LOOKUP, out->target, NULL,
			      &out->verdict);
	out->error = ENETUNREACH;
	return true;
}

/* --- processes, signals, the rest
 * ---------------------------------------------------------------- */

static bool decide_process(const struct question *ask, struct answer *out)
{
	(void)ask;
	policy_decide_process(shim.block, PROCESS_FORK, "", NULL, &out->verdict);
	out->error = EPERM; /* of the seccomp filter */
	return true;
}

static void say_pid(int pid, char out[ADDRESS_TEXT_MAX])
{
	char digits[12];
	size_t count = 0, at = 4;
	unsigned value = pid < 0 ? -(unsigned)pid : (unsigned)pid;

	memcpy(out, "pid ", 4);
	if (pid < 0)
		out[at++] = '-';
	do
		digits[count++] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	while (count)
		out[at++] = digits[--count];
	out[at] = '\0';
}

static bool decide_signal(const struct question *ask, struct answer *out)
{
	say_pid(ask->number, out->text);
	out->target = out->text;
	policy_decide_signal(shim.block, signal_is_own(ask->number), out->text, NULL,
			     &out->verdict);
	out->error = EPERM; /* of Landlock's scope */
	return true;
}

static bool decide_syscall(const struct question *ask, struct answer *out)
{
	(void)ask;
	out->verdict = (struct verdict){
		.action = ACTION_DENY, .axis = AXIS_SYSCALL, .reason = "", .fix = ""
	};
	out->error = EPERM; /* of the seccomp filter */
	return true;
}

/* --- the table
 * --------------------------------------------------------------------------------------
 */

static bool (*const deciders[])(const struct question *ask, struct answer *out) = {
	[SUBJECT_PATH] = decide_path,	    [SUBJECT_FD] = decide_path,
	[SUBJECT_FAMILY] = decide_family,   [SUBJECT_ADDRESS] = decide_address,
	[SUBJECT_MESSAGE] = decide_message, [SUBJECT_NAME] = decide_name,
	[SUBJECT_PROCESS] = decide_process, [SUBJECT_EXEC] = decide_exec,
	[SUBJECT_SIGNAL] = decide_signal,   [SUBJECT_LOAD] = decide_load,
	[SUBJECT_SYSCALL] = decide_syscall,
};

bool question_decide(const struct question *ask, struct answer *out)
{
	out->target = "";
	out->error = 0;
	if (ask->subject >= sizeof(deciders) / sizeof(*deciders) ||
	    !deciders[ask->subject])
		return false;
	if (ask->flags & ASK_STAT && !(shim.flags & RING_JUDGE_STAT))
		return false;
	if (!deciders[ask->subject](ask, out))
		return false;
	out->verdict.layer = LAYER_SHIM;
	if (out->verdict.action == ACTION_ALLOW)
		out->error = 0;
	return true;
}

/* --- without a look at the file system
 * -------------------------------------------------------------- */

/* At a slash: does an empty name follow, or ".", or ".."? */
static bool is_superfluous(const char *slash)
{
	size_t length = strcspn(slash + 1, "/");

	return !length || (length <= 2 && slash[1] == '.' && slash[length] == '.');
}

/* Absolute, and nothing in it to be taken out? */
static bool is_normal(const char *path)
{
	if (path[0] != '/' || !path[1])
		return path[0] == '/';
	for (const char *c = path; *c; c++)
		if (*c == '/' && is_superfluous(c))
			return false;
	return true;
}

/* Folder + "/" + path in the answer's place. */
static bool join_folder(int folder, const char *path, struct answer *out)
{
	size_t used, size = strlen(path) + 1;

	if (resolve_fd(folder, &out->place) < 0)
		return false;
	used = strlen(out->place.path);
	used -= used == 1; /* the root has its slash already */
	if (used + 1 + size > sizeof(out->place.path))
		return false;
	out->place.path[used] = '/';
	memcpy(out->place.path + used + 1, path, size);
	return true;
}

/* The path's text made absolute; only what has dots in it costs a look. NULL = not to be
 * had. */
static const char *lexical_path(const struct question *ask, struct answer *out)
{
	const char *path = ask->what;

	if (is_normal(path))
		return path;
	if (path[0] && path[0] != '/' && join_folder(ask->number, path, out) &&
	    is_normal(out->place.path))
		return out->place.path;
	return resolve(ask, out) ? out->place.path : NULL;
}

bool question_is_granted(const struct question *ask, struct answer *room)
{
	const char *path = lexical_path(ask, room);
	unsigned rights = path ? policy_path_rights(shim.block, path, NULL) : 0;

	return rights && !(rights & PATH_DENY) && !(ask->access & ~rights);
}

const char *question_target(const struct question *ask, struct answer *out)
{
	switch (ask->subject) {
	case SUBJECT_PATH:
	case SUBJECT_EXEC:
		return lexical_path(ask, out);
	case SUBJECT_FD:
		return resolve_fd(ask->number, &out->place) < 0 ? NULL : out->place.path;
	case SUBJECT_TEXT:
	case SUBJECT_NAME:
	case SUBJECT_LOAD:
		return ask->what;
	case SUBJECT_ADDRESS:
		return say_address(ask->what, ask->length, out) ? out->text : NULL;
	case SUBJECT_FAMILY:
		address_say_family(ask->number, out->text);
		return out->text;
	case SUBJECT_SIGNAL:
		say_pid(ask->number, out->text);
		return out->text;
	default:
		return "";
	}
}
