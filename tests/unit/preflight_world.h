/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A world for the preflight: a few files and links, and profile tool with its root /proj. Linked into
 * tests only; include it before cmocka.h.
 */
#pragma once

#include "policy/block.h"
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define S(text) ((char *)(uintptr_t)(text))
#define A(...) ((char *[]){ __VA_ARGS__, NULL })

struct policy tool(void);
struct policy tool_with_shell(void);

/* The verdict on argv under `p`; its texts are good until the next call. */
struct verdict judge_in(struct policy p, const char *cwd, char **argv);

/* How often the world was asked since the last judge_in() began. */
unsigned world_questions(void);

void assert_allowed(char **argv);
void assert_refused(char **argv, enum axis axis, const char *reason);
/* … with the whole sentence, of which only these parts differ. */
void assert_inline(const char *name, const char *flag, char **argv);
void assert_denied_name(const char *name, char **argv);
void assert_outside(const char *argument, const char *real, char **argv);
