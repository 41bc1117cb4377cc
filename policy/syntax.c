/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON's mistakes in our words: jansson's quote the text as it comes and speak of its own functions.
 * Runs in the launcher; pure.
 */
#include "policy/syntax.h"

#include <string.h>

static const struct code_row {
	enum json_error_code code;
	const char *words;
} code_rows[] = {
	{ json_error_duplicate_key, "the key is given twice" },
	{ json_error_numeric_overflow, "the number is too large" },
	{ json_error_null_character, "a string may not contain a NUL" },
	{ json_error_null_byte_in_key, "a key may not contain a NUL" },
	{ json_error_stack_overflow, "nested too deeply" },
	{ json_error_end_of_input_expected, "something stands behind the end" },
	{ json_error_premature_end_of_input, "the text ends too early" },
	{ json_error_invalid_utf8, "the text is not UTF-8" },
	{ json_error_out_of_memory, "out of memory" },
	{ json_error_unknown, NULL },
};

/* jansson has one code for all of these; its text begins so. */
static const struct text_row {
	const char *begins, *words;
} text_rows[] = {
	{ "'[' or '{' expected", "an object is expected" },
	{ "string or '}' expected", "a key in double quotes or } is expected" },
	{ "':' expected", "a colon is expected behind the key" },
	{ "'}' expected", "a comma or } is expected" },
	{ "']' expected", "a comma or ] is expected" },
	{ "unexpected newline", "the string does not end on its line" },
	{ "unexpected token", "a value is expected" },
	{ "control character", "a control character has to be written as an escape" },
	{ "invalid escape", "JSON knows no such escape" },
	{ "invalid Unicode", "the \\u escape is no character" },
	{ "invalid token", "neither a string in double quotes nor a number, true, false or null" },
	{ NULL, NULL },
};

const char *syntax_words(const json_error_t *error)
{
	const struct code_row *code = code_rows;
	const struct text_row *text = text_rows;

	while (code->words && code->code != json_error_code(error))
		code++;
	if (code->words)
		return code->words;
	while (text->words && strncmp(text->begins, error->text, strlen(text->begins)))
		text++;
	return text->words ? text->words : "not JSON";
}
