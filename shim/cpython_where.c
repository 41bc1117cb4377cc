/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where in a Python script (cpython_where.h). Runs inside the program: in audit events,
 * and in hooks of libc, where it asks the interpreter only when this thread holds it.
 */
#include "shim/cpython_where.h"

#include "shim/cpython_api.h"
#include "shim/script.h"
#include "shim/thread.h"

#include <string.h>

#define FRAMES_MAX 200

/* The place of the last event that the policy denies and that was left to the kernel. Of
 * each thread. */
static __thread struct {
	bool is_set;
	struct ring_script script;
} noted __attribute__((tls_model("initial-exec")));

/* --- frames ------------------------------------------------------------------------- */

/* Both give a new reference, or NULL with no error pending. */
static struct object *attribute(struct object *o, const char *name)
{
	struct object *value = cpython.PyObject_GetAttrString(o, name);

	if (!value)
		cpython.PyErr_Clear();
	return value;
}

static struct object *frame_code(struct object *frame)
{
	if (cpython.PyFrame_GetCode)
		return cpython.PyFrame_GetCode(frame);
	return attribute(frame, "f_code");
}

/* May be None in 3.8, which has no code and so ends the walk too. */
static struct object *frame_back(struct object *frame)
{
	if (cpython.PyFrame_GetBack)
		return cpython.PyFrame_GetBack(frame);
	return attribute(frame, "f_back");
}

static void copy_attribute(struct object *o, const char *name, char *out, size_t size)
{
	struct object *value = attribute(o, name);
	char text[512];

	out[0] = '\0';
	if (!value)
		return;
	if (cpython_text(value, text, sizeof(text)) >= 0)
		script_copy(out, size, text);
	cpython.Py_DecRef(value);
}

static bool read_frame(struct object *frame, struct ring_script *out)
{
	struct object *code = frame_code(frame);
	int line;

	if (!code)
		return false;
	line = cpython.PyFrame_GetLineNumber(frame);
	out->line = line > 0 ? (uint32_t)line : 0;
	copy_attribute(code, "co_filename", out->file, sizeof(out->file));
	copy_attribute(code, "co_name", out->function, sizeof(out->function));
	cpython.Py_DecRef(code);
	return true;
}

/* --- whose code --------------------------------------------------------------------- */

/* The standard library and what is installed beside it: true, but not what the author
 * asks for. */
static bool is_library(const char *file)
{
	return !strncmp(file, "<frozen ", 8) || strstr(file, "/lib/python3") != NULL;
}

/* From the innermost frame outwards to the first of the script's own; the innermost where
 * there is none. */
static bool ask(struct ring_script *out)
{
	struct object *frame = cpython.PyEval_GetFrame(), *next;
	struct ring_script outer;
	bool is_found;

	if (!frame || !read_frame(frame, out))
		return false;
	cpython.Py_IncRef(frame);
	is_found = !is_library(out->file);
	for (int i = 0; frame && !is_found && i < FRAMES_MAX; i++) {
		next = frame_back(frame);
		cpython.Py_DecRef(frame);
		frame = next;
		if (!frame || !read_frame(frame, &outer))
			break;
		is_found = !is_library(outer.file);
		*out = is_found ? outer : *out;
	}
	if (frame)
		cpython.Py_DecRef(frame);
	return true;
}

/* Frames are objects since 3.11 only when asked for: making them must not set off a
 * collection, which runs the program's code in the midst of somebody's system call. */
static bool ask_quietly(struct ring_script *out)
{
	struct object *type, *value, *traceback;
	int was_on = cpython.PyGC_Disable ? cpython.PyGC_Disable() : 0;
	bool is_found;

	cpython.PyErr_Fetch(&type, &value, &traceback);
	is_found = ask(out);
	cpython.PyErr_Restore(type, value, traceback);
	if (was_on && cpython.PyGC_Enable)
		(void)cpython.PyGC_Enable();
	return is_found;
}

bool cpython_where(struct ring_script *out)
{
	if (!cpython.PySys_AddAuditHook || thread_is_borrowed())
		return false;
	if (cpython_is_ours())
		return ask_quietly(out);
	if (!noted.is_set)
		return false;
	*out = noted.script;
	return true;
}

void cpython_note(bool is_refused)
{
	noted.is_set = is_refused && ask_quietly(&noted.script);
}
