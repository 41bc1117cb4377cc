/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as a policy document: an error of one line, or a policy that compiles and decides. */
#include "policy/compile.h"
#include "policy/document.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decide(const struct policy *p)
{
	struct policy_block *b = NULL;
	struct verdict_text text;
	struct verdict v;

	if (policy_compile(p, &b) < 0)
		return;
	policy_decide_path(b, "/etc/shadow", PATH_READ, &text, &v);
	for (size_t i = 0; i < p->path_count; i++)
		policy_decide_path(b, p->paths[i].path, PATH_WRITE, &text, &v);
	free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy *p = policy_new();
	struct document_error err;

	if (!p)
		return 0;
	if (!document_load(p, (const char *)data, size, "fuzz.json", "/", &err))
		decide(p);
	else if (!err.text[0] || strchr(err.text, '\n'))
		abort();
	policy_free(p);
	return 0;
}
