# SPDX-License-Identifier: LGPL-2.1-or-later
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = %D%/stile.bash
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = %D%/_stile
