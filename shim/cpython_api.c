/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPython's C API by name (cpython_api.h). Runs inside the program. Looked up once, in
 * the constructor; a process without the first name costs that one look-up.
 */
#include "shim/cpython_api.h"

#include "shim/thread.h"

#include <dlfcn.h>
#include <string.h>

/* Flags of a type that CPython has kept since 3.0. */
#define TYPE_NUMBER (1ul << 24)
#define TYPE_TUPLE  (1ul << 26)
#define TYPE_BYTES  (1ul << 27)
#define TYPE_TEXT   (1ul << 28)

struct cpython_api cpython;

static const struct name_row {
	const char *name;
	size_t at;
	bool is_optional;
} names[] = {
#define NEEDED_ROW(result, name, parameters)                                             \
	{ #name, offsetof(struct cpython_api, name), false },
#define OPTIONAL_ROW(result, name, parameters)                                           \
	{ #name, offsetof(struct cpython_api, name), true },
	CPYTHON_NEEDED(NEEDED_ROW) CPYTHON_OPTIONAL(OPTIONAL_ROW){
		"PyExc_OSError", offsetof(struct cpython_api, PyExc_OSError), false },
	{ "PyExc_RuntimeError", offsetof(struct cpython_api, PyExc_RuntimeError), false },
};

bool cpython_load_api(void)
{
	struct cpython_api api = { .PySys_AddAuditHook = NULL };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *found = dlsym(RTLD_DEFAULT, names[i].name);

		if (!found && !names[i].is_optional)
			return false;
		memcpy((char *)&api + names[i].at, &found, sizeof(found));
	}
	cpython = api;
	return true;
}

/* The current thread state must be this thread's own: up to 3.11 "current" is one for all
 * threads. */
bool cpython_is_ours(void)
{
	struct thread *now = NULL;

	if (!cpython.PySys_AddAuditHook || !cpython.Py_IsInitialized() ||
	    thread_is_borrowed())
		return false;
	if (cpython.PyThreadState_GetUnchecked)
		now = cpython.PyThreadState_GetUnchecked();
	else if (cpython._PyThreadState_UncheckedGet)
		now = cpython._PyThreadState_UncheckedGet();
	return now && now == cpython.PyGILState_GetThisThreadState();
}

static bool is_of(struct object *o, unsigned long flag)
{
	struct object *type = cpython.PyObject_Type(o);
	bool is = cpython.PyType_GetFlags(type) & flag;

	cpython.Py_DecRef(type);
	return is;
}

bool cpython_is_text(struct object *o)
{
	return is_of(o, TYPE_TEXT);
}

bool cpython_is_bytes(struct object *o)
{
	return is_of(o, TYPE_BYTES);
}

bool cpython_is_number(struct object *o)
{
	return is_of(o, TYPE_NUMBER);
}

bool cpython_is_tuple(struct object *o)
{
	return is_of(o, TYPE_TUPLE);
}

/* None has a type of its own, whose one object we know by what Py_BuildValue gives for
 * "". */
static bool is_none(struct object *o)
{
	struct object *none = cpython.Py_BuildValue("");
	bool is = o == none;

	cpython.Py_DecRef(none);
	return is;
}

struct object *cpython_item(struct object *tuple, int index)
{
	struct object *item;

	if (index < 0 || !tuple || index >= cpython.PyTuple_Size(tuple))
		return NULL;
	item = cpython.PyTuple_GetItem(tuple, index);
	return item && !is_none(item) ? item : NULL;
}

long cpython_number(struct object *o, long other)
{
	long value;

	if (!o || !cpython_is_number(o))
		return other;
	value = cpython.PyLong_AsLong(o);
	cpython.PyErr_Clear(); /* too large: -1, which no row asks for */
	return value;
}

static long copy_bytes(struct object *bytes, char *out, size_t size)
{
	char *text = NULL;
	long length = 0, kept;

	if (cpython.PyBytes_AsStringAndSize(bytes, &text, &length) < 0 ||
	    memchr(text, 0, (size_t)length))
		return -1;
	kept = length < (long)size ? length : (long)size - 1;
	memcpy(out, text, (size_t)kept);
	out[kept] = '\0';
	return length;
}

/* A new reference to bytes, or NULL. */
static struct object *encode(struct object *o)
{
	struct object *path = cpython.PyOS_FSPath(o), *bytes;

	if (!path || cpython_is_bytes(path))
		return path;
	bytes = cpython.PyUnicode_EncodeFSDefault(path);
	cpython.Py_DecRef(path);
	return bytes;
}

long cpython_text(struct object *o, char *out, size_t size)
{
	struct object *bytes = o ? encode(o) : NULL;
	long length = bytes ? copy_bytes(bytes, out, size) : -1;

	if (length < 0) {
		cpython.PyErr_Clear();
		out[0] = '\0';
	}
	if (bytes)
		cpython.Py_DecRef(bytes);
	return length;
}
