# SPDX-License-Identifier: LGPL-2.1-or-later
# The host: the verbs and the life of a run. Knows all; everything but main.c is a library, for the tests.
AM_CPPFLAGS += -DSTILE_PKGLIBDIR='"$(pkglibdir)"'
noinst_LTLIBRARIES += liblauncher.la
liblauncher_la_SOURCES = \
	%D%/advice.c \
	%D%/advice.h \
	%D%/capabilities.c \
	%D%/capabilities.h \
	%D%/completions.c \
	%D%/completions.h \
	%D%/denials.c \
	%D%/denials.h \
	%D%/explain.c \
	%D%/explain.h \
	%D%/verb_explain.c \
	%D%/why.c \
	%D%/why.h \
	%D%/disk.c \
	%D%/disk.h \
	%D%/ending.c \
	%D%/ending.h \
	%D%/limiters.c \
	%D%/lines.c \
	%D%/lines.h \
	%D%/ring_read.c \
	%D%/ring_read.h \
	%D%/shim_cover.c \
	%D%/shim_cover.h \
	%D%/shim_file.c \
	%D%/shim_file.h \
	%D%/shim_told.c \
	%D%/shim_told.h \
	%D%/shim_use.c \
	%D%/shim_use.h \
	%D%/signals.c \
	%D%/signals.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/limiters.h \
	%D%/log.c \
	%D%/log.h \
	%D%/look.c \
	%D%/look.h \
	%D%/memory_need.c \
	%D%/memory_need.h \
	%D%/meta.c \
	%D%/notice_network.c \
	%D%/notice_parts.h \
	%D%/notice_paths.c \
	%D%/notice_place.c \
	%D%/notice_signals.c \
	%D%/notices.c \
	%D%/notices.h \
	%D%/option_use.c \
	%D%/option_use.h \
	%D%/output.c \
	%D%/output.h \
	%D%/owner.c \
	%D%/owner.h \
	%D%/probes.c \
	%D%/probes.h \
	%D%/probes_cgroup.c \
	%D%/probes_namespace.c \
	%D%/program_file.c \
	%D%/program_file.h \
	%D%/recipe.c \
	%D%/recipe.h \
	%D%/repairs.c \
	%D%/repairs.h \
	%D%/report.c \
	%D%/report.h \
	%D%/request.c \
	%D%/request.h \
	%D%/request_line.c \
	%D%/request_line.h \
	%D%/result.c \
	%D%/result.h \
	%D%/run.c \
	%D%/run.h \
	%D%/session.c \
	%D%/session.h \
	%D%/session_folder.c \
	%D%/session_folder.h \
	%D%/tracee.c \
	%D%/tracee.h \
	%D%/tracer.c \
	%D%/tracer.h \
	%D%/tracer_threads.c \
	%D%/tracer_threads.h \
	%D%/step_count.h \
	%D%/steps.c \
	%D%/steps.h \
	%D%/steps_ptrace.c \
	%D%/steps_qemu.c \
	%D%/steps_where.c \
	%D%/symbols.c \
	%D%/symbols.h \
	%D%/tree.c \
	%D%/tree.h \
	%D%/show.c \
	%D%/show.h \
	%D%/verb_capabilities.c \
	%D%/verb_demo.c \
	%D%/verb_doctor.c \
	%D%/verb_help.c \
	%D%/verb_run.c \
	%D%/verb_session.c \
	%D%/verbs.h \
	%D%/watch.c \
	%D%/watch.h
liblauncher_la_LIBADD = libbackends.la $(JANSSON_LIBS) $(ELF_LIBS)

bin_PROGRAMS += stile
stile_SOURCES = %D%/main.c
stile_LDADD = liblauncher.la
