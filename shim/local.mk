# SPDX-License-Identifier: LGPL-2.1-or-later
# The guest: the library preloaded into programs. Knows the deciding half of policy.
#
# libshimcore.la is its logic without an exported name, built for the tests (and their sanitizers). The library
# itself has no DT_NEEDED, so that one file serves programs of any libc, and is not built with sanitizers,
# whose runtimes no victim has.
SHIM_CORE = \
	%D%/address.c \
	%D%/address.h \
	%D%/call.c \
	%D%/call.h \
	%D%/cfi.c \
	%D%/cfi.h \
	%D%/cfi_expression.c \
	%D%/cfi_expression.h \
	%D%/climb.c \
	%D%/climb.h \
	%D%/cpython.c \
	%D%/cpython_api.c \
	%D%/cpython_api.h \
	%D%/cpython_entry.c \
	%D%/cpython_entry.h \
	%D%/cpython_events.c \
	%D%/cpython_events.h \
	%D%/cpython_inquiry.h \
	%D%/cpython_path.c \
	%D%/cpython_where.c \
	%D%/cpython_where.h \
	%D%/environment.c \
	%D%/environment.h \
	%D%/exec.c \
	%D%/exec.h \
	%D%/fde.c \
	%D%/fde.h \
	%D%/hook_names.c \
	%D%/hooks.c \
	%D%/hooks.def \
	%D%/hooks.h \
	%D%/open.c \
	%D%/peek.c \
	%D%/peek.h \
	%D%/process.c \
	%D%/question.c \
	%D%/question.h \
	%D%/raw.h \
	%D%/raw_syscall.c \
	%D%/raw_syscall.h \
	%D%/real.c \
	%D%/resolve.c \
	%D%/resolve.h \
	%D%/ring.h \
	%D%/ring_write.c \
	%D%/script.c \
	%D%/script.h \
	%D%/shim.c \
	%D%/shim.h \
	%D%/signal.c \
	%D%/spawn.c \
	%D%/thread.c \
	%D%/thread.h \
	%D%/unwind.c

noinst_LTLIBRARIES += libshimcore.la
libshimcore_la_SOURCES = $(SHIM_CORE)
libshimcore_la_CFLAGS = $(GUEST_CFLAGS)
libshimcore_la_LIBADD = libdecide.la

if BUILD_SHIM
pkglib_LTLIBRARIES += %D%/stile-shim.la
%C%_stile_shim_la_SOURCES = $(SHIM_CORE) \
	%D%/attach.c \
	%D%/jump.S \
	%D%/note.c \
	%D%/jump.h
%C%_stile_shim_la_CPPFLAGS = $(AM_CPPFLAGS) -DSHIM_EXPORTS
%C%_stile_shim_la_CFLAGS = $(GUEST_CFLAGS)
%C%_stile_shim_la_LIBADD = libdecide.la
# libtool keeps -nodefaultlibs to itself unless it is handed on.
%C%_stile_shim_la_LDFLAGS = -module -avoid-version -shared -XCClinker -nodefaultlibs \
	-Wl,-z,undefs -Wl,-z,initfirst -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now \
	-Wl,--version-script=%D%/shim.map
EXTRA_%C%_stile_shim_la_DEPENDENCIES = %D%/shim.map
endif
CLEANFILES += %D%/shim.map
EXTRA_DIST += %D%/map.sh

# Exactly the names of the table that the libc at hand has: a program asks by weak names what there is.
%D%/shim.map: %D%/hooks.def %D%/map.sh
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SHELL) '$(srcdir)/%D%/map.sh' '$(srcdir)/%D%/hooks.def' \
	"`$(CC) $(CFLAGS) -print-file-name=libc.so.6`" '$(NM)' >$@.tmp && mv $@.tmp $@
