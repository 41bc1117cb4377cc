/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPython's audit hook (PEP 578): the interpreter's own events, judged by the policy and
 * refused with the interpreter's own exceptions.
 *
 * Runs inside the program, in threads that hold the interpreter. Registered in the
 * constructor, before the interpreter starts: Python code cannot take it out again. It is
 * a first word with a good reason, not a wall: _posixsubprocess.fork_exec, os.mkfifo and
 * others have no event at all, and native code can undo anything in its own process. In
 * the profile `code` it refuses all that the profile does not give, in the words of that
 * profile; elsewhere only what the walls refuse anyway. Before the interpreter is
 * initialised it refuses nothing.
 */
#include "shim/cpython_entry.h"
#include "shim/cpython_inquiry.h"
#include "shim/cpython_where.h"
#include "shim/script.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CODE_TEXT_MAX (PATH_MAX + 128)

/* --- network ------------------------------------------------------------------------ */

static void append(char *out, const char *text)
{
	size_t used = strlen(out);

	script_copy(out + used, PATH_MAX - used, text);
}

static void append_number(char *out, long number)
{
	char digits[24], *at = digits + sizeof(digits);
	unsigned long rest = number < 0 ? 0ul - (unsigned long)number
					: (unsigned long)number;

	*--at = '\0';
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		*--at = '-';
	append(out, at);
}

/* A socket's address as the policy writes it: (host, port, …), or a UNIX socket's path.
 */
static void describe_address(struct inquiry *q, struct object *address)
{
	struct object *host;

	if (!address)
		return;
	if (!cpython_is_tuple(address)) {
		if (q->row->use != NETWORK_LOOKUP)
			append(q->target.path, "unix:");
		(void)cpython_text(address, q->given, sizeof(q->given));
		return append(q->target.path, q->given);
	}
	host = cpython_item(address, 0);
	if (host && !cpython_is_number(host) &&
	    cpython_text(host, q->given, sizeof(q->given)) >= 0)
		append(q->target.path, q->given);
	append(q->target.path, ":");
	append_number(q->target.path, cpython_number(cpython_item(address, 1), 0));
}

/* socket() itself is what the walls refuse; without them a socket that is never connected
 * harms nobody. */
static bool describe_family(struct inquiry *q)
{
	switch (cpython_number(cpython_item(q->args, q->row->target), -1)) {
	case AF_INET:
		append(q->target.path, "AF_INET");
		break;
	case AF_INET6:
		append(q->target.path, "AF_INET6");
		break;
	default:
		return false;
	}
	return shim.flags & RING_WALLS;
}

static void ask_network(struct inquiry *q)
{
	struct object *address = cpython_item(q->args, q->row->target);

	if (q->row->use == NETWORK_SEND && !address)
		return; /* connected: judged then */
	if (q->row->use != NETWORK_SOCKET)
		describe_address(q, address);
	else if (!describe_family(q))
		return;
	policy_decide_network(q->block, q->row->use, q->target.path, &q->text,
			      &q->verdict);
	q->error = EACCES;
}

/* --- processes, signals ------------------------------------------------------------- */

/* In `code` replacing the interpreter counts as well: what came after it would not be the
 * script. */
static void ask_process(struct inquiry *q)
{
	(void)cpython_text(cpython_item(q->args, q->row->target), q->target.path,
			   sizeof(q->target.path));
	policy_decide_process(q->block, PROCESS_FORK, "/", &q->text, &q->verdict);
	q->error = EPERM;
}

static bool is_own(const char *event, long pid)
{
	if (!strcmp(event, "os.killpg"))
		return pid == 0 || pid == getpgrp();
	return pid == 0 || pid == getpid() || pid == -getpgrp();
}

static void ask_signal(struct inquiry *q)
{
	long pid = cpython_number(cpython_item(q->args, q->row->target), 0);

	append(q->target.path, strcmp(q->event, "os.killpg") ? "pid " : "process group ");
	append_number(q->target.path, pid);
	policy_decide_signal(q->block, is_own(q->event, pid), q->target.path, &q->text,
			     &q->verdict);
	q->error = EPERM;
}

/* --- native code -------------------------------------------------------------------- */

/* Modules whose only use is native code without a wall in between. */
static const char *const native_modules[] = { "_ctypes", "ctypes", "_cffi_backend",
					      "cffi" };

static bool is_native(const char *name)
{
	size_t length = strcspn(name, ".");
	bool is = false;

	for (size_t i = 0; i < sizeof(native_modules) / sizeof(*native_modules); i++)
		is |= strlen(native_modules[i]) == length &&
		      !strncmp(native_modules[i], name, length);
	return is;
}

static void deny_load(struct inquiry *q)
{
	q->verdict = (struct verdict){
		.action = ACTION_DENY,
		.axis = AXIS_LOAD,
		.reason = "loading native code is not allowed under this policy",
		.fix = "\"load\": true"
	};
}

static void ask_load(struct inquiry *q)
{
	if (q->block->load)
		return;
	(void)cpython_text(cpython_item(q->args, q->row->target), q->target.path,
			   sizeof(q->target.path));
	deny_load(q);
}

/* The module's name first; then, in an event of its own, the shared object it stands in.
 */
static void ask_import(struct inquiry *q)
{
	struct object *file = cpython_item(q->args, 1);
	const char *base;

	if (q->block->load)
		return;
	if (cpython_text(cpython_item(q->args, 0), q->target.path,
			 sizeof(q->target.path)) > 0 &&
	    is_native(q->target.path))
		return deny_load(q);
	q->target.path[0] = '\0';
	if (!file || cpython_text(file, q->given, sizeof(q->given)) <= 0)
		return;
	base = strrchr(q->given, '/');
	append(q->target.path, q->given);
	if (is_native(base ? base + 1 : q->given))
		return deny_load(q);
	inquiry_ask_object(q, file);
}

/* --- the answer --------------------------------------------------------------------- */

static void (*const askers[EVENT_KINDS])(struct inquiry *) = {
	[EVENT_NETWORK] = ask_network,	 [EVENT_PROCESS] = ask_process,
	[EVENT_SIGNAL] = ask_signal,	 [EVENT_LOAD] = ask_load,
	[EVENT_IMPORT] = ask_import,	 [EVENT_PATH] = inquiry_ask_path,
	[EVENT_OPEN] = inquiry_ask_open, [EVENT_DATABASE] = inquiry_ask_database,
};

static void say(const struct inquiry *q, char *out)
{
	const char *target = q->given[0] ? q->given : q->target.path;

	out[0] = '\0';
	if (q->is_code)
		policy_say_code(q->verdict.axis, q->event, target, out, CODE_TEXT_MAX);
	if (!out[0])
		script_copy(out, CODE_TEXT_MAX, q->verdict.reason);
}

/* The exception's arguments: OSError's are errno, text, and (outside `code`, where the text has it) the file. */
static struct object *make_arguments(const struct inquiry *q, const char *text)
{
	struct object *message = cpython.PyUnicode_DecodeFSDefault(text);

	if (!q->error)
		return cpython.Py_BuildValue("(N)", message);
	if (q->is_code || !q->given[0])
		return cpython.Py_BuildValue("(iN)", q->error, message);
	return cpython.Py_BuildValue("(iNN)", q->error, message,
				     cpython.PyUnicode_DecodeFSDefault(q->given));
}

/* OSError makes an object of the class that belongs to the errno, PermissionError for those we give. It must
 * be raised as what it is: up to 3.11 `except` looks at the class that was raised. */
static void raise_error(const struct inquiry *q, const char *text)
{
	struct object *class = q->error ? *cpython.PyExc_OSError : *cpython.PyExc_RuntimeError;
	struct object *arguments = make_arguments(q, text), *error, *type;

	error = arguments ? cpython.PyObject_CallObject(class, arguments) : NULL;
	if (arguments)
		cpython.Py_DecRef(arguments);
	if (!error)
		return; /* out of memory, which is an exception already */
	type = cpython.PyObject_Type(error);
	cpython.PyErr_SetObject(type, error);
	cpython.Py_DecRef(type);
	cpython.Py_DecRef(error);
}

static void tell(struct inquiry *q, const char *text)
{
	struct ring_script script;
	bool has_script = script_here(&script);

	q->verdict.layer = LAYER_SHIM;
	shim_tell(&(struct shim_event){ .hook = RING_NO_HOOK,
					.call = q->event,
					.target = q->target.path,
					.access = q->access,
					.error = shim.flags & RING_OBSERVE ? 0 : q->error,
					.verdict = &q->verdict,
					.text = text,
					.caller = q->caller,
					.frame = q->frame,
					.script = has_script ? &script : NULL });
}

/* 0, or -1 with the exception set. What the walls only hide is left to them; the hook of
 * the libc function that comes next tells it, and finds the place noted. */
static int conclude(struct inquiry *q)
{
	char text[CODE_TEXT_MAX];

	if (q->verdict.action == ACTION_ALLOW)
		return 0;
	if (!q->is_code && !q->error) {
		cpython_note(true);
		return 0;
	}
	say(q, text);
	tell(q, text);
	if (shim.flags & RING_OBSERVE) {
		cpython_note(true);
		return 0;
	}
	raise_error(q, text);
	return -1;
}

struct event {
	const char *name;
	const struct cpython_event *row;
	struct object *args;
	const void *caller, *frame;
};

/* Not inlined: its room is taken only for events of the table. */
__attribute__((noinline)) static int judge(struct event e)
{
	struct inquiry q;

	q.event = e.name;
	q.row = e.row;
	q.args = e.args;
	q.caller = e.caller;
	q.frame = e.frame;
	q.block = shim.block;
	q.is_code = shim.flags & RING_CODE;
	q.verdict = (struct verdict){ .action = ACTION_ALLOW, .reason = "", .fix = "" };
	q.error = 0;
	q.access = 0;
	q.given[0] = q.target.path[0] = '\0';
	if (!q.is_code && !e.row->is_for_all)
		return 0;
	askers[e.row->kind](&q);
	return conclude(&q);
}

/* Initialised once is enough: at the interpreter's end __del__ methods still run. */
static bool is_awake(void)
{
	static _Atomic bool was_initialised;

	if (atomic_load_explicit(&was_initialised, memory_order_relaxed))
		return true;
	if (!cpython.Py_IsInitialized())
		return false;
	atomic_store_explicit(&was_initialised, true, memory_order_relaxed);
	return true;
}

static int on_event(const char *event, struct object *args, void *data)
{
	const struct cpython_event *row = cpython_event_find(event);
	int saved = errno, r = 0;

	(void)data;
	cpython_note(false);
	if (row && row->kind == EVENT_END)
		cpython_entry_drop();
	else if (row && is_awake())
		r = judge((struct event){ event, row, args, __builtin_return_address(0),
					  __builtin_frame_address(0) });
	errno = saved;
	return r;
}

void cpython_attach(void)
{
	if (shim_is_attached() && cpython_load_api())
		cpython_entry_add(on_event);
	else
		cpython = (struct cpython_api){ .PySys_AddAuditHook = NULL };
}
