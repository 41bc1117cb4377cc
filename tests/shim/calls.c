/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One call of each hooked name, made from the table itself: the names of the parameters choose
 * the values, which stand below. `calls NAME` makes it in the current folder (file, link, dir/,
 * tool, object, and descriptor 9 of the file) and prints "NAME ok" or "NAME failed ERRNO". With
 * FOREIGN set, signals go to process 1.
 */
#include "shim/hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

/* --- values ------------------------------------------------------------------------------------------- */

static char template[64] = "file", buffer[65536] __attribute__((aligned(16)));
static char *path = template, *const paths[] = { template, NULL }, *hosts[] = { buffer, NULL };
static char *room = buffer, *terminal;
static const char *from = "file", *to = "made", *name = "user.name", *target = "file", *how = "r", *kind = "none";
static const char *service = "80", *user = "u", *password = "p", *command = "c", *words = "";
static void *file, *filter, *compare, *list = buffer, *visit, *handle = buffer, *attr, *device_at, *times, *data = buffer;
static void *hints, *info, *message, *messages, *address, *out = buffer, *answer = buffer, *state = buffer;
static void *termios, *window, *event, *local, *remote, *image = buffer, *host = buffer, *size_at, *value = buffer;
static int dir = AT_FDCWD, from_dir = AT_FDCWD, to_dir = AT_FDCWD, fd, fds = 8, flags, length, mount_fd = -1, options;
static int version, domain = AF_INET, type = SOCK_STREAM, protocol, backlog = 1, family = AF_INET, class = 1;
static int keep_folder = 1, keep_output = 1, number, group, pidfd = -1;
static int master_at, problem_at, mount_number, *master = &master_at, *problem = &problem_at, *mount_at = &mount_number;
static mode_t mode = 0644;
static size_t size = 16, limit = sizeof(buffer);
static uid_t owner;
static gid_t gid;
static unsigned mask, count = 1;
static unsigned long locals, remotes;
static unsigned short port = 9;
static pid_t pid, tid;
static pthread_t self;
static union sigval sent;
static dev_t device;
static struct sockaddr_in inet = { .sin_family = AF_INET };
static struct mmsghdr header = { .msg_hdr = { .msg_name = &inet, .msg_namelen = sizeof(inet) } };
static pid_t own;

/* Names that need another value than the others: the first row that is part of the name decides. */
static const struct {
	const char *part, *path, *how;
	mode_t mode;
} need_rows[] = {
	{ "scandir", "dir", "r", 0 },     { "opendir", "dir", "r", 0 },	   { "chdir", "dir", "r", 0 },
	{ "rmdir", "dir", "r", 0 },	  { "ftw", "dir", "r", 0 },	   { "fts", "dir", "r", 0 },
	{ "mkdtemp", "made-XXXXXX", "r", 0 }, { "temp", "made-XXXXXX", "r", 0 }, { "mkdir", "made", "r", 0755 },
	{ "mk", "made", "r", S_IFIFO | 0644 }, { "symlink", "made", "r", 0 }, { "creat", "made", "r", 0644 },
	{ "readlink", "link", "r", 0 },	  { "access", "file", "r", R_OK }, { "fopen", "made", "w", 0 },
	{ "fchmod", "file", "r", 0600 },  { "", "file", "r", 0644 },
};

static int visit_none(void)
{
	return 0;
}

static void prepare(const char *call)
{
	size_t row = 0;

	while (!strstr(call, need_rows[row].part))
		row++;
	strcpy(template, need_rows[row].path);
	how = need_rows[row].how;
	mode = need_rows[row].mode;
	own = getpid();
	pid = group = getenv("FOREIGN") ? 1 : own;
	tid = own;
	self = pthread_self();
	owner = getuid();
	gid = getgid();
	inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	inet.sin_port = htons(9);
	message = messages = &header;
	address = &inet;
	visit = (void *)visit_none;
	device_at = &device;
	fd = 9;
	if (strstr(call, "xmk") || strstr(call, "xstat"))
		version = strstr(call, "xmk") ? 0 : 1;
	if (!strcmp(call, "fchdir"))
		fd = open("dir", O_RDONLY | O_CLOEXEC);
	if (strstr(call, "realpath"))
		out = NULL;
	if (strstr(call, "freopen"))
		file = fopen("/dev/null", "r");
	if (strstr(call, "shm_") || strstr(call, "sem_") || strstr(call, "mq_"))
		name = "/stile-calls-none";
}

/* --- the calls of the table ---------------------------------------------------------------------------- */

static int report(const char *call, bool has_failed, int error)
{
	if (getpid() != own)
		_exit(0); /* a child that the call made */
	if (has_failed)
		printf("%s failed %s\n", call, error ? strerrorname_np(error) : "0");
	else
		printf("%s ok\n", call);
	return 0;
}

#define CALL_OF(type_, name_, params, args, failed, error) \
	static int call_##name_(void) \
	{ \
		type_(*next) params = dlsym(RTLD_DEFAULT, #name_); \
		type_ result; \
\
		errno = 0; \
		result = next args; \
		return report(#name_, failed, error); \
	}
#define HOOK(type_, name_, params, args, ...) CALL_OF(type_, name_, params, args, result == (type_)-1, errno)
#define HOOKP(type_, name_, params, args, ...) CALL_OF(type_, name_, params, args, !result, errno)
#define HOOKE(type_, name_, params, args, ...) CALL_OF(type_, name_, params, args, result, result)
#define HOOKA(type_, name_, params, args, ...) CALL_OF(type_, name_, params, args, result, 0)
#define OWN(...)
#define JUMP(...)
#include "shim/hooks.def"
#undef HOOK
#undef HOOKP
#undef HOOKE
#undef HOOKA

/* --- the calls that are written by hand ------------------------------------------------------------------ */

#define BY_HAND(name_, type_, params, args, failed) \
	static int call_##name_(void) \
	{ \
		type_(*next) params = dlsym(RTLD_DEFAULT, #name_); \
		type_ result; \
\
		errno = 0; \
		result = next args; \
		return report(#name_, failed, errno ? errno : (int)(long)result); \
	}
#define OPENS(name_) BY_HAND(name_, int, (const char *, int, ...), ("made", O_CREAT | O_WRONLY, 0600), result < 0)
#define OPENS_AT(name_) \
	BY_HAND(name_, int, (int, const char *, int, ...), (AT_FDCWD, "made", O_CREAT | O_WRONLY, 0600), result < 0)
#define OPENS_FORTIFIED(name_) BY_HAND(name_, int, (const char *, int), ("file", O_RDONLY), result < 0)
#define OPENS_FORTIFIED_AT(name_) \
	BY_HAND(name_, int, (int, const char *, int), (AT_FDCWD, "file", O_RDONLY), result < 0)
OPENS(open)
OPENS(open64)
OPENS(__open)
OPENS(__open64)
OPENS_AT(openat)
OPENS_AT(openat64)
OPENS_FORTIFIED(__open_2)
OPENS_FORTIFIED(__open64_2)
OPENS_FORTIFIED_AT(__openat_2)
OPENS_FORTIFIED_AT(__openat64_2)

static const struct open_how open_how = { .flags = O_RDONLY };
BY_HAND(openat2, int, (int, const char *, const void *, size_t), (AT_FDCWD, "file", &open_how, sizeof(open_how)),
	result < 0)

static char tool[] = "./tool";
static char *const tool_argv[] = { tool, NULL };
#define EXECS(name_, params, args) BY_HAND(name_, int, params, args, result < 0)
EXECS(execve, (const char *, char *const *, char *const *), (tool, tool_argv, environ))
EXECS(execv, (const char *, char *const *), (tool, tool_argv))
EXECS(execvp, (const char *, char *const *), (tool, tool_argv))
EXECS(execvpe, (const char *, char *const *, char *const *), (tool, tool_argv, environ))
EXECS(execl, (const char *, const char *, ...), (tool, tool, (char *)NULL))
EXECS(execle, (const char *, const char *, ...), (tool, tool, (char *)NULL, environ))
EXECS(execlp, (const char *, const char *, ...), (tool, tool, (char *)NULL))
EXECS(fexecve, (int, char *const *, char *const *), (open(tool, O_PATH | O_CLOEXEC), tool_argv, environ))
EXECS(execveat, (int, const char *, char *const *, char *const *, int), (AT_FDCWD, tool, tool_argv, environ, 0))

static int end_child(int made)
{
	if (!made)
		_exit(0);
	if (made > 0)
		(void)waitpid(made, NULL, 0);
	return made;
}

#define SPAWNS(name_) \
	BY_HAND(name_, int, (void *, const char *, void *, void *, char *const *, char *const *), \
		(&pid, tool, NULL, NULL, tool_argv, environ), result || end_child(pid) < 0)
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)
SPAWNS(pidfd_spawn)
SPAWNS(pidfd_spawnp)
#define FORKS(name_) BY_HAND(name_, pid_t, (void), (), end_child(result) < 0)
FORKS(fork)
FORKS(__fork)
FORKS(_Fork)
FORKS(vfork)
FORKS(__vfork)
BY_HAND(system, int, (const char *), ("exec ./tool"), result)
BY_HAND(popen, void *, (const char *, const char *), ("exec ./tool", "w"), !result || pclose(result))
BY_HAND(_IO_popen, void *, (const char *, const char *), ("exec ./tool", "w"), !result || pclose(result))
BY_HAND(wordexp, int, (const char *, void *, int), ("$(./tool)", buffer, 0), result)

static int child_of_clone(void *nothing)
{
	(void)nothing;
	return 0;
}

#define CLONES(name_) \
	BY_HAND(name_, int, (int (*)(void *), void *, int, void *, ...), \
		(child_of_clone, buffer + sizeof(buffer) / 2, SIGCHLD, NULL), end_child(result) < 0)
CLONES(clone)
CLONES(__clone)
BY_HAND(ptrace, long, (long, ...), (PTRACE_PEEKDATA, 0L, NULL, NULL), result < 0)
BY_HAND(syscall, long, (long, ...), ((long)SYS_openat, AT_FDCWD, "made", O_CREAT | O_WRONLY, 0600), result < 0)
BY_HAND(dlopen, void *, (const char *, int), ("./object", RTLD_NOW), !result)
BY_HAND(dlmopen, void *, (long, const char *, int), (LM_ID_NEWLM, "./object", RTLD_NOW), !result)

/* --- by name ------------------------------------------------------------------------------------------------ */

static int (*const calls[])(void) = {
#define HOOK(type_, name_, ...) call_##name_,
#define HOOKP(type_, name_, ...) call_##name_,
#define HOOKE(type_, name_, ...) call_##name_,
#define HOOKA(type_, name_, ...) call_##name_,
#undef OWN
#define OWN(type_, name_, ...) call_##name_,
#undef JUMP
#define JUMP(name_) call_##name_,
#include "shim/hooks.def"
};

int main(int argc, char **argv)
{
	unsigned hook = 0;

	if (argc != 2)
		return 2;
	while (hook < HOOK_COUNT && strcmp(hook_name(hook), argv[1]) != 0)
		hook++;
	if (hook == HOOK_COUNT)
		return 2;
	if (!dlsym(RTLD_DEFAULT, argv[1])) {
		printf("%s absent\n", argv[1]);
		return 0;
	}
	prepare(argv[1]);
	return calls[hook]();
}
