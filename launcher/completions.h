/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completions for shells, printed from the tables of verbs and options. */
#pragma once

/* Prints the completion file of that shell ("bash", "zsh"). 0, or -ENOENT for another one. */
int completions_print(const char *shell);
