/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Captured output: a buffer of at most `cap` bytes that counts everything and keeps the beginning.
 * Runs in the launcher, in the watching loop (taking) and after it (telling).
 *
 * What the program writes is hostile text: it leaves here only as valid UTF-8, as base64, or with
 * everything a terminal might obey spelled out. The buffer must never grow past the cap.
 */
#include "launcher/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 4096 };

static const char replacement[] = "\xef\xbf\xbd";
enum { REPLACEMENT_SIZE = sizeof(replacement) - 1 };

void output_init(struct output *o, size_t cap)
{
	*o = (struct output){ .cap = cap };
}

static size_t next_size(const struct output *o, size_t needed)
{
	size_t size = o->allocated ? o->allocated : FIRST_SIZE;

	while (size < needed && size < o->cap)
		size = size > SIZE_MAX / 2 ? SIZE_MAX : size * 2;
	return size < o->cap ? size : o->cap;
}

static int make_room(struct output *o, size_t needed)
{
	size_t size;
	char *data;

	if (needed <= o->allocated)
		return 0;
	size = next_size(o, needed);
	data = realloc(o->data, size);
	if (!data)
		return -ENOMEM;
	o->data = data;
	o->allocated = size;
	return 0;
}

int output_take(struct output *o, const char *data, size_t size)
{
	size_t room = o->cap - o->used;
	size_t keep = size < room ? size : room;

	/* After a first drop nothing more is kept: the text has no holes. */
	if (output_is_truncated(o))
		keep = 0;
	o->total += size;
	if (keep == 0)
		return 0;
	if (make_room(o, o->used + keep) < 0)
		return -ENOMEM;
	memcpy(o->data + o->used, data, keep);
	o->used += keep;
	return 0;
}

bool output_is_truncated(const struct output *o)
{
	return o->total > o->used;
}

void output_reset(struct output *o)
{
	o->used = 0;
	o->total = 0;
}

void output_free(struct output *o)
{
	free(o->data);
	*o = (struct output){ 0 };
}

/* Well-formed UTF-8 by lead byte (Unicode, table 3-7): the range of the second byte, and how many
 * follow in all. The later ones are 80..BF. */
static const struct utf8_row {
	unsigned char first, last, low, high, following;
} utf8_rows[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 1 }, { 0xe0, 0xe0, 0xa0, 0xbf, 2 }, { 0xe1, 0xec, 0x80, 0xbf, 2 },
	{ 0xed, 0xed, 0x80, 0x9f, 2 }, { 0xee, 0xef, 0x80, 0xbf, 2 }, { 0xf0, 0xf0, 0x90, 0xbf, 3 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 3 }, { 0xf4, 0xf4, 0x80, 0x8f, 3 },
};

static const struct utf8_row *find_row(unsigned char lead)
{
	for (size_t i = 0; i < sizeof(utf8_rows) / sizeof(utf8_rows[0]); i++) {
		if (lead >= utf8_rows[i].first && lead <= utf8_rows[i].last)
			return &utf8_rows[i];
	}
	return NULL;
}

enum piece_kind { PIECE_VALID, PIECE_INVALID, PIECE_CUT };

struct piece {
	enum piece_kind kind; /* cut: the text ends within a character that is well-formed so far */
	size_t size;
};

/* The first character of `text` (size > 0), or its maximal part that can begin none. */
static struct piece next_piece(const unsigned char *text, size_t size)
{
	const struct utf8_row *row;
	size_t at = 1;

	if (text[0] < 0x80)
		return (struct piece){ PIECE_VALID, 1 };
	row = find_row(text[0]);
	if (!row)
		return (struct piece){ PIECE_INVALID, 1 };
	for (; at <= row->following; at++) {
		unsigned char low = at == 1 ? row->low : 0x80;
		unsigned char high = at == 1 ? row->high : 0xbf;

		if (at == size)
			return (struct piece){ PIECE_CUT, at };
		if (text[at] < low || text[at] > high)
			return (struct piece){ PIECE_INVALID, at };
	}
	return (struct piece){ PIECE_VALID, at };
}

static size_t skip_ascii(const unsigned char *text, size_t size)
{
	size_t at = 0;

	while (at < size && text[at] < 0x80)
		at++;
	return at;
}

/* Where a conversion writes; with data == NULL it only measures. */
struct sink {
	char *data;
	size_t size;
};

static void put(struct sink *sink, const void *bytes, size_t size)
{
	if (sink->data)
		memcpy(sink->data + sink->size, bytes, size);
	sink->size += size;
}

static bool convert_text(const struct output *o, struct sink *sink)
{
	const unsigned char *text = (const unsigned char *)o->data;
	bool is_truncated = output_is_truncated(o), had_invalid = false;

	for (size_t at = 0; at < o->used;) {
		size_t plain = skip_ascii(text + at, o->used - at);
		struct piece piece;

		if (plain > 0) {
			put(sink, text + at, plain);
			at += plain;
			continue;
		}
		piece = next_piece(text + at, o->used - at);
		if (piece.kind == PIECE_VALID) {
			put(sink, text + at, piece.size);
		} else if (piece.kind == PIECE_INVALID || !is_truncated) {
			put(sink, replacement, REPLACEMENT_SIZE);
			had_invalid = true;
		}
		at += piece.size;
	}
	if (is_truncated)
		put(sink, OUTPUT_MARKER, sizeof(OUTPUT_MARKER) - 1);
	return had_invalid;
}

char *output_text(const struct output *o, size_t *size, bool *had_invalid)
{
	struct sink measure = { NULL, 0 }, sink = { NULL, 0 };

	*had_invalid = convert_text(o, &measure);
	sink.data = malloc(measure.size + 1);
	if (!sink.data)
		return NULL;
	(void)convert_text(o, &sink);
	sink.data[sink.size] = '\0';
	*size = sink.size;
	return sink.data;
}

static void encode_three(const unsigned char *in, size_t size, char out[4])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)in[0] << 16;

	if (size > 1)
		bits |= (uint32_t)in[1] << 8;
	if (size > 2)
		bits |= in[2];
	out[0] = digits[bits >> 18];
	out[1] = digits[bits >> 12 & 63];
	out[2] = size > 1 ? digits[bits >> 6 & 63] : '=';
	out[3] = size > 2 ? digits[bits & 63] : '=';
}

char *output_base64(const struct output *o)
{
	const unsigned char *in = (const unsigned char *)o->data;
	char *text, *to;

	if (o->used > SIZE_MAX / 4 * 3 - 8)
		return NULL;
	text = malloc((o->used + 2) / 3 * 4 + 1);
	if (!text)
		return NULL;
	to = text;
	for (size_t at = 0; at < o->used; at += 3, to += 4)
		encode_three(in + at, o->used - at, to);
	*to = '\0';
	return text;
}

/* What a terminal or a line reader could obey: C0 but \n and \t, DEL, C1, U+2028 and U+2029. */
static bool is_obeyed(const unsigned char *text, struct piece piece)
{
	if (piece.kind != PIECE_VALID)
		return true;
	if (piece.size == 1)
		return (text[0] < 0x20 && text[0] != '\n' && text[0] != '\t') || text[0] == 0x7f;
	if (piece.size == 2)
		return text[0] == 0xc2 && text[1] < 0xa0;
	return piece.size == 3 && text[0] == 0xe2 && text[1] == 0x80 &&
	       (text[2] == 0xa8 || text[2] == 0xa9);
}

static void put_spelled(struct sink *sink, const unsigned char *text, size_t size)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		char spelled[4] = { '\\', 'x', hex[text[i] >> 4], hex[text[i] & 15] };

		put(sink, spelled, sizeof(spelled));
	}
}

static void convert_visible(const unsigned char *text, size_t size, struct sink *sink)
{
	for (size_t at = 0; at < size;) {
		struct piece piece = next_piece(text + at, size - at);

		if (is_obeyed(text + at, piece))
			put_spelled(sink, text + at, piece.size);
		else
			put(sink, text + at, piece.size);
		at += piece.size;
	}
}

char *output_visible(const char *text, size_t size)
{
	struct sink measure = { NULL, 0 }, sink = { NULL, 0 };

	convert_visible((const unsigned char *)text, size, &measure);
	sink.data = malloc(measure.size + 1);
	if (!sink.data)
		return NULL;
	convert_visible((const unsigned char *)text, size, &sink);
	sink.data[sink.size] = '\0';
	return sink.data;
}
