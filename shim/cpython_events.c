/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of CPython's audit events (cpython_events.h). Arguments are counted as the
 * events pass them (docs.python.org, "Audit events table"; the same from 3.8 to 3.14).
 * Events that only wrap others (http.client.connect, glob.glob, tempfile.mkstemp) are
 * left out: the inner one is refused. So is os.chdir: being somewhere reads nothing.
 */
#include "shim/cpython_events.h"

#include "policy/policy.h"

#include <string.h>

#define NO_PATHS		 .path = { { -1, -1, 0, false, false }, { -1, -1, 0, false, false } }
#define ONE_PATH(...)		 .path = { { __VA_ARGS__ }, { -1, -1, 0, false, false } }
#define TWO_PATHS(first, second) .path = { first, second }

#define NETWORK(event, how, argument)                                                    \
	{                                                                                \
		event, EVENT_NETWORK, how, argument, false, NO_PATHS                     \
	}
#define PROCESS(event, how, argument, all)                                               \
	{                                                                                \
		event, EVENT_PROCESS, how, argument, all, NO_PATHS                       \
	}
#define LOAD(event, argument)                                                            \
	{                                                                                \
		event, EVENT_LOAD, 0, argument, false, NO_PATHS                          \
	}
/* Argument, its dir_fd (-1 = none), access; ENTRY the name itself. */
#define FILE1(event, at, fd, access, entry)                                              \
	{                                                                                \
		event, EVENT_PATH, 0, at, true, ONE_PATH(at, fd, access, entry, false)   \
	}
#define FILE2(event, first, second)                                                      \
	{                                                                                \
		event, EVENT_PATH, 0, 0, true, .path = { first, second }                 \
	}
#define ENTRY  true
#define TARGET false
#define BOTH   (PATH_READ | PATH_WRITE)
#define P(at, fd, access, entry)                                                         \
	{                                                                                \
		at, fd, access, entry, false                                             \
	}
#define LINK_TEXT(at)                                                                    \
	{                                                                                \
		at, -1, PATH_READ, false, true                                           \
	}

/* Sorted by name: find() halves it. */
static const struct cpython_event events[] = {
	{ "cpython._PySys_ClearAuditHooks", EVENT_END, 0, -1, true, NO_PATHS },
	LOAD("ctypes.", -1),
	{ "import", EVENT_IMPORT, 0, 0, false, NO_PATHS },
	{ "open", EVENT_OPEN, 0, 0, true, ONE_PATH(0, -1, 0, false, false) },
	FILE1("os.chmod", 0, 2, PATH_WRITE, TARGET),
	FILE1("os.chown", 0, 3, PATH_WRITE, TARGET),
	PROCESS("os.exec", PROCESS_EXEC, 0, false),
	PROCESS("os.fork", PROCESS_FORK, -1, true),
	PROCESS("os.forkpty", PROCESS_FORK, -1, true),
	FILE1("os.getxattr", 0, -1, PATH_READ, TARGET),
	{ "os.kill", EVENT_SIGNAL, 0, 0, false, NO_PATHS },
	{ "os.killpg", EVENT_SIGNAL, 0, 0, false, NO_PATHS },
	FILE2("os.link", P(0, 2, BOTH, ENTRY), P(1, 3, PATH_WRITE, ENTRY)),
	FILE1("os.listdir", 0, -1, PATH_READ, TARGET),
	FILE1("os.listxattr", 0, -1, PATH_READ, TARGET),
	FILE1("os.mkdir", 0, 2, PATH_WRITE, ENTRY),
	PROCESS("os.posix_spawn", PROCESS_SPAWN, 0, true),
	FILE1("os.remove", 0, 1, PATH_WRITE, ENTRY),
	FILE1("os.removexattr", 0, -1, PATH_WRITE, TARGET),
	FILE2("os.rename", P(0, 2, PATH_WRITE, ENTRY), P(1, 3, PATH_WRITE, ENTRY)),
	FILE1("os.rmdir", 0, 1, PATH_WRITE, ENTRY),
	FILE1("os.scandir", 0, -1, PATH_READ, TARGET),
	FILE1("os.setxattr", 0, -1, PATH_WRITE, TARGET),
	PROCESS("os.spawn", PROCESS_SPAWN, 1, true),
	FILE2("os.symlink", P(1, 2, PATH_WRITE, ENTRY), LINK_TEXT(0)),
	PROCESS("os.system", PROCESS_SPAWN, 0, false),
	FILE1("os.truncate", 0, -1, PATH_WRITE, TARGET),
	FILE1("os.utime", 0, 3, PATH_WRITE, TARGET),
	PROCESS("pty.spawn", PROCESS_SPAWN, 0, true),
	FILE1("shutil.chown", 0, -1, PATH_WRITE, TARGET),
	FILE2("shutil.copyfile", P(0, -1, PATH_READ, TARGET),
	      P(1, -1, PATH_WRITE, TARGET)),
	FILE2("shutil.copymode", P(0, -1, PATH_READ, TARGET),
	      P(1, -1, PATH_WRITE, TARGET)),
	FILE2("shutil.copystat", P(0, -1, PATH_READ, TARGET),
	      P(1, -1, PATH_WRITE, TARGET)),
	FILE2("shutil.copytree", P(0, -1, PATH_READ, TARGET),
	      P(1, -1, PATH_WRITE, TARGET)),
	FILE1("shutil.make_archive", 0, -1, PATH_WRITE, TARGET),
	FILE2("shutil.move", P(0, -1, PATH_WRITE, ENTRY), P(1, -1, PATH_WRITE, ENTRY)),
	FILE1("shutil.rmtree", 0, 1, PATH_WRITE, ENTRY),
	FILE2("shutil.unpack_archive", P(0, -1, PATH_READ, TARGET),
	      P(1, -1, PATH_WRITE, TARGET)),
	{ "socket.__new__", EVENT_NETWORK, NETWORK_SOCKET, 1, true, NO_PATHS },
	NETWORK("socket.bind", NETWORK_BIND, 1),
	NETWORK("socket.connect", NETWORK_CONNECT, 1),
	NETWORK("socket.getaddrinfo", NETWORK_LOOKUP, 0),
	NETWORK("socket.gethostbyaddr", NETWORK_LOOKUP, 0),
	NETWORK("socket.gethostbyname", NETWORK_LOOKUP, 0),
	NETWORK("socket.getnameinfo", NETWORK_LOOKUP, 0),
	NETWORK("socket.sendmsg", NETWORK_SEND, 1),
	NETWORK("socket.sendto", NETWORK_SEND, 1),
	{ "sqlite3.connect", EVENT_DATABASE, 0, 0, true,
	  ONE_PATH(0, -1, BOTH, false, false) },
	LOAD("sqlite3.enable_load_extension", -1),
	LOAD("sqlite3.load_extension", 1),
	PROCESS("subprocess.Popen", PROCESS_SPAWN, 0, true),
};
#define EVENT_COUNT (sizeof(events) / sizeof(*events))

const struct cpython_event *cpython_event_rows(unsigned *count)
{
	*count = EVENT_COUNT;
	return events;
}

/* As strcmp, but a row that ends in '.' is equal to all that begin so. */
static int compare(const char *name, const char *row)
{
	size_t length = strlen(row);

	return row[length - 1] == '.' ? strncmp(name, row, length) : strcmp(name, row);
}

const struct cpython_event *cpython_event_find(const char *name)
{
	size_t low = 0, high = EVENT_COUNT;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(name, events[middle].name);

		if (!order)
			return &events[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
