/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The few functions of CPython's C API that the shim calls, by name: no header of
 * Python's, one library for every version from 3.8 on. Runs inside the program; to be
 * called only by a thread that holds the interpreter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct object; /* PyObject: never looked into, its layout is not the same everywhere */
struct thread; /* PyThreadState */

/* PyMemAllocatorEx. */
struct allocator {
	void *ctx;
	void *(*malloc)(void *ctx, size_t size);
	void *(*calloc)(void *ctx, size_t count, size_t size);
	void *(*realloc)(void *ctx, void *memory, size_t size);
	void (*free)(void *ctx, void *memory);
};

typedef int cpython_hook(const char *event, struct object *args, void *data);

/* All of these, or the interpreter is left alone. X(result, name, parameters) */
#define CPYTHON_NEEDED(X)                                                                \
	X(int, PySys_AddAuditHook, (cpython_hook * hook, void *data))                    \
	X(int, Py_IsInitialized, (void))                                                 \
	X(void, Py_DecRef, (struct object *))                                            \
	X(void, Py_IncRef, (struct object *))                                            \
	X(struct object *, Py_BuildValue, (const char *format, ...))                     \
	X(struct object *, PyObject_Type, (struct object *))                             \
	X(unsigned long, PyType_GetFlags, (struct object *))                             \
	X(struct object *, PyObject_GetAttrString, (struct object *, const char *name))  \
	X(long, PyTuple_Size, (struct object *))                                         \
	X(struct object *, PyTuple_GetItem, (struct object *, long))                     \
	X(long, PyLong_AsLong, (struct object *))                                        \
	X(struct object *, PyOS_FSPath, (struct object *))                               \
	X(struct object *, PyUnicode_EncodeFSDefault, (struct object *))                 \
	X(struct object *, PyUnicode_DecodeFSDefault, (const char *))                    \
	X(int, PyBytes_AsStringAndSize, (struct object *, char **, long *))              \
	X(struct object *, PyObject_CallObject, (struct object *, struct object *))      \
	X(void, PyMem_GetAllocator, (int domain, struct allocator *))                    \
	X(void, PyMem_SetAllocator, (int domain, struct allocator *))                    \
	X(void, PyErr_SetObject, (struct object *, struct object *))                     \
	X(void, PyErr_Clear, (void))                                                     \
	X(void, PyErr_Fetch, (struct object **, struct object **, struct object **))     \
	X(void, PyErr_Restore, (struct object *, struct object *, struct object *))      \
	X(struct object *, PyEval_GetFrame, (void))                                      \
	X(int, PyFrame_GetLineNumber, (struct object *))                                 \
	X(struct thread *, PyGILState_GetThisThreadState, (void))

/* NULL where the version has it not. */
#define CPYTHON_OPTIONAL(X)                                                              \
	X(struct object *, PyFrame_GetCode, (struct object *))	/* 3.9 */                \
	X(struct object *, PyFrame_GetBack, (struct object *))	/* 3.9 */                \
	X(int, PyGC_Disable, (void))				/* 3.10 */               \
	X(int, PyGC_Enable, (void))				/* 3.10 */               \
	X(struct thread *, PyThreadState_GetUnchecked, (void))	/* 3.13 */               \
	X(struct thread *, _PyThreadState_UncheckedGet, (void)) /* up to 3.12 */

struct cpython_api {
#define CPYTHON_MEMBER(result, name, parameters) result(*name) parameters;
	CPYTHON_NEEDED(CPYTHON_MEMBER)
	CPYTHON_OPTIONAL(CPYTHON_MEMBER)
	struct object **PyExc_OSError, **PyExc_RuntimeError;
};

/* Constant from cpython_load_api() on, which the constructor calls. */
extern struct cpython_api cpython;

/* Finds them all; false = no CPython from 3.8 on in this process, and nothing may be
 * called. */
bool cpython_load_api(void);

/* May this thread call the interpreter now, from anywhere? */
bool cpython_is_ours(void);

/* What an object is, without running any of the program's code. */
bool cpython_is_text(struct object *o);
bool cpython_is_bytes(struct object *o);
bool cpython_is_number(struct object *o);
bool cpython_is_tuple(struct object *o);

/* The n-th of a tuple, borrowed; NULL = there is none, or it is None. */
struct object *cpython_item(struct object *tuple, int index);

/* An integer, or `other` when it is none. */
long cpython_number(struct object *o, long other);

/* str, bytes or path-like as bytes in the file system's encoding, cut at size. Returns
 * the whole length, or -1 when it is no path or has a null byte in it. */
long cpython_text(struct object *o, char *out, size_t size);
