/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a session's request: a request whose every word is there, or a mistake told as one line
 * that can stand in an answer. The JSON parser is a library without coverage, so the bytes are tried a
 * second time with pieces of requests for those from 0x80 on.
 */
#include "launcher/request_line.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
	"{\"op\":\"run\"", "{\"op\":\"run_code\"", ",\"argv\":[", ",\"env\":{", ",\"limits\":{",
	",\"tier\":", ",\"execution_profile\":", ",\"task\":", ",\"language\":", ",\"code\":",
	",\"stdin\":", ",\"id\":", "\"A\":", "\"wall_s\":", "\"memory\":", "\"memory_bytes\":", "\"\"",
	"\"x\"", "\"STANDARD\"", "\"none\"", "\"256M\"", "\"\xc3\xa9\"", "2.5", "-1", "1e300", "null", "{",
	"}", "[", "]", ",", "]}", "}}", "\"\"}",
};

#define PIECES (sizeof(pieces) / sizeof(*pieces))
#define WOVEN_MAX 65536

static size_t weave(const uint8_t *data, size_t size, char *out)
{
	size_t used = 0;

	for (size_t i = 0; i < size && used + 64 < WOVEN_MAX; i++) {
		const char *piece = pieces[data[i] % PIECES];

		if (data[i] < 0x80) {
			out[used++] = (char)data[i];
			continue;
		}
		memcpy(out + used, piece, strlen(piece));
		used += strlen(piece);
	}
	return used;
}

static void check_sentence(const char *why)
{
	json_t *text = json_string(why);

	if (!*why || !text || strchr(why, '\n'))
		abort();
	json_decref(text);
}

static void check_request(const struct request_line *line)
{
	if (!line->op || (line->input && strlen(line->input) != line->input_size) ||
	    (line->code && strlen(line->code) != line->code_size))
		abort();
	for (size_t i = 0; line->argv && i < json_array_size(json_object_get(line->object, "argv"));
	     i++)
		if (!line->argv[i])
			abort();
	for (size_t i = 0; line->env && line->env[i]; i++)
		if (!strchr(line->env[i], '=') || line->env[i][0] == '=')
			abort();
}

static void check_line(const char *text, size_t size)
{
	struct limits limits = limits_default();
	char why[REQUEST_LINE_WHY_MAX] = "";
	struct request_line line;

	if (request_line_read(&line, text, size, why, sizeof(why)) < 0) {
		check_sentence(why);
	} else {
		check_request(&line);
		if (request_line_take_limits(&line, &limits, why, sizeof(why)) < 0)
			check_sentence(why);
	}
	request_line_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char woven[WOVEN_MAX];

	check_line((const char *)data, size);
	check_line(woven, weave(data, size, woven));
	return 0;
}
