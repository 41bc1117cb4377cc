noinst_LIBRARIES += liblauncher.a
liblauncher_a_SOURCES = \
	%D%/look.c %D%/look.h %D%/meta.c %D%/output.c %D%/output.h %D%/owner.c %D%/owner.h \
	%D%/recipe.c %D%/recipe.h %D%/report.c %D%/report.h %D%/request.c %D%/request.h \
	%D%/result.c %D%/result.h %D%/run.c %D%/run.h %D%/session.c %D%/session.h \
	%D%/session_folder.c %D%/session_folder.h %D%/verb_demo.c %D%/verb_run.c %D%/verb_session.c %D%/verbs.h \
	%D%/watch.c %D%/watch.h
STILE_LIBS = liblauncher.a libbackends.a libpolicy.a $(ELF_LIBS) $(JANSSON_LIBS) $(SECCOMP_LIBS)
bin_PROGRAMS += stile
stile_SOURCES = %D%/main.c
stile_LDADD = $(STILE_LIBS)
