# SPDX-License-Identifier: LGPL-2.1-or-later
# The walls: one file per kernel mechanism. Knows policy.
noinst_LTLIBRARIES += libbackends.la
libbackends_la_SOURCES = \
	%D%/caps.c \
	%D%/caps.h \
	%D%/cgroup.c \
	%D%/cgroup.h \
	%D%/cgroup_find.c \
	%D%/child.c \
	%D%/child.h \
	%D%/cleanup.h \
	%D%/empty.c \
	%D%/empty.h \
	%D%/init.c \
	%D%/init.h \
	%D%/init_image.h \
	%D%/init_loop.c \
	%D%/init_loop.h \
	%D%/landlock.c \
	%D%/landlock.h \
	%D%/layers.h \
	%D%/leftovers.c \
	%D%/leftovers.h \
	%D%/notify.c \
	%D%/notify.h \
	%D%/notify_calls.c \
	%D%/notify_calls.h \
	%D%/notify_filter.c \
	%D%/notify_filter.h \
	%D%/placeholder.c \
	%D%/placeholder.h \
	%D%/rlimits.c \
	%D%/rlimits.h \
	%D%/root.c \
	%D%/root.h \
	%D%/root_guard.c \
	%D%/root_parts.h \
	%D%/room.c \
	%D%/room.h \
	%D%/rule_tree.c \
	%D%/rule_tree.h \
	%D%/seccomp.c \
	%D%/seccomp.h \
	%D%/sys.h \
	%D%/warden.c \
	%D%/warden.h \
	%D%/warden_inside.c \
	%D%/warden_inside.h \
	%D%/wire.c \
	%D%/wire.h
libbackends_la_LIBADD = libpolicy.la $(SECCOMP_LIBS)
nodist_libbackends_la_SOURCES = %D%/init_image.c
EXTRA_DIST += %D%/embed_init.sh %D%/init_entry.c
CLEANFILES += %D%/init_image.c %D%/stile-init

# Process 1 of a pid namespace is a program of one page, carried inside stile: no libc, no sanitizer.
INIT_COMPILING = -std=gnu17 -O2 -ffreestanding -fno-stack-protector -fno-pic -fno-pie \
	-fno-asynchronous-unwind-tables -fno-sanitize=all -U_FORTIFY_SOURCE -I$(top_srcdir)
INIT_LINKING = -static -nostdlib -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,noseparate-code
%D%/stile-init: %D%/init_entry.c %D%/init_loop.c %D%/init_loop.h
	$(AM_V_CCLD)$(MKDIR_P) %D% && $(CC) $(INIT_COMPILING) $(INIT_LINKING) -o $@ \
		$(srcdir)/%D%/init_entry.c $(srcdir)/%D%/init_loop.c
%D%/init_image.c: %D%/stile-init %D%/embed_init.sh
	$(AM_V_GEN)sh $(srcdir)/%D%/embed_init.sh %D%/stile-init > $@.tmp && mv $@.tmp $@
