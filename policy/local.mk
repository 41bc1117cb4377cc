# SPDX-License-Identifier: LGPL-2.1-or-later
# The law: documents in, verdicts out. Knows nobody.
#
# libdecide.la is the half that decides: the same objects in the launcher and, preloaded, in every program, so
# without what only one of them could have (a fortified libc, a canary).
noinst_LTLIBRARIES += libdecide.la libpolicy.la
libdecide_la_SOURCES = \
	%D%/block.h \
	%D%/block_hash.h \
	%D%/decide.c \
	%D%/decide.h \
	%D%/path.c \
	%D%/repr.c \
	%D%/repr.h \
	%D%/verdict.c \
	%D%/verdict.h
libdecide_la_CFLAGS = $(GUEST_CFLAGS)

libpolicy_la_SOURCES = \
	%D%/argv.c \
	%D%/argv_command.c \
	%D%/argv_parts.h \
	%D%/argv_path.c \
	%D%/command_line.c \
	%D%/compile.c \
	%D%/compile.h \
	%D%/document.c \
	%D%/document.h \
	%D%/document_file.c \
	%D%/document_node.c \
	%D%/document_node.h \
	%D%/document_place.c \
	%D%/document_place.h \
	%D%/input_file.c \
	%D%/input_file.h \
	%D%/interpreters.c \
	%D%/interpreters.h \
	%D%/limits.c \
	%D%/limits.h \
	%D%/links.c \
	%D%/policy.c \
	%D%/policy.h \
	%D%/split.c \
	%D%/suggest.c \
	%D%/syntax.c \
	%D%/syntax.h \
	%D%/wrappers.c \
	%D%/wrappers.h
nodist_libpolicy_la_SOURCES = %D%/profiles.c
libpolicy_la_LIBADD = libdecide.la $(JANSSON_LIBS)

# The built-in profiles are documents like any other, carried inside the program.
PROFILES = \
	%D%/profiles/code.json \
	%D%/profiles/tool.json
EXTRA_DIST += %D%/embed.sh $(PROFILES)
CLEANFILES += %D%/profiles.c

%D%/profiles.c: %D%/embed.sh $(PROFILES)
	$(AM_V_GEN)$(MKDIR_P) %D% && cd $(srcdir) && \
	$(SHELL) %D%/embed.sh $(PROFILES) >$(abs_top_builddir)/$@.tmp && \
	mv $(abs_top_builddir)/$@.tmp $(abs_top_builddir)/$@
