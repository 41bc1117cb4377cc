/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits: the tiers by name, the one table of limits, and the one parser for their
 * numbers.
 *
 * Pure data and arithmetic, used by the options, the documents, the session requests and
 * the results alike. A number that is not exactly what it says (a sign, a blank, an
 * exponent) is an error here, so that no two readers can disagree about a budget.
 */
#include "policy/limits.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Sizes end in off_t and rlim_t, times in a timer's signed seconds: stay inside both. */
#define NUMBER_MAX ((uint64_t)INT64_MAX)
#define SECONDS_MAX UINT64_C(1000000000)

#define MIB (UINT64_C(1) << 20)

struct tier {
	const char *name;
	uint64_t steps, wall_ms, memory_bytes, repairs;
};

static const struct tier tiers[] = {
	{"MINIMAL", 100000, 30000, 256 * MIB, 1},
	{"STANDARD", 10000000, 30000, 256 * MIB, 1},
	{"HEAVY_COMPUTE", 100000000, 120000, 512 * MIB, 2},
	{.name = NULL},
};

const struct limit_row limit_rows[] = {
	{"wall_s", "--wall", UNIT_SECONDS, offsetof(struct limits, wall_ms),
	 "wall clock; everything is killed when it ends"},
	{"cpu_s", "--cpu", UNIT_SECONDS, offsetof(struct limits, cpu_ms),
	 "CPU time of all processes of the run"},
	{"memory", "--memory", UNIT_BYTES, offsetof(struct limits, memory_bytes),
	 "memory of the run"},
	{"processes", "--processes", UNIT_COUNT, offsetof(struct limits, processes),
	 "processes and threads at once"},
	{"open_files", "--open-files", UNIT_COUNT, offsetof(struct limits, open_files),
	 "open descriptors per process"},
	{"file_size", "--file-size", UNIT_BYTES, offsetof(struct limits, file_bytes),
	 "size of any one file written"},
	{"disk", "--disk", UNIT_BYTES, offsetof(struct limits, disk_bytes),
	 "bytes in the run folder"},
	{"inodes", "--inodes", UNIT_COUNT, offsetof(struct limits, inodes),
	 "files and folders in the run folder"},
	{"output", "--max-output", UNIT_BYTES, offsetof(struct limits, output_bytes),
	 "bytes kept of each output stream"},
	{"stack", "--stack", UNIT_BYTES, offsetof(struct limits, stack_bytes),
	 "stack of the first thread"},
	{"steps", "--steps", UNIT_COUNT, offsetof(struct limits, steps),
	 "steps of the program"},
	{"repairs", "--max-repairs", UNIT_COUNT, offsetof(struct limits, repairs),
	 "failed runs of one task before its requests are refused"},
	{.key = NULL},
};

const struct limit_row *limits_find(const char *key)
{
	for (const struct limit_row *row = limit_rows; row->key; row++)
		if (strcmp(row->key, key) == 0)
			return row;
	return NULL;
}

struct limits limits_default(void)
{
	return (struct limits){
		.wall_ms = 30000,
		.cpu_ms = LIMIT_NONE,
		.memory_bytes = LIMIT_NONE,
		.processes = LIMIT_NONE,
		.open_files = LIMIT_NONE,
		.file_bytes = LIMIT_NONE,
		.disk_bytes = LIMIT_NONE,
		.inodes = LIMIT_NONE,
		.output_bytes = 65536,
		.stack_bytes = LIMIT_NONE,
		.steps = LIMIT_NONE,
		.repairs = LIMIT_NONE,
	};
}

int limits_apply_tier(struct limits *limits, const char *name)
{
	for (const struct tier *t = tiers; t->name; t++) {
		if (strcasecmp(t->name, name))
			continue;
		limits->steps = t->steps;
		limits->wall_ms = t->wall_ms;
		limits->memory_bytes = t->memory_bytes;
		limits->repairs = t->repairs;
		return 0;
	}
	return -ENOENT;
}

/* Reads digits at *text and moves it past them. At least one is needed. */
static int parse_digits(const char **text, uint64_t *out)
{
	const char *p = *text;
	uint64_t value = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		/* Beyond the limit only the form still matters: 99…9x is no number. */
		if (value <= NUMBER_MAX)
			value = value > NUMBER_MAX / 10
					? UINT64_MAX
					: value * 10 + (uint64_t)(*p - '0');
	}
	*text = p;
	*out = value;
	return 0;
}

static int parse_count(const char *text, uint64_t *out)
{
	uint64_t value;
	int r = parse_digits(&text, &value);

	if (r < 0)
		return r;
	if (*text)
		return -EINVAL;
	if (value > NUMBER_MAX)
		return -ERANGE;
	*out = value;
	return 0;
}

/* The shift a size suffix stands for: "", "B", "K", "KB", "KiB", … or -EINVAL. */
static int parse_size_suffix(const char *text)
{
	static const char letters[] = "KMGT";
	int shift = 0;

	if (*text) {
		char upper = *text >= 'a' && *text <= 'z' ? (char)(*text - 32) : *text;
		const char *at = strchr(letters, upper);

		if (at) {
			shift = 10 * (int)(at - letters + 1);
			text++;
		}
	}
	if (!*text || !strcmp(text, "B") || (shift && !strcmp(text, "iB")))
		return shift;
	return -EINVAL;
}

static int parse_bytes(const char *text, uint64_t *out)
{
	uint64_t value;
	int shift, r = parse_digits(&text, &value);

	if (r < 0)
		return r;
	shift = parse_size_suffix(text);
	if (shift < 0)
		return shift;
	if (value > NUMBER_MAX >> shift)
		return -ERANGE;
	*out = value << shift;
	return 0;
}

/* Up to three decimals count, further ones are dropped: a limit is never rounded up. */
static int parse_fraction(const char *text, uint64_t *milliseconds)
{
	uint64_t scale = 100;

	*milliseconds = 0;
	if (!*text)
		return 0;
	if (*text++ != '.' || !*text)
		return -EINVAL;
	for (; *text; text++, scale /= 10) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		*milliseconds += scale * (uint64_t)(*text - '0');
	}
	return 0;
}

static int parse_seconds(const char *text, uint64_t *out)
{
	uint64_t seconds, milliseconds;
	int r = parse_digits(&text, &seconds);

	if (r < 0)
		return r;
	r = parse_fraction(text, &milliseconds);
	if (r < 0)
		return r;
	if (seconds > SECONDS_MAX)
		return -ERANGE;
	milliseconds += seconds * 1000;
	/* In no time nothing can run; a kernel timer of 0 would even mean "never". */
	if (!milliseconds)
		return -ERANGE;
	*out = milliseconds;
	return 0;
}

int limits_parse(const char *text, enum limit_unit unit, int allow_none, uint64_t *out)
{
	if (allow_none && !strcmp(text, "none")) {
		*out = LIMIT_NONE;
		return 0;
	}
	switch (unit) {
	case UNIT_COUNT:
		return parse_count(text, out);
	case UNIT_BYTES:
		return parse_bytes(text, out);
	case UNIT_SECONDS:
		return parse_seconds(text, out);
	}
	return -EINVAL;
}
