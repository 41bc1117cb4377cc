/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splitting command lines: `env -S "…"`, `script -c "…"`, `watch …`.
 *
 * Enough of a shell's grammar to find the name of every command in a line: blanks,
 * quotes, backslashes, and the characters that end a command. Nothing is expanded: a
 * command whose name would come out of an expansion is reported as such, and refused by
 * the caller. Fixed room, no allocation, safe in a signal handler.
 */
#include "policy/wrappers.h"

#include <string.h>

void split_begin(struct split *s, bool is_shell)
{
	s->count = s->used = s->word = 0;
	s->is_full = s->is_dynamic = s->is_open = false;
	s->is_shell = is_shell;
	s->is_first = true;
	s->quote = '\0';
	s->inside = 0;
}

static void add_word(struct split *s, const char *word)
{
	if (s->count + 1 >= SPLIT_WORDS) {
		s->is_full = true;
		return;
	}
	s->words[s->count++] = word;
	s->is_first = !word;
}

static void add_char(struct split *s, char c)
{
	if (!s->is_open) {
		s->is_open = true;
		s->word = s->used;
	}
	if (s->used + 1 >= SPLIT_TEXT) {
		s->is_full = true;
		return;
	}
	s->text[s->used++] = c;
}

static void end_word(struct split *s)
{
	if (!s->is_open)
		return;
	s->is_open = false;
	if (s->used + 1 >= SPLIT_TEXT) {
		s->is_full = true;
		return;
	}
	s->text[s->used++] = '\0';
	/* NAME=VALUE before a shell's command is no command. */
	if (s->is_shell && s->is_first && strchr(s->text + s->word, '='))
		return;
	add_word(s, s->text + s->word);
}

void split_end_command(struct split *s)
{
	end_word(s);
	if (!s->is_first)
		add_word(s, NULL);
	s->words[s->count] = NULL;
}

void split_word(struct split *s, const char *word)
{
	end_word(s);
	add_word(s, word);
}

/* A backslash; returns how many characters behind it were used. */
static size_t split_escape(struct split *s, const char *next)
{
	if (!*next)
		return 0;
	if (s->is_shell) {
		if (*next != '\n')
			add_char(s, *next);
		return 1;
	}
	/* env -S: \_ and the white ones end a word unless quoted, \c ends everything. */
	if (!strchr("_tnrfv", *next))
		add_char(s, *next);
	else if (s->quote)
		add_char(s, ' ');
	else
		end_word(s);
	return 1;
}

static bool split_quote(struct split *s, char c)
{
	if (c != '\'' && c != '"')
		return false;
	if (s->quote && s->quote != c)
		return false;
	if (!s->is_open) {
		s->is_open = true;
		s->word = s->used;
	}
	s->quote = s->quote ? '\0' : c;
	return true;
}

/* "$(rm x)" and "`rm x`" run inside double quotes too, by the rules outside of them;
 * where the substitution ends, the quotes go on. Returns whether c was one of these. */
static bool split_substitution(struct split *s, char c)
{
	const bool is_quoted = s->quote == '"';

	if (!s->is_shell || !strchr("()`", c) || (s->quote && !is_quoted))
		return false;
	if (is_quoted ? c == ')' : !s->inside)
		return false;
	split_end_command(s);
	if (is_quoted || c == '(') {
		s->quote = '\0';
		s->inside++;
	} else if (!--s->inside) {
		s->quote = '"';
	}
	return true;
}

static void split_plain(struct split *s, char c)
{
	if (strchr(" \t\r\f\v", c))
		end_word(s);
	else if (!s->is_shell)
		c == '\n' ? end_word(s) : add_char(s, c);
	else if (strchr(";|&()`\n", c))
		split_end_command(s);
	else if (strchr("<>", c))
		end_word(s);
	else
		add_char(s, c);
}

void split_text(struct split *s, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && s->quote != '\'') {
			text += split_escape(s, text + 1);
			continue;
		}
		if (split_quote(s, *text))
			continue;
		if (*text == '$' && s->quote != '\'' && (s->is_first || !s->is_shell))
			s->is_dynamic = true;
		if (split_substitution(s, *text))
			continue;
		if (s->quote)
			add_char(s, *text);
		else
			split_plain(s, *text);
	}
	end_word(s);
	s->quote = '\0';
}
