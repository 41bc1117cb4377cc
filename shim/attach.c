/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The constructor of the preloaded library, and nothing else: the tests' build of the
 * shim has none. With -z initfirst it runs before every other constructor of the process,
 * libc's own included.
 */
#include "shim/script.h"
#include "shim/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

/* There or not, as the loader found out anyway: asking with dlsym costs a start ten times
 * as much. */
#define OF_INTERPRETER(name)                                                             \
	extern char name[] __attribute__((weak, visibility("default")))
OF_INTERPRETER(PySys_AddAuditHook);
OF_INTERPRETER(Perl_get_context);
OF_INTERPRETER(ruby_native_thread_p);
OF_INTERPRETER(zend_is_executing);

static void attach_interpreter(void)
{
	if (PySys_AddAuditHook)
		cpython_attach();
	if (Perl_get_context || ruby_native_thread_p || zend_is_executing)
		script_attach();
}

/* glibc passes the environment, but has not set `environ` that early; musl is the other
 * way round. */
__attribute__((constructor)) static void attach(int argc, char **argv, char **environment)
{
	int saved = errno;
	Dl_info own;

	(void)argc;
	(void)argv;
	if (dladdr((void *)&shim, &own) && own.dli_fname)
		shim_attach(environ ? environ : environment, own.dli_fname);
	if (shim_is_attached())
		attach_interpreter();
	errno = saved;
}
