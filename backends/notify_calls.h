/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of which the kernel tells the launcher before they happen: one table, read by what writes the
 * filter (notify_filter.c) and by what judges the calls.
 */
#pragma once

#include "policy/decide.h"

#include <stdbool.h>
#include <stdint.h>

enum notify_kind {
	NOTIFY_OTHER,
	NOTIFY_SOCKET,   /* socket(): `argument` is the family */
	NOTIFY_ADDRESS,  /* `argument` points to a socket address, its size follows */
	NOTIFY_MESSAGE,  /* `argument` points to a struct msghdr */
	NOTIFY_MESSAGES, /* … to several; their number follows */
	NOTIFY_FORK,
	NOTIFY_EXEC,
	NOTIFY_SIGNAL,   /* `argument` is the process */
	NOTIFY_PIDFD,    /* `argument` is a descriptor of the process */
	NOTIFY_TRACE,    /* looks into the process `argument` */
	NOTIFY_PATH
};

/* When an allowed call is told; a refused one always is. */
enum notify_when {
	NOTIFY_NEVER,
	NOTIFY_ALWAYS,
	NOTIFY_ADDRESSED, /* where the policy refuses addresses */
	NOTIFY_OPENS      /* where nobody else sees what is opened */
};

/* Of these an allowed call is passed over in the filter already. */
enum notify_spare {
	SPARE_NONE,
	SPARE_NULL,    /* `spare_argument` is NULL: there is no address */
	SPARE_PROGRAM, /* it is the program's own first exec … */
	SPARE_PARCEL   /* … or the message that brings the listener to the launcher */
};

/* What a call does to its paths: it decides what the walls ask, and what the kernel asks before. */
enum notify_effect {
	EFFECT_OPEN,   /* as its flags say */
	EFFECT_CHANGE, /* what is there */
	EFFECT_REMOVE, /* the entry, be it a link */
	EFFECT_CREATE, /* an entry that must not be there */
	EFFECT_MOVE    /* from the first path to the second */
};

/* Where a path stands among the arguments: its folder's descriptor and its text; -1 = none. */
struct notify_path {
	int8_t folder, text;
};

struct notify_call {
	const char *name;
	int number; /* negative: this machine has none */
	enum notify_kind kind;
	enum notify_when when;
	int8_t argument;
	enum network_use use;
	enum notify_spare spare;
	int8_t spare_argument;
	struct notify_path path[2];
	enum notify_effect effect;
	int8_t flags;      /* argument with open's or exec's flags; -1 = none, see `always` */
	unsigned always;   /* open's flags that need not be given */
};

/* Ends with a row whose name is NULL. */
extern const struct notify_call notify_calls[];

/* The row of that number on this machine, or NULL. */
const struct notify_call *notify_find_call(int number);
