/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket addresses as text, for verdicts and records. Pure, no allocation, no stdio:
 * libc's own inet_ntop() is not promised to signal handlers.
 */
#include "shim/address.h"

#include "policy/repr.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static void add_number(struct sentence *s, uint32_t value, unsigned base)
{
	char text[12];
	size_t at = sizeof(text) - 1;

	text[at] = '\0';
	do
		text[--at] = "0123456789abcdef"[value % base];
	while ((value /= base) != 0);
	sentence_add(s, text + at);
}

static void say_port(struct sentence *s, in_port_t port)
{
	sentence_add(s, ":");
	add_number(s, ntohs(port), 10);
}

static void say_inet(struct sentence *s, const void *address)
{
	struct sockaddr_in in;
	const uint8_t *byte = (const uint8_t *)&in.sin_addr;

	memcpy(&in, address, sizeof(in));
	for (int i = 0; i < 4; i++) {
		sentence_add(s, i ? "." : "");
		add_number(s, byte[i], 10);
	}
	say_port(s, in.sin_port);
}

/* The longest run of two or more zero groups becomes "::". */
static int find_zeros(const uint16_t group[8], int *count)
{
	int best = -1;

	*count = 1;
	for (int i = 0; i < 8; i++) {
		int end = i;

		while (end < 8 && !group[end])
			end++;
		if (end - i > *count) {
			best = i;
			*count = end - i;
		}
	}
	return best;
}

static void say_inet6(struct sentence *s, const void *address)
{
	struct sockaddr_in6 in;
	uint16_t group[8];
	int zeros, count;

	memcpy(&in, address, sizeof(in));
	memcpy(group, &in.sin6_addr, sizeof(group));
	zeros = find_zeros(group, &count);
	sentence_add(s, "[");
	for (int i = 0; i < 8; i++) {
		if (i == zeros) {
			sentence_add(s, "::");
			i += count - 1;
			continue;
		}
		if (i && i != zeros + count)
			sentence_add(s, ":");
		add_number(s, ntohs(group[i]), 16);
	}
	sentence_add(s, "]");
	say_port(s, in.sin6_port);
}

static void say_unix(struct sentence *s, const void *address, size_t size)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1] = "";
	size_t length = size - offsetof(struct sockaddr_un, sun_path);
	bool is_abstract;

	length = length < sizeof(path) ? length : sizeof(path) - 1;
	memcpy(path, (const char *)address + offsetof(struct sockaddr_un, sun_path),
	       length);
	is_abstract = length && !path[0];
	sentence_add(s, is_abstract ? "unix:@" : "unix:");
	for (size_t i = is_abstract; i < length && (is_abstract || path[i]); i++)
		sentence_add(s, (char[]){ path[i] ? path[i] : '@', '\0' });
}

static void say_other(struct sentence *s, int family)
{
	sentence_add(s, "family:");
	add_number(s, (uint32_t)family, 10);
}

void address_say(const void *address, size_t size, char out[ADDRESS_TEXT_MAX])
{
	struct sentence s = sentence_begin(out, ADDRESS_TEXT_MAX);
	sa_family_t family;

	if (size < sizeof(family))
		return;
	memcpy(&family, address, sizeof(family));
	if (family == AF_INET && size >= sizeof(struct sockaddr_in))
		say_inet(&s, address);
	else if (family == AF_INET6 && size >= sizeof(struct sockaddr_in6))
		say_inet6(&s, address);
	else if (family == AF_UNIX)
		say_unix(&s, address, size);
	else
		say_other(&s, family);
}

void address_say_family(int family, char out[ADDRESS_TEXT_MAX])
{
	static const struct {
		int family;
		const char *name;
	} names[] = {
		{ AF_UNIX, "unix:" },
		{ AF_INET, "AF_INET" },
		{ AF_INET6, "AF_INET6" },
		{ AF_NETLINK, "AF_NETLINK" },
		{ AF_PACKET, "AF_PACKET" },
		{ AF_VSOCK, "AF_VSOCK" },
		{ AF_BLUETOOTH, "AF_BLUETOOTH" },
		{ AF_ALG, "AF_ALG" },
	};
	struct sentence s = sentence_begin(out, ADDRESS_TEXT_MAX);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].family == family)
			return sentence_add(&s, names[i].name);
	say_other(&s, family);
}
