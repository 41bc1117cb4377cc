# SPDX-License-Identifier: LGPL-2.1-or-later
# What other programs load to count for us: a file of its own each, nothing of stile in it. qemu is GPL.
if BUILD_QEMU_PLUGIN
pkglib_LTLIBRARIES += %D%/stile-qemu-count.la
endif
%C%_stile_qemu_count_la_SOURCES = \
	%D%/qemu_count.c \
	%D%/qemu_count.h \
	%D%/qemu_plugin.h
# Its symbols are qemu's, found when that loads it.
%C%_stile_qemu_count_la_CFLAGS = $(GUEST_CFLAGS)
%C%_stile_qemu_count_la_LDFLAGS = -module -avoid-version -shared
EXTRA_DIST += %D%/qemu_count.h
