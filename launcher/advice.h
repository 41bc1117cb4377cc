/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an administrator would change so that a layer holds: settings of the host, then the errno. */
#pragma once

#include "launcher/probes.h"

/* A setting of the host that forbids the layer now. */
struct setting {
	const char *name;  /* "user.max_user_namespaces" */
	char value[64];
};

/* For a finding that is not enforced: the setting in the way (*setting; name = NULL when none is) and
 * what to change (never NULL). */
const char *advice_for(const char *layer, const struct finding *f, struct setting *setting);
