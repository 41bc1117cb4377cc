/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this build is, as an ELF header says it: what a program or library must be to go with it. */
#pragma once

#include <elf.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif
#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
