/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where in a script (script.h): one row an interpreter. CPython's part is
 * cpython_where.c. Lua is not here, because its state cannot be found from outside; nor
 * node, which offers this to C++ only.
 *
 * Runs inside the program, in whatever thread made the refused call. What it calls of an
 * interpreter reads that thread's own state; perl alone makes a value, which the script's
 * next statement frees.
 */
#include "shim/script.h"

#include "shim/cpython_where.h"
#include "shim/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* The interpreters' functions; which of them are here follows from the row that was
 * found. */
static struct {
	/* perl, built with threads as distributions do */
	void *(*Perl_get_context)(void);
	void *(*Perl_mess_nocontext)(const char *format, ...);
	char *(*Perl_sv_2pv_flags)(void *perl, void *value, size_t *length,
				   unsigned flags);
	void **PL_curinterp;
	/* ruby */
	int (*ruby_native_thread_p)(void);
	const char *(*rb_source_location_cstr)(int *line);
	/* php */
	bool (*zend_is_executing)(void);
	const char *(*zend_get_executed_filename)(void);
	unsigned (*zend_get_executed_lineno)(void);
} real;

/* --- perl --------------------------------------------------------------------------- */

/* " at FILE line N." with more behind it perhaps: the end of every message of perl's own.
 */
static bool parse_message(char *text, struct ring_script *out)
{
	static const char before[] = " at ", between[] = " line ";
	char *file = text + sizeof(before) - 1, *line, *end;

	if (strncmp(text, before, sizeof(before) - 1) != 0)
		return false;
	for (line = strstr(file, between); line; line = strstr(line + 1, between)) {
		char *digits = line + sizeof(between) - 1;

		out->line = 0;
		for (end = digits; *end >= '0' && *end <= '9'; end++)
			out->line = out->line * 10 + (uint32_t)(*end - '0');
		if (end > digits && (*end == '.' || *end == ','))
			break;
	}
	if (!line)
		return false;
	*line = '\0';
	script_copy(out->file, sizeof(out->file), file);
	return true;
}

static bool where_in_perl(struct ring_script *out)
{
	void *perl = *real.PL_curinterp ? real.Perl_get_context() : NULL;
	void *message;
	char *text;
	size_t length;

	if (!perl || thread_is_borrowed())
		return false;
	message = real.Perl_mess_nocontext("%s", "");
	text = message ? real.Perl_sv_2pv_flags(perl, message, &length, 0) : NULL;
	return text && parse_message(text, out);
}

/* --- ruby --------------------------------------------------------------------------- */

static bool where_in_ruby(struct ring_script *out)
{
	const char *file;
	int line = 0;

	if (thread_is_borrowed() || !real.ruby_native_thread_p())
		return false;
	file = real.rb_source_location_cstr(&line);
	script_copy(out->file, sizeof(out->file), file);
	out->line = file && line > 0 ? (uint32_t)line : 0;
	return file != NULL;
}

/* --- php ---------------------------------------------------------------------------- */

/* Its state is the process's: only the thread that runs it may look. */
static bool where_in_php(struct ring_script *out)
{
	if (!thread_is_first() || !real.zend_is_executing())
		return false;
	out->line = real.zend_get_executed_lineno();
	script_copy(out->file, sizeof(out->file), real.zend_get_executed_filename());
	return out->line != 0;
}

/* --- which one ---------------------------------------------------------------------- */

#define FUNCTIONS_MAX 5
static const struct interpreter_row {
	bool (*where)(struct ring_script *out);
	struct {
		const char *name;
		void *at;
	} function[FUNCTIONS_MAX]; /* the first tells whether the interpreter is here at
				      all */
} rows[] = {
	{ where_in_perl,
	  { { "Perl_mess_nocontext", &real.Perl_mess_nocontext },
	    { "Perl_get_context", &real.Perl_get_context },
	    { "Perl_sv_2pv_flags", &real.Perl_sv_2pv_flags },
	    { "PL_curinterp", &real.PL_curinterp } } },
	{ where_in_ruby,
	  { { "ruby_native_thread_p", &real.ruby_native_thread_p },
	    { "rb_source_location_cstr", &real.rb_source_location_cstr } } },
	{ where_in_php,
	  { { "zend_is_executing", &real.zend_is_executing },
	    { "zend_get_executed_filename", &real.zend_get_executed_filename },
	    { "zend_get_executed_lineno", &real.zend_get_executed_lineno } } },
};
static const struct interpreter_row *here;

static bool has_all(const struct interpreter_row *row)
{
	for (size_t i = 0; i < FUNCTIONS_MAX && row->function[i].name; i++) {
		void *found = dlsym(RTLD_DEFAULT, row->function[i].name);

		if (!found)
			return false;
		memcpy(row->function[i].at, &found, sizeof(found));
	}
	return true;
}

void script_attach(void)
{
	for (size_t i = 0; !here && i < sizeof(rows) / sizeof(*rows); i++)
		if (has_all(&rows[i]))
			here = &rows[i];
}

bool script_here(struct ring_script *out)
{
	int saved = errno;
	bool is_found;

	*out = (struct ring_script){ .line = 0 };
	is_found = cpython_where(out) || (here && here->where(out));
	if (!is_found)
		*out = (struct ring_script){ .line = 0 };
	errno = saved;
	return is_found;
}

void script_copy(char *out, size_t size, const char *text)
{
	size_t length = text ? strnlen(text, size) : 0;

	if (length == size)
		for (length = size - 1;
		     length && ((unsigned char)text[length] & 0xc0) == 0x80;)
			length--;
	if (length)
		memcpy(out, text, length);
	out[length] = '\0';
}
