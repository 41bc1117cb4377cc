/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a JSON text, in our words. Of documents and of session requests alike. */
#pragma once

#include <jansson.h>

/* The sentence for what jansson found: a constant text, never NULL. */
const char *syntax_words(const json_error_t *error);
