#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the kernel tells of a program's refused calls: in the result, trusted, with target and errno; for static
# programs, which no preloaded library sees, of what they open too.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX
base=$(mktemp -d)
trap 'cd / && rm -rf "$base"' EXIT
mkdir "$base/project" "$base/temp" && cd "$base/project" || exit 1
export TMPDIR=$base/temp
echo secret >"$base/secret"
echo '#!/bin/sh' >"$base/tool"
chmod +x "$base/tool"

"$STILE" run -- true 2>/dev/null || skip_all "native is not available here"
cat >calls.c <<'C'
/* Makes the calls its arguments name and prints how each ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <unistd.h>

static long call_socket(const char *a) { (void)a; return socket(AF_INET, SOCK_STREAM, 0); }
static long call_ptrace(const char *a) { (void)a; return ptrace(PTRACE_TRACEME, 0, NULL, NULL); }
/* Past every library. */
static long call_raw(const char *a)
{
	long r = SYS_socket;

	(void)a;
#if defined(__x86_64__)
	__asm__ volatile("syscall" : "+a"(r) : "D"(AF_INET), "S"(SOCK_STREAM), "d"(0)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = r, x0 __asm__("x0") = AF_INET,
		      x1 __asm__("x1") = SOCK_STREAM, x2 __asm__("x2") = 0;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(number), "r"(x1), "r"(x2) : "memory");
	r = x0;
#else
	return syscall(r, AF_INET, SOCK_STREAM, 0);
#endif
	errno = r < 0 ? (int)-r : 0;
	return r < 0 ? -1 : r;
}

static long call_open(const char *a) { return open(a, O_RDONLY); }
static long call_write(const char *a) { return open(a, O_WRONLY | O_CREAT, 0600); }
static long call_mkdir(const char *a) { return mkdir(a, 0700); }
static long call_unlink(const char *a) { return unlink(a); }
static long call_rename(const char *a) { return rename("calls.c", a); }
static long call_chdir(const char *a) { return chdir(a); }
static long call_kill(const char *a) { return kill(atoi(a), 0); }
static long call_exec(const char *a) { return execl(a, a, NULL); }

static long call_child(const char *a)
{
	pid_t pid = fork();
	int status;

	(void)a;
	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0 || kill(pid, SIGKILL) < 0)
		return -1;
	return waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL ? 0 : -1;
}

static long call_connect(const char *a)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(to.sun_path, a, sizeof(to.sun_path) - 1);
	return fd < 0 ? fd : connect(fd, (struct sockaddr *)&to, sizeof(to));
}

/* Standard input is a socket of the Internet. */
static long call_inherited(const char *a)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };

	(void)a;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connect(0, (struct sockaddr *)&to, sizeof(to));
}

static long call_sendto(const char *a)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };

	(void)a;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sendto(0, "x", 1, 0, (struct sockaddr *)&to, sizeof(to));
}

static long call_sendmsg(const char *a)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	struct iovec part = { (char *)"x", 1 };
	struct msghdr message = { .msg_name = &to, .msg_namelen = sizeof(to),
				  .msg_iov = &part, .msg_iovlen = 1 };

	(void)a;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sendmsg(0, &message, 0);
}

/* A filter of the program's own; a listener must not be had. */
static long call_filter(const char *a)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { 6, code };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, atoi(a), &filter);
}

static long call_parent(const char *a) { (void)a; return syscall(SYS_getppid); }

static void *call_on(void *unused)
{
	for (;;)
		(void)socket(AF_INET, SOCK_STREAM, 0);
	return unused;
}

/* Threads that are killed while they wait for an answer. */
static long call_crowd(const char *a)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, call_on, NULL))
			return -1;
	usleep((useconds_t)atoi(a));
	return 0;
}

/* Changes the name between reading and using: the walls must hold whatever was judged. */
static volatile char *name;
static const char *secret;

static void *change(void *unused)
{
	for (;;) {
		memcpy((char *)name, "calls.c", sizeof("calls.c"));
		memcpy((char *)name, secret, strlen(secret) + 1);
	}
	return unused;
}

static long call_race(const char *a)
{
	char room[4096] = "calls.c", text[16] = "";
	pthread_t thread;

	name = room;
	secret = a;
	if (pthread_create(&thread, NULL, change, NULL))
		return -1;
	for (int i = 0; i < 3000; i++) {
		int fd = open(room, O_RDONLY);

		if (fd >= 0 && read(fd, text, 6) == 6 && !strncmp(text, "secret", 6))
			return 1;
		close(fd);
	}
	errno = EACCES;
	return -1;
}

static const struct {
	const char *word;
	long (*act)(const char *argument);
} calls[] = {
	{ "socket", call_socket }, { "ptrace", call_ptrace }, { "open:", call_open },
	{ "write:", call_write }, { "mkdir:", call_mkdir }, { "unlink:", call_unlink },
	{ "rename:", call_rename }, { "chdir:", call_chdir }, { "kill:", call_kill },
	{ "exec:", call_exec }, { "child", call_child }, { "connect:", call_connect },
	{ "inherited", call_inherited }, { "sendto", call_sendto }, { "sendmsg", call_sendmsg },
	{ "filter:", call_filter }, { "parent", call_parent }, { "crowd:", call_crowd },
	{ "race:", call_race }, { "raw", call_raw },
};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof(calls) / sizeof(*calls); k++) {
			size_t length = strlen(calls[k].word);

			if (strncmp(argv[i], calls[k].word, length))
				continue;
			printf("%s %s\n", calls[k].word,
			       calls[k].act(argv[i] + length) < 0 ? strerrorname_np(errno) : "done");
			fflush(stdout);
		}
	return 0;
}
C
cat >around.c <<'C'
/* "listener": has a filter with a listener; "socket": standard input is a socket; then the rest is run. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog filter = { 1, code };
	int fd;

	(void)argc;
	if (!strcmp(argv[1], "socket")) {
		fd = socket(AF_INET, SOCK_DGRAM, 0);
	} else {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				  SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
		/* With its last descriptor the listener would be gone. */
		if (fcntl(fd, F_SETFD, 0) < 0)
			return 97;
	}
	if (fd < 0 || (!strcmp(argv[1], "socket") && dup2(fd, 0) < 0))
		return 99;
	execv(argv[2], argv + 2);
	return 98;
}
C
if ! cc -O1 -pthread -static -o calls calls.c 2>cc.log || ! cc -O1 -pthread -o dynamic calls.c ||
	! cc -o around around.c; then
	skip_all "there is no compiler with a static C library here"
fi

# run FILE WORD…: the output of the calls as one line; the result in $base/result.
run() { "$STILE" run --result "$base/result" -- "$@" 2>"$base/err" | tr '\n' ' '; }
# denials: one line each, what the kernel saw.
denials() {
	python3 -c 'import json,sys
for d in json.load(open(sys.argv[1]))["denials"]:
    if d["trusted"]:
        print(d["layer"], d["axis"], d["call"], d["target"], d["errno"], d["count"])' "$base/result" 2>&1
}
of() { python3 -c 'import json,sys
v=json.load(open(sys.argv[1]))
for k in sys.argv[2].split("."): v = v[int(k)] if isinstance(v, list) else v[k]
print(v)' "$base/result" "$1" 2>&1; }

run ./calls >/dev/null
if [ "$(of layers.seccomp.notify.enforced)" != True ]; then
	skip_all "this kernel gives no listener: $(of layers.seccomp.notify.why)"
fi
is "a program that is refused nothing has no denials" "$(denials)" ""

is "what the filter refuses keeps its errno" "$(run ./calls socket ptrace)" 'socket EACCES ptrace EPERM '
is "and is told" "$(denials)" 'seccomp network socket AF_INET EACCES 1
seccomp syscall ptrace None EPERM 1'
is "with what would allow it" "$(of denials.0.fix)" '--network host'
is "with a sentence" "$(of denials.0.reason)" "a socket of 'AF_INET' is not allowed under this policy"
like "with the process's own number" "$(of denials.0.pid)" '^[1-9][0-9]*$'
like "with the time" "$(of denials.0.at_ms)" '^[0-9]+$'
is "the shim was not bypassed: there is none in it" "$(of denials.0.shim_bypassed)" False
is "the same again is counted" "$(run ./calls socket socket socket; denials)" \
	'socket EACCES socket EACCES socket EACCES seccomp network socket AF_INET EACCES 3'
is "a dynamic program's refusals too" "$(run ./dynamic ptrace; denials)" \
	'ptrace EPERM seccomp syscall ptrace None EPERM 1'

# In one's own root the folders above are not there; without one they are, but closed.
own_root=$(of layers.namespaces | grep -o "'name': 'mount', 'enforced': [A-Za-z]*" | grep -c True)
if [ "$own_root" = 1 ]; then hidden="namespace path openat" none=ENOENT; else hidden="landlock path openat" none=EACCES; fi
is "a file outside" "$(run ./calls "open:$base/secret")" "open: $none "
is "is told with its path" "$(denials)" "$hidden $base/secret $none 1"
is "and the flag" "$(of denials.0.fix)" "--read $base/secret"
is "a relative path, by the working directory" "$(run ./calls chdir:/usr open:..$base/secret; denials)" \
	"chdir: done open: $none $hidden $base/secret $none 1"
ln -s "$base/secret" link
is "a link leads where it leads" "$(run ./calls open:link >/dev/null; denials | cut -d ' ' -f 2-5)" \
	"path openat $base/secret $none"
rm -f link
is "what is nowhere is no denial" "$(run ./calls open:/nowhere open:/usr/nowhere; denials)" \
	'open: ENOENT open: ENOENT '
is "what is allowed is no denial" "$(run ./calls open:/usr/bin/env write:new mkdir:folder unlink:new; denials)" \
	'open: done write: done mkdir: done unlink: done '
rmdir folder
got=$(run ./calls write:/usr/new mkdir:/usr/new unlink:/usr/bin/env write:/usr/bin/env)
is "errnos foreseen are the errnos had" "$(denials | cut -d ' ' -f 5 | tr '\n' ' ')" \
	"$(tr ' ' '\n' <<<"$got" | grep '^E' | tr '\n' ' ')"
is "each with its call" "$(denials | cut -d ' ' -f 3,4 | tr '\n' ' ')" \
	'openat /usr/new mkdir /usr/new unlink /usr/bin/env openat /usr/bin/env '
is "a move to another mount, or closed folder" "$(run ./calls rename:/usr/new | cut -d ' ' -f 2; denials | wc -l)" \
	"$([ "$own_root" = 1 ] && printf 'EXDEV\n0' || printf 'EACCES\n1')"
is "a folder of programs outside" "$(run ./calls "exec:$base/tool")" "exec: $none "
is "is told too" "$(denials | cut -d ' ' -f 2-)" "executable execve $base/tool $none 1"
is "what may be read is not to be executed" "$(run ./calls exec:/etc/passwd; denials)" \
	'exec: EACCES landlock executable execve /etc/passwd EACCES 1'
is "exec goes on" "$(run ./calls exec:/bin/true; denials)" ""

is "the shim is not accused where it told, or has no hook" \
	"$(run ./dynamic socket ptrace "kill:$$" kill:1 exec:/etc/passwd >/dev/null
	python3 -c 'import json,sys
print(*[d["call"] for d in json.load(open(sys.argv[1]))["denials"] if d["shim_bypassed"]])' "$base/result")" ""
got=$(run ./dynamic raw)
is "a call past every library is refused" "$got" 'raw EACCES '
is "and told" "$(denials)" 'seccomp network socket AF_INET EACCES 1'
if [ "$(of layers.shim.processes)" = 1 ]; then
	is "as having bypassed the shim of that process" "$(of denials.0.shim_bypassed)" True
else
	skip "as having bypassed the shim of that process" "there is no shim: $(of layers.shim.why)"
fi
is "opens of a dynamic program are told when asked for" \
	"$("$STILE" run --explain=kernel --result "$base/result" -- ./dynamic "open:$base/secret" 2>/dev/null; denials)" \
	"open: $none
$hidden $base/secret $none 1"

is "its own children it may signal" "$(run ./calls child kill:0; denials)" 'child done kill: done '
run ./calls kill:1 "kill:$$" >"$base/out"
like "nobody else" "$(cat "$base/out")" '^kill: EPERM kill: (ESRCH|EPERM) $'
like "which is told" "$(denials)" "^seccomp signal kill pid 1 EPERM 1
(namespace signal kill pid $$ ESRCH|seccomp signal kill pid $$ EPERM) 1\$"

is "an inherited socket reaches nobody" \
	"$("$base/project/around" socket "$STILE" run --result "$base/result" -- ./calls inherited sendto sendmsg | tr '\n' ' ')" \
	'inherited EACCES sendto EACCES sendmsg EACCES '
is "which is told with the address" "$(denials | cut -d ' ' -f 2-5)" \
	'network connect 127.0.0.1:9 EACCES
network sendto 127.0.0.1:9 EACCES
network sendmsg 127.0.0.1:9 EACCES'
python3 - "$base/listening" <<'P' &
import signal, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
signal.alarm(30)
signal.pause()
P
server=$!
for _ in $(seq 100); do [ -S "$base/listening" ] && break; sleep 0.1; done
is "a UNIX socket outside of the policy" "$(run ./calls "connect:$base/listening")" "connect: $none "
is "is told" "$(denials | cut -d ' ' -f 2-5)" "network connect unix:$base/listening $none"
kill "$server"

is "a filter of its own holds beside ours" "$(run ./calls filter:0 parent socket)" \
	'filter: done parent EXDEV socket EACCES '
is "and lets nothing through" "$(run ./calls filter:0 ptrace)" 'filter: done ptrace ENOSYS '
is "a listener of its own it has not" "$(run ./calls filter:8 ptrace)" 'filter: EBUSY ptrace EPERM '

is "threads that die while they wait hold nobody" "$(run ./calls crowd:20000)" 'crowd: done '
is "the run is over and well" "$(of status)" ok
"$STILE" run --wall 1 --result "$base/result" -- ./calls crowd:30000000 >/dev/null 2>&1
is "a flood of calls does not hold the clock" $? 155
ok "by much" test "$(of duration_ms)" -lt 4000
like "and is told once" "$(denials | head -n 1)" '^seccomp network socket AF_INET EACCES [0-9]+$'
ok "what is judged and what is used may differ: the walls hold" \
	test "$(run ./calls "race:$base/secret")" = 'race: EACCES '

"$STILE" run --result "$base/result" -- ./calls crowd:300000 socket >"$base/out" 2>/dev/null &
stile=$!
sleep 0.2
kill -STOP $stile
sleep 0.5
kill -CONT $stile
wait $stile
is "a launcher that sleeps is waited for" "$(tr '\n' ' ' <"$base/out")" 'crowd: done socket EACCES '

printf '%s\n' "{\"op\":\"run\",\"argv\":[\"./dynamic\",\"open:$base/secret\",\"socket\"]}" \
	"{\"op\":\"run\",\"argv\":[\"./calls\",\"open:$base/secret\",\"socket\"]}" \
	'{"op":"run","argv":["./calls"]}' |
	"$STILE" session --profile tool --root . >"$base/session" 2>/dev/null
is "each run of a session has its own; opens are told of static programs" \
	"$(python3 -c 'import json,sys
for line in open(sys.argv[1]):
    print(*[d["call"] for d in json.loads(line)["denials"] if d["trusted"]])' "$base/session")" \
	'socket
openat socket'

"$base/project/around" listener "$STILE" run --result "$base/result" -- ./calls socket open:/usr/bin/env >"$base/out" 2>/dev/null
is "inside of another's listener the filter holds" "$(tr '\n' ' ' <"$base/out")" \
	'socket EACCES open: done '
is "nothing is told" "$(denials)" ""
is "which the result says" "$(of layers.seccomp.notify.enforced)" False
like "and why" "$(of layers.seccomp.notify.why)" '^Device or resource busy: '
if [ -n "${REFUSE:-}" ]; then
	"$REFUSE" seccomp:1:8 EINVAL -- "$STILE" run --result "$base/result" -- ./calls socket >"$base/out" 2>/dev/null
	is "a kernel without listeners: the filter holds" "$(cat "$base/out")" 'socket EACCES'
	is "and the result says so" "$(of layers.seccomp.notify.why)" 'Invalid argument'
else
	skip "a kernel without listeners" "REFUSE is not set"
fi
done_testing
