/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket address as text: "192.0.2.1:80", "[::1]:80", "unix:/path", "unix:@abstract".
 * Pure. */
#pragma once

#include <stddef.h>

#define ADDRESS_TEXT_MAX 128

/* Writes the text of the address of `size` bytes. An unknown family is "family:N"; a cut
 * one "". */
void address_say(const void *address, size_t size, char out[ADDRESS_TEXT_MAX]);

/* The same of a family alone: "AF_INET", "unix:", "family:N". */
void address_say_family(int family, char out[ADDRESS_TEXT_MAX]);
