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
