# SPDX-License-Identifier: LGPL-2.1-or-later
# Printed by the program from the tables its parser reads; so a cross build, which cannot run it, has none.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
if CAN_RUN
nodist_bashcompletion_DATA = %D%/stile.bash
nodist_zshcompletion_DATA = %D%/_stile
endif
CLEANFILES += %D%/stile.bash %D%/_stile

# LeakSanitizer cannot look into a process that made itself undumpable.
PRINT_COMPLETIONS = $(MKDIR_P) %D% && ASAN_OPTIONS=detect_leaks=0 ./stile$(EXEEXT) help --completions
%D%/stile.bash: stile$(EXEEXT)
	$(AM_V_GEN)$(PRINT_COMPLETIONS) bash >$@-new && mv $@-new $@
%D%/_stile: stile$(EXEEXT)
	$(AM_V_GEN)$(PRINT_COMPLETIONS) zsh >$@-new && mv $@-new $@
