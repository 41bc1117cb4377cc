/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `stile help --completions bash|zsh`: the files that the build installs. Only the frame is written here; verbs,
 * options and words come from the tables the parser reads, so that what a shell offers is what is taken.
 */
#include "launcher/completions.h"

#include "launcher/option_use.h"
#include "launcher/verbs.h"
#include "policy/interpreters.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum value_kind { VALUE_NONE, VALUE_WORDS, VALUE_FILE, VALUE_FOLDER, VALUE_TEXT };

/* What may stand behind an option, by the name its value has in the help. */
static enum value_kind kind_of(const struct option_view *option)
{
	if (!option->value)
		return VALUE_NONE;
	if (option_words(option->flag) || option->value[strcspn(option->value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == 0)
		return VALUE_WORDS;
	if (strncmp(option->value, "FILE", 4) == 0 || strcmp(option->value, "PATH") == 0)
		return VALUE_FILE;
	return strcmp(option->value, "DIR") == 0 ? VALUE_FOLDER : VALUE_TEXT;
}

static void put_words(const struct option_view *option)
{
	const char *words = option_words(option->flag);

	for (const char *p = words ? words : option->value; *p; p++)
		putchar(*p == '|' ? ' ' : *p);
}

static void put_languages(void)
{
	for (const struct interpreter *row = interpreters; row->name; row++)
		if (row->languages && row->languages[0])
			printf("%s ", row->languages);
}

/* ---- bash ---- */

static void put_bash_flags(const struct verb *verb)
{
	struct option_view option;

	printf("\t%s) echo '", verb->name);
	for (size_t i = 0; option_at(i, &option); i++)
		if (verb_takes(verb, option.flag))
			printf("%s ", option.flag);
	puts("' ;;");
}

static void put_bash_value(const struct option_view *option)
{
	static const char *const actions[] = {
		[VALUE_FILE] = "compgen -f -- \"$2\"",
		[VALUE_FOLDER] = "compgen -d -- \"$2\"",
		[VALUE_TEXT] = ":",
	};
	enum value_kind kind = kind_of(option);

	if (kind == VALUE_NONE)
		return;
	printf("\t%s) ", option->flag);
	if (kind == VALUE_WORDS) {
		printf("compgen -W '");
		put_words(option);
		printf("' -- \"$2\"");
	} else {
		printf("%s", actions[kind]);
	}
	puts(" ;;");
}

static const char bash_top[] =
	"# SPDX-License-Identifier: LGPL-2.1-or-later\n"
	"# bash completion of stile, printed by `stile help --completions bash`.\n"
	"\n";

static const char bash_end[] =
	"_stile()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal verb=${COMP_WORDS[1]} i\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $verb == help ]]; }; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$_stile_verbs\" -- \"$word\")\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	"\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	"\t\tif ((i + 1 == COMP_CWORD)); then\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
	"\t\telse\n"
	"\t\t\tcompopt -o default\n"
	"\t\tfi\n"
	"\t\treturn\n"
	"\tdone\n"
	"\tif [[ $before == --* ]] && _stile_takes_value \"$before\"; then\n"
	"\t\tmapfile -t COMPREPLY < <(_stile_values \"$before\" \"$word\")\n"
	"\t\tcompopt -o filenames\n"
	"\telif [[ $word == -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"-- $(_stile_options \"$verb\")\" -- \"$word\")\n"
	"\telif [[ $verb == code ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -W \"$_stile_languages\" -- \"$word\")\n"
	"\t\tcompopt -o filenames\n"
	"\telse\n"
	"\t\tcompopt -o default\n"
	"\tfi\n"
	"}\n"
	"complete -F _stile stile\n";

static void put_bash_value_options(void)
{
	const char *between = "";
	struct option_view option;

	printf("_stile_takes_value()\n{\n\tcase $1 in\n\t");
	for (size_t i = 0; option_at(i, &option); i++)
		if (option.value) {
			printf("%s%s", between, option.flag);
			between = "|";
		}
	puts(") return 0 ;;\n\tesac\n\treturn 1\n}\n");
}

static void put_bash(void)
{
	struct option_view option;

	fputs(bash_top, stdout);
	printf("_stile_verbs='");
	for (const struct verb *v = verbs; v->name; v++)
		printf("%s ", v->name);
	printf("'\n_stile_languages='");
	put_languages();
	puts("'\n\n# _stile_options VERB\n_stile_options()\n{\n\tcase $1 in");
	for (const struct verb *v = verbs; v->name; v++)
		put_bash_flags(v);
	puts("\tesac\n}\n\n# _stile_values OPTION WORD: what may stand behind it.\n_stile_values()\n{\n\tcase $1 in");
	for (size_t i = 0; option_at(i, &option); i++)
		put_bash_value(&option);
	puts("\tesac\n}\n");
	put_bash_value_options();
	fputs(bash_end, stdout);
}

/* ---- zsh ---- */

/* Inside single quotes of a specification, where [ ] : have a meaning. */
static void put_zsh_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:", *text))
			putchar('\\');
		if (*text == '\'')
			fputs("'\\'", stdout);
		putchar(*text);
	}
}

static void put_zsh_option(const struct option_view *option)
{
	static const char *const actions[] = {
		[VALUE_FILE] = "_files",
		[VALUE_FOLDER] = "_files -/",
		[VALUE_TEXT] = " ",
	};
	enum value_kind kind = kind_of(option);

	printf("\t\t\t'%s%s[", option_repeats(option->flag) ? "*" : "", option->flag);
	put_zsh_text(option->help);
	putchar(']');
	if (kind != VALUE_NONE) {
		putchar(':');
		put_zsh_text(option->value);
		putchar(':');
	}
	if (kind == VALUE_WORDS) {
		putchar('(');
		put_words(option);
		putchar(')');
	} else if (kind != VALUE_NONE) {
		fputs(actions[kind], stdout);
	}
	puts("'");
}

static void put_zsh_verb(const struct verb *verb)
{
	struct option_view option;

	printf("\t%s)\n\t\toptions=(\n", verb->name);
	for (size_t i = 0; option_at(i, &option); i++)
		if (verb_takes(verb, option.flag))
			put_zsh_option(&option);
	puts("\t\t) ;;");
}

static const char zsh_top[] =
	"#compdef stile\n"
	"# SPDX-License-Identifier: LGPL-2.1-or-later\n"
	"# zsh completion of stile, printed by `stile help --completions zsh`.\n"
	"\n";

static const char zsh_operands[] =
	"'\n"
	"\tif [[ $verb == code && CURRENT -eq 1 ]]; then\n"
	"\t\tcompadd ${=languages}\n"
	"\telif [[ $verb == code ]]; then\n"
	"\t\t_files\n"
	"\telse\n"
	"\t\t_normal\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_stile() {\n"
	"\tlocal verb=$words[2]\n"
	"\tlocal -a verbs options\n"
	"\tverbs=(\n";

static const char zsh_choice[] =
	"\t)\n"
	"\tif (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $verb == help ]]; then\n"
	"\t\t_describe verb verbs\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tcase $verb in\n";

static const char zsh_end[] =
	"\tesac\n"
	"\tshift words\n"
	"\t(( CURRENT-- ))\n"
	"\t_arguments -s -S $options '*::program:_stile_operands'\n"
	"}\n"
	"\n"
	"_stile \"$@\"\n";

static void put_zsh(void)
{
	printf("%s_stile_operands() {\n\tlocal languages='", zsh_top);
	put_languages();
	fputs(zsh_operands, stdout);
	for (const struct verb *v = verbs; v->name; v++) {
		printf("\t\t'%s:", v->name);
		put_zsh_text(v->summary);
		puts("'");
	}
	fputs(zsh_choice, stdout);
	for (const struct verb *v = verbs; v->name; v++)
		put_zsh_verb(v);
	fputs(zsh_end, stdout);
}

static const struct {
	const char *name;
	void (*put)(void);
} shells[] = {
	{ "bash", put_bash },
	{ "zsh", put_zsh },
};

int completions_print(const char *shell)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].put();
			return 0;
		}
	return -ENOENT;
}
