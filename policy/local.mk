noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = \
	%D%/argv.c %D%/argv_command.c %D%/argv_parts.h %D%/argv_path.c %D%/block.h \
	%D%/block_hash.h %D%/command_line.c %D%/compile.c %D%/compile.h %D%/document.c \
	%D%/document.h %D%/document_file.c %D%/document_node.c %D%/document_node.h \
	%D%/document_place.c %D%/document_place.h %D%/interpreters.c %D%/interpreters.h \
	%D%/limits.c %D%/limits.h %D%/path.c %D%/policy.c %D%/policy.h %D%/repr.c %D%/repr.h \
	%D%/split.c %D%/suggest.c %D%/verdict.c %D%/verdict.h %D%/wrappers.c %D%/wrappers.h
nodist_libpolicy_a_SOURCES = %D%/profiles.c
PROFILES = $(top_srcdir)/%D%/profiles/code.json $(top_srcdir)/%D%/profiles/tool.json
EXTRA_DIST += %D%/embed.sh %D%/profiles/code.json %D%/profiles/tool.json
CLEANFILES += %D%/profiles.c
%D%/profiles.c: $(top_srcdir)/%D%/embed.sh $(PROFILES)
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SHELL) $(top_srcdir)/%D%/embed.sh $(PROFILES) >$@.tmp && mv $@.tmp $@
