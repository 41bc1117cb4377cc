/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stile help: the verbs and options, those of one verb, and the completions of shells. All of it is printed
 * from the tables that the parser reads. Runs in the launcher; starts nothing.
 */
#include "launcher/completions.h"
#include "launcher/option_use.h"
#include "launcher/request.h"
#include "launcher/verbs.h"
#include "policy/document.h"
#include "policy/interpreters.h"

#include <stdio.h>
#include <string.h>

const struct verb *verb_find(const char *name)
{
	for (const struct verb *v = verbs; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

int verb_complain(const char *word)
{
	const char *names[32];
	const char *near;
	size_t count = 0;

	for (const struct verb *v = verbs; v->name && count < 31; v++)
		names[count++] = v->name;
	names[count] = NULL;
	near = suggest_nearest(word, names);
	fprintf(stderr, "stile: unknown verb '%s'%s%s%s\n", word, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	return EXIT_USAGE;
}

bool verb_takes(const struct verb *verb, const char *flag)
{
	if (option_is_narrow(flag))
		return option_fits(flag, verb->name);
	return strstr(verb->operands, "[OPTION") != NULL;
}

static void put_option(const struct option_view *option)
{
	const char *words = option_words(option->flag);

	printf("  %-18s %-12s %s", option->flag, option->value ? option->value : "", option->help);
	if (words)
		printf(": %s", words);
	putchar('\n');
}

static void put_languages(void)
{
	fputs("\nlanguages:", stdout);
	for (const struct interpreter *row = interpreters; row->name; row++)
		if (row->languages && row->languages[0])
			printf(" %s", row->languages);
	putchar('\n');
}

static void put_verb(const struct verb *verb)
{
	const char *title = "\noptions:\n";
	struct option_view option;

	printf("usage: stile %s%s%s\n\n%s\n", verb->name, verb->operands[0] ? " " : "",
	       verb->operands, verb->summary);
	if (strstr(verb->operands, "LANGUAGE"))
		put_languages();
	for (size_t i = 0; option_at(i, &option); i++) {
		if (!verb_takes(verb, option.flag))
			continue;
		fputs(title, stdout);
		title = "";
		put_option(&option);
	}
}

static void put_all(void)
{
	struct option_view option;

	puts("usage: stile VERB [OPTION…] [--] …\n");
	for (const struct verb *v = verbs; v->name; v++)
		printf("  %-13s %s\n", v->name, v->summary);
	puts("\noptions:");
	for (size_t i = 0; option_at(i, &option); i++)
		put_option(&option);
	puts("\nstile help VERB tells those of one verb; stile(1) has the details.");
}

static int put_completions(int argc, char **argv)
{
	if (argc == 1 && completions_print(argv[0]) == 0)
		return 0;
	fputs("stile help: --completions needs one of bash, zsh\n", stderr);
	return EXIT_USAGE;
}

int verb_help(int argc, char **argv)
{
	const struct verb *verb;

	if (argc == 0) {
		put_all();
		return 0;
	}
	if (strcmp(argv[0], "--completions") == 0)
		return put_completions(argc - 1, argv + 1);
	verb = verb_find(argv[0]);
	if (!verb)
		return verb_complain(argv[0]);
	put_verb(verb);
	return 0;
}
