/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run has written in its session's work folder: a bounded look per tick. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#define DISK_DEPTH 64

/* A walk that goes on at the next tick where the last one stopped. */
struct disk_watch {
	int root;               /* borrowed: work/ */
	DIR *open[DISK_DEPTH];  /* the folders on the way down */
	unsigned depth;
	uint64_t bytes, inodes; /* of the walk under way */
	bool too_deep;          /* folders deeper than DISK_DEPTH were not looked into */
};

void disk_watch_begin(struct disk_watch *d, int root);

/* Looks at no more than `entries` of them. Is more used than allowed (UINT64_MAX = no limit)? */
bool disk_watch_look(struct disk_watch *d, unsigned entries, uint64_t bytes, uint64_t inodes);
void disk_watch_end(struct disk_watch *d);
