/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shim comes into a program: before anything of the program's own runs, it finds the
 * room, maps the frozen policy and the ring, and enters itself in the table of processes.
 *
 * The library's constructor, in every process of a run. What cannot be had leaves the
 * program as it would be without us: unattached, every hook only calls through, and the
 * launcher sees that nobody attached.
 */
#include "shim/shim.h"

#include "shim/raw.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM_MAX 512 /* with it all that is written here is one page */

struct shim shim;

/* Made once, before there is a second thread, and constant from then on. */
static char preload[sizeof("LD_PRELOAD=") + ROOM_MAX];
static char room[sizeof(RING_ROOM_VARIABLE "=") + ROOM_MAX];

static const char *find_room(char *const *environment)
{
	static const char name[] = RING_ROOM_VARIABLE "=";

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, sizeof(name) - 1))
			return *environment + sizeof(name) - 1;
	return RING_ROOM;
}

static char *append(char *at, const char *text)
{
	size_t size = strlen(text);

	memcpy(at, text, size + 1);
	return at + size;
}

/* Maps a file of the room; *size 0 = as large as it is, and set. NULL = not to be had. */
static void *map_file(const char *name, int flags, int protection, size_t *size)
{
	char path[ROOM_MAX + 16];
	void *at = NULL;
	int fd;

	append(append(append(path, room + sizeof(RING_ROOM_VARIABLE)), "/"), name);
	fd = raw_open(AT_FDCWD, path, flags | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (!*size)
		*size = (size_t)raw_call4(SYS_lseek, fd, 0, SEEK_END, 0);
	if (*size && !raw_is_error((long)*size))
		at = raw_mmap(*size, protection, MAP_SHARED, fd);
	raw_close(fd);
	return at;
}

static const struct policy_block *map_policy(void)
{
	size_t size = 0;
	const struct policy_block *block = map_file(RING_POLICY_NAME, O_RDONLY, PROT_READ,
						    &size);

	if (!block || size < sizeof(*block) || block->magic != POLICY_BLOCK_MAGIC ||
	    block->version != POLICY_BLOCK_VERSION || block->size > size)
		return NULL;
	return block;
}

static struct ring_header *map_ring(void)
{
	size_t size = RING_BYTES; /* the launcher makes it so, and one call less is one
				     call less */
	struct ring_header *ring = map_file(RING_FILE_NAME, O_RDWR,
					    PROT_READ | PROT_WRITE, &size);

	return ring && ring->magic == RING_MAGIC && ring->version == RING_VERSION ? ring
										  : NULL;
}

/* With walls a refusal is explained, without them it is made; native code has no other
 * wall than us. */
static uint32_t choose_mode(uint32_t flags)
{
	uint32_t mode = flags & RING_RECORD_ALL ? SHIM_RECORDS : 0;

	if (flags & RING_WALLS)
		mode |= SHIM_EXPLAINS;
	if (flags & RING_OBSERVE)
		return mode;
	return mode | SHIM_LOADS | (flags & RING_WALLS ? 0 : SHIM_JUDGES);
}

void shim_attach(char *const *environment, const char *library)
{
	const char *folder = find_room(environment);
	const struct policy_block *block;
	struct ring_header *ring;

	if (folder[0] != '/' || strlen(folder) >= ROOM_MAX || strlen(library) >= ROOM_MAX)
		return;
	append(append(room, RING_ROOM_VARIABLE "="), folder);
	append(append(preload, "LD_PRELOAD="), library);
	block = map_policy();
	ring = block ? map_ring() : NULL;
	if (!ring)
		return;
	shim = (struct shim){
		.block = block,
		.ring = ring,
		.flags = ring->flags,
		.mode = choose_mode(ring->flags),
		.preload = preload,
		.room = room,
	};
	shim_tell_attached();
}
