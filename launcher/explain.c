/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Printing denials for people. There is one printer, and it reads JSON: so that a run just ended, a result
 * kept in a file and an event log are told in the same words.
 *
 * Runs in the launcher. Most of what is printed was chosen by the program: no control character of its goes
 * to the terminal.
 */
#include "launcher/explain.h"

#include "backends/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_SHOWN 8 /* the caller and his callers; main()'s are all alike */

/* --- texts ------------------------------------------------------------------------------------- */

/* U+0080 to U+009F are control characters too; in UTF-8 they are two bytes. */
static bool is_control(const unsigned char *at)
{
	return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

static void put_safe(FILE *out, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (!is_control(at))
			(void)fputc(*at, out);
		else if (*at == 0xc2)
			(void)fprintf(out, "\\x%02x", *++at);
		else
			(void)fprintf(out, "\\x%02x", *at);
	}
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void put_line(FILE *out, const char *title, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "  %-8s", title);
	put_safe(out, text);
	(void)fputc('\n', out);
}

/* --- one denial -------------------------------------------------------------------------------- */

static void put_error(FILE *out, const json_t *error)
{
	if (json_is_string(error))
		fprintf(out, " (%s)", json_string_value(error));
	else if (json_is_integer(error))
		fprintf(out, " (errno %lld)", (long long)json_integer_value(error));
}

static void put_what(FILE *out, const json_t *denial)
{
	json_int_t count = number_of(denial, "count");
	const char *call = text_of(denial, "call");

	fputs("refused: ", out);
	put_safe(out, *call ? call : text_of(denial, "axis"));
	if (*text_of(denial, "target"))
		(void)fputc(' ', out);
	put_safe(out, text_of(denial, "target"));
	put_error(out, json_object_get(denial, "errno"));
	if (count > 1)
		fprintf(out, ", %lld times", (long long)count);
	(void)fputc('\n', out);
}

static void put_who(FILE *out, const json_t *denial)
{
	bool is_early = json_is_null(json_object_get(denial, "at_ms")) &&
			json_is_null(json_object_get(denial, "pid"));
	const char *voice = is_early ? "before the start" :
			    json_is_true(json_object_get(denial, "trusted")) ? "seen by the kernel" :
									       "told by the shim";

	fprintf(out, "  %-8s%s (%s), rule %lld\n", "by", text_of(denial, "layer"), voice,
		(long long)number_of(denial, "rule"));
	if (json_is_true(json_object_get(denial, "shim_bypassed")))
		put_line(out, "", "the program went past the shim");
}

static void put_script(FILE *out, const json_t *script)
{
	if (!json_is_object(script))
		return;
	fprintf(out, "  %-8s", "script");
	put_safe(out, text_of(script, "file"));
	if (number_of(script, "line"))
		fprintf(out, ":%lld", (long long)number_of(script, "line"));
	if (*text_of(script, "function")) {
		fputs(" in ", out);
		put_safe(out, text_of(script, "function"));
	}
	(void)fputc('\n', out);
}

/* symbol+0x10 (module), or module!+0x1234. */
static void put_frame(FILE *out, const char *title, const json_t *frame)
{
	const char *symbol = text_of(frame, "symbol");

	fprintf(out, "  %-8s", title);
	put_safe(out, *symbol ? symbol : text_of(frame, "module"));
	fprintf(out, "%s+0x%llx", *symbol ? "" : "!",
		(unsigned long long)number_of(frame, "offset"));
	if (*symbol) {
		fputs(" (", out);
		put_safe(out, text_of(frame, "module"));
		(void)fputc(')', out);
	}
	(void)fputc('\n', out);
}

void explain_denial(FILE *out, const json_t *denial)
{
	const json_t *frame;
	size_t i;

	put_what(out, denial);
	put_line(out, "why", text_of(denial, "reason"));
	put_who(out, denial);
	put_script(out, json_object_get(denial, "script"));
	json_array_foreach(json_object_get(denial, "where"), i, frame)
		if (i < FRAMES_SHOWN)
			put_frame(out, i ? "" : "where", frame);
	put_line(out, "allow", text_of(denial, "fix"));
}

/* --- a result ---------------------------------------------------------------------------------- */

static void put_shim(FILE *out, const json_t *shim)
{
	const json_t *blind;
	size_t i;

	if (*text_of(shim, "why")) {
		fputs("not explained by the shim: ", out);
		put_safe(out, text_of(shim, "why"));
		(void)fputc('\n', out);
	}
	json_array_foreach(json_object_get(shim, "blind"), i, blind) {
		fprintf(out, "the shim did not see into process %lld, ",
			(long long)number_of(blind, "pid"));
		put_safe(out, text_of(blind, "exe"));
		fprintf(out, ": %s\n", text_of(blind, "why"));
	}
	if (number_of(shim, "blind_lost"))
		fprintf(out, "nor into %lld others\n", (long long)number_of(shim, "blind_lost"));
}

void explain_result(FILE *out, const json_t *result)
{
	json_int_t total = number_of(result, "denials_total");
	json_int_t lost = number_of(result, "denials_lost");
	const json_t *denial;
	size_t i;

	json_array_foreach(json_object_get(result, "denials"), i, denial)
		explain_denial(out, denial);
	if (lost)
		fprintf(out, "%lld of %lld refusals are not known one by one\n", (long long)lost,
			(long long)total);
	if (!total)
		fputs("nothing was refused\n", out);
	put_shim(out, json_object_get(json_object_get(result, "layers"), "shim"));
}

void explain_run(FILE *out, const struct result *r)
{
	_cleanup_free_ char *text = result_to_json(r, false);
	json_t *json = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;

	if (json)
		explain_result(out, json);
	json_decref(json);
}

/* --- files ------------------------------------------------------------------------------------- */

static void put_heading(FILE *out, const json_t *value)
{
	const json_t *word;
	size_t i;

	fputs("run ", out);
	put_safe(out, text_of(value, "run"));
	put_safe(out, text_of(value, "id"));
	(void)fputc(':', out);
	json_array_foreach(json_object_get(value, "argv"), i, word) {
		(void)fputc(' ', out);
		put_safe(out, json_string_value(word) ? json_string_value(word) : "");
	}
	(void)fputc('\n', out);
}

/* A run is told of by its result, or in a log by events, of which those of one run follow each other. */
static void explain_value(FILE *out, const json_t *value, char run[64])
{
	bool is_event = strcmp(text_of(value, "event"), "DENIAL") == 0;

	if (!is_event && !json_object_get(value, "denials"))
		return;
	if (!is_event || strcmp(run, text_of(value, "run")) != 0)
		put_heading(out, value);
	snprintf(run, 64, "%s", text_of(value, "run"));
	if (is_event)
		explain_denial(out, value);
	else
		explain_result(out, value);
}

static int peek(FILE *in)
{
	int c;

	do
		c = getc(in);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	if (c != EOF)
		(void)ungetc(c, in);
	return c;
}

int explain_stream(FILE *out, FILE *in, const char *name)
{
	char run[64] = "";
	size_t count = 0;

	while (peek(in) != EOF) {
		json_error_t error;
		json_t *value = json_loadf(in, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);

		count++;
		if (!json_is_object(value)) {
			fprintf(stderr, "stile explain: %s: value %zu is no JSON object%s\n", name,
				count, value ? "" : " or is cut");
			json_decref(value);
			return -EINVAL;
		}
		explain_value(out, value, run);
		json_decref(value);
	}
	return 0;
}
