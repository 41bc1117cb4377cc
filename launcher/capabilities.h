/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program may do in a session, as facts for whoever writes the program. */
#pragma once

#include "launcher/session.h"

#include <jansson.h>

/* The text that a model is shown; several lines, each ending in a newline. malloc'd; NULL = ENOMEM. */
char *capabilities_text(const struct session *s, const struct limits *limits);

/* {"capabilities": text, "facts": {…}}: the same for programs. NULL = ENOMEM. */
json_t *capabilities_json(const struct session *s, const struct limits *limits);
