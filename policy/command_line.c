/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading an interpreter's command line: does an argument carry the program's own text?
 *
 * The reading follows the interpreter, not a list of spellings: clusters (-lc), glued
 * code
 * (-cprint(1)), values that only look like operands (-X utf8), abbreviations (--ev).
 * Where a spelling is doubtful it counts as code; the walls would stop it later, but with
 * a worse sentence. Pure, no allocation, safe in a signal handler.
 */
#include "policy/interpreters.h"

#include <string.h>

/* Refused in front of any interpreter's program, whatever it would make of them. */
static const char always_inline[] = "--eval --exec";

struct reading {
	const struct interpreter_options *options;
	const char *const *arg; /* the argument being read */
	struct interpreter_inline *found;
	bool has_file; /* the program was named by an option */
	bool is_done;  /* options have ended */
	bool is_behind_word;
};

static bool find_word(const char *list, const char *word, size_t length, bool is_prefix)
{
	for (const char *p = list ? list : ""; *p;) {
		size_t size = strcspn(p, " ");

		if ((size == length || (is_prefix && size > length)) &&
		    !memcmp(p, word, length))
			return true;
		p += size;
		p += strspn(p, " ");
	}
	return false;
}

bool words_contain(const char *list, const char *word, size_t length)
{
	return length && find_word(list, word, length, false);
}

bool words_contain_prefix(const char *list, const char *word, size_t length)
{
	return length > 2 && find_word(list, word, length, true);
}

static bool has_letter(const char *letters, char c)
{
	return letters && c && strchr(letters, c);
}

static bool mark(struct reading *r, const char *text, size_t length)
{
	*r->found = (struct interpreter_inline){.text = text, .length = length};
	return true;
}

static void skip_value(struct reading *r)
{
	if (r->arg[1])
		r->arg++;
}

static bool is_listed(const struct reading *r, const char *list, const char *name,
		      size_t length)
{
	return r->options->abbreviates ? words_contain_prefix(list, name, length)
				       : words_contain(list, name, length);
}

static bool read_long(struct reading *r)
{
	const char *name = *r->arg;
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : r->arg[1];
	const bool is_file = is_listed(r, r->options->file_long, name, length);

	if (is_listed(r, r->options->inline_long, name, length) ||
	    words_contain(always_inline, name, length))
		return mark(r, name, length);
	if (r->options->data_urls && value && !strncmp(value, "data:", 5))
		return mark(r, name, length);
	r->has_file |= is_file;
	if (!name[length] &&
	    (is_file || is_listed(r, r->options->value_long, name, length)))
		skip_value(r);
	return false;
}

/* One letter of a cluster at *at. Returns whether the cluster goes on behind it. */
static bool read_letter(struct reading *r, const char *at)
{
	const struct interpreter_options *o = r->options;
	const bool is_file = has_letter(o->file_short, *at);

	if (has_letter(o->next_short, *at)) {
		/* bash -noprofile -c: that o was no -o, and -c is not its value. */
		if (r->arg[1] && r->arg[1][0] != '-' && r->arg[1][0] != '+')
			r->arg++;
		return true;
	}
	if (has_letter(o->glued_short, *at) || *at == ':' || *at == '=')
		return false;
	if (!is_file && !has_letter(o->value_short, *at) &&
	    !has_letter(o->last_short, *at))
		return true;
	r->has_file |= is_file;
	r->is_done |= has_letter(o->last_short, *at);
	if (!at[1])
		skip_value(r);
	return false;
}

static bool has_data_url(const struct reading *r, const char *text)
{
	const char *at = r->options->data_urls ? strstr(text, "data:") : NULL;

	return at && (at == text || at[-1] == '=' || at == text + 2);
}

static bool read_cluster(struct reading *r)
{
	const char *const cluster = *r->arg;

	/* bash takes its long options with one dash too. */
	if (words_contain(r->options->value_long, cluster, strlen(cluster))) {
		skip_value(r);
		return false;
	}
	for (const char *at = cluster + 1; *at; at++) {
		if (has_letter(r->options->inline_short, *at)) {
			size_t length = (size_t)(at - cluster) + 1;

			/* A shell's cluster is flags only: name it as it was written. */
			return mark(r, cluster,
				    r->options->plus ? strlen(cluster) : length);
		}
		if (!read_letter(r, at))
			break;
	}
	return has_data_url(r, *r->arg) ? mark(r, cluster, 2) : false;
}

static bool read_operand(struct reading *r)
{
	const char *const text = *r->arg;
	const struct interpreter_options *o = r->options;

	if (!r->is_behind_word && words_contain(o->inline_words, text, strlen(text)))
		return mark(r, text, strlen(text));
	if ((o->text_operand && !r->has_file) || (!r->has_file && has_data_url(r, text)))
		return mark(r, text, strlen(text));
	r->is_done =
		r->is_behind_word || !words_contain(o->more_words, text, strlen(text));
	r->is_behind_word = true;
	return false;
}

static bool is_option(const struct reading *r, const char *text)
{
	return (text[0] == '-' || (r->options->plus && text[0] == '+')) && text[1];
}

static bool read_argument(struct reading *r)
{
	const char *const text = *r->arg;

	if (!strcmp(text, "--")) {
		if (!r->arg[1])
			return false;
		r->arg++;
		r->is_behind_word = true;
		return read_operand(r);
	}
	if (!is_option(r, text))
		return read_operand(r);
	if (r->options->single_dash || (text[0] == '-' && text[1] == '-'))
		return read_long(r);
	return read_cluster(r);
}

bool interpreter_has_inline(const struct interpreter_options *options,
			    const char *const *argv, struct interpreter_inline *found)
{
	struct reading r = {.options = options, .arg = argv, .found = found};

	*found = (struct interpreter_inline){.text = NULL};
	if (!argv[0])
		return false;
	for (r.arg++; *r.arg && !r.is_done; r.arg++)
		if (read_argument(&r))
			return true;
	return false;
}
