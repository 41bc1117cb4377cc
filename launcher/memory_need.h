/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a program uses address space, which decides the limiter of its memory. */
#pragma once

enum memory_need {
	MEMORY_PLAIN,    /* maps what it uses: the address space can be limited */
	MEMORY_RESERVES, /* reserves without writing (node): the data segment can be limited */
	MEMORY_MAPS,     /* maps far more than it uses (Java): only watching holds */
	MEMORY_SHADOWS   /* the same, as a sanitizer build */
};

/* By the program's ELF file, its name, or the interpreter its #! line names. */
enum memory_need memory_need_of(const char *program);
