/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the rows of hooks.def. Pure data; in the shim and in the launcher, which
 * reads the ring. */
#include "shim/hooks.h"

static const char *const names[HOOK_COUNT] = {
#define HOOK(type, name, ...)  #name,
#define HOOKP(type, name, ...) #name,
#define HOOKE(type, name, ...) #name,
#define HOOKA(type, name, ...) #name,
#define OWN(type, name, ...)   #name,
#define JUMP(name)	       #name,
#include "shim/hooks.def"
};

const char *hook_name(unsigned hook)
{
	return hook < HOOK_COUNT ? names[hook] : "";
}
