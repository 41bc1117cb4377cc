/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Carrying the shim on: what an environment lacks for the next program, and a copy that
 * has it.
 *
 * Runs inside the program, between vfork and exec too: nothing is allocated, nothing of
 * the caller's is changed, everything is bounded.
 */
#include "shim/environment.h"

#include "shim/ring.h"

#include <string.h>

static const char preload_name[] = "LD_PRELOAD=";
static const char room_name[] = RING_ROOM_VARIABLE "=";

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Is ours the first of the list? Entries end with a colon, a blank or the text. */
static bool has_ours_first(const char *entry, const char *ours)
{
	size_t length = strlen(ours);

	return !strncmp(entry, ours, length) &&
	       (!entry[length] || strchr(": \t\n", entry[length]));
}

/* The last LD_PRELOAD is the one that glibc's loader takes. */
static const char *find_preload(char *const *environment)
{
	const char *found = "";

	for (; environment && *environment; environment++)
		if (begins(*environment, preload_name))
			found = *environment + strlen(preload_name);
	return found;
}

/* Both are there, once each, and right. */
static bool is_whole(char *const *environment, const struct environment_wish *wish)
{
	unsigned preloads = 0, rooms = 0;

	for (; environment && *environment; environment++) {
		bool is_preload = begins(*environment, preload_name);
		bool is_room = begins(*environment, room_name);

		if ((is_preload && !has_ours_first(*environment, wish->preload)) ||
		    (is_room && strcmp(*environment, wish->room) != 0))
			return false;
		preloads += is_preload;
		rooms += is_room;
	}
	return preloads == 1 && rooms == 1;
}

struct environment_need environment_measure(char *const *environment,
					    const struct environment_wish *wish)
{
	struct environment_need need = { 0, 1 };
	size_t count = 0, text;

	if (is_whole(environment, wish))
		return need;
	while (environment && environment[count] && count < ENVIRONMENT_MAX)
		count++;
	text = strlen(wish->preload) + 1 + strlen(find_preload(environment)) + 1;
	if (count >= ENVIRONMENT_MAX || text > ENVIRONMENT_TEXT_MAX)
		return need;
	need.entries = count + 3;
	need.text = text;
	return need;
}

static void write_preload(const char *theirs, const char *ours, char *out)
{
	const char *value = ours + strlen(preload_name);
	size_t length = strlen(ours);

	memcpy(out, ours, length + 1);
	if (has_ours_first(theirs, value))
		theirs += strlen(value);
	else if (*theirs)
		out[length++] = ':';
	memcpy(out + length, theirs, strlen(theirs) + 1);
}

char **environment_repair(char *const *environment, const struct environment_wish *wish,
			  char **list, char *text)
{
	size_t count = 0;

	write_preload(find_preload(environment), wish->preload, text);
	list[count++] = text;
	list[count++] = (char *)wish->room;
	for (; environment && *environment; environment++)
		if (!begins(*environment, preload_name) &&
		    !begins(*environment, room_name))
			list[count++] = *environment;
	list[count] = NULL;
	return list;
}
