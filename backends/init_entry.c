/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where init's own program begins: the kernel jumps here, and nothing needs to be set up. */
#include "backends/init_loop.h"

#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
__attribute__((noreturn)) void _start(void);

void _start(void)
{
	init_loop();
}
