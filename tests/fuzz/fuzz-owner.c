/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes owner_parse: any bytes are either refused or give a record whose every text is terminated
 * and that survives being judged by its fields.
 */
#include "launcher/session_folder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct owner o;

	if (owner_parse((const char *)data, size, &o) < 0)
		return 0;
	if (o.pid <= 0 || size > 4096 || !memchr(o.boot_id, 0, sizeof(o.boot_id)) ||
	    !memchr(o.host, 0, sizeof(o.host)) || !memchr(o.backend, 0, sizeof(o.backend)) ||
	    !memchr(o.created, 0, sizeof(o.created)) || !memchr(o.handle, 0, sizeof(o.handle)))
		abort();
	return 0;
}
