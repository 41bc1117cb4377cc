/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What help, completions and parser know of an option beside its row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct option_view {
	const char *flag;
	const char *value; /* its name, NULL = none is taken */
	const char *help;
};

/* The options of all tables, one after the other, by index; false behind the last. */
bool option_at(size_t index, struct option_view *view);

/* Does this option mean something to this verb? Unknown flags do. */
bool option_fits(const char *flag, const char *verb);

/* Is it for the verbs that its row here names, and not for every verb that reads a policy? */
bool option_is_narrow(const char *flag);

/* The words its value is one of, separated by blanks; NULL = any text, or the value's name says it. */
const char *option_words(const char *flag);

/* May it be given more than once, each adding to the others? */
bool option_repeats(const char *flag);
