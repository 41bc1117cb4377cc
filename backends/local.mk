noinst_LIBRARIES += libbackends.a
libbackends_a_SOURCES = \
	%D%/caps.c %D%/caps.h %D%/child.c %D%/child.h %D%/cleanup.h %D%/empty.c %D%/empty.h \
	%D%/init.c %D%/init.h %D%/landlock.c %D%/landlock.h %D%/leftovers.c %D%/leftovers.h %D%/layers.h %D%/rlimits.c \
	%D%/rlimits.h %D%/root.c %D%/root.h %D%/seccomp.c %D%/seccomp.h %D%/sys.h \
	%D%/warden.c %D%/warden.h %D%/warden_inside.c %D%/warden_inside.h
