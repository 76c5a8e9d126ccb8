/* SPDX-License-Identifier: MIT */
/* completion_zsh.c - what zsh reads to complete whocallme, by its _arguments. */
#include "options/completion.h"

#include <string.h>

static const char head[] =
	"#compdef whocallme\n"
	"# zsh completion of whocallme; made by \"whocallme completion zsh\"\n"
	"\n"
	"_whocallme_commands()\n"
	"{\n"
	"\tlocal -a commands=(\n";

static const char body[] =
	"\t)\n"
	"\t_describe -t commands command commands\n"
	"}\n"
	"\n"
	"_whocallme()\n"
	"{\n"
	"\tlocal curcontext=$curcontext state line ret=1\n"
	"\n"
	"\t_arguments -C \\\n"
	"\t\t'(- *)'{-h,--help}'[show the commands]' \\\n"
	"\t\t'(- *)'{-V,--version}'[show the version]' \\\n"
	"\t\t'1: :_whocallme_commands' '*:: :->arguments' && ret=0\n"
	"\t[[ $state = arguments ]] || return ret\n"
	"\tcurcontext=${curcontext%:*:*}:whocallme-$words[1]:\n"
	"\tcase $words[1] in\n";

static const char tail[] =
	"\tesac\n"
	"\treturn ret\n"
	"}\n"
	"\n"
	"if [[ $funcstack[1] = _whocallme ]]; then\n"
	"\t_whocallme \"$@\"\n"
	"else\n"
	"\tcompdef _whocallme whocallme\n"
	"fi\n";

static void put_action(enum takes takes, const char *words)
{
	switch (takes) {
	case TAKES_FILE:
		fputs("_files", stdout);
		break;
	case TAKES_DIRECTORY:
		fputs("_files -/", stdout);
		break;
	case TAKES_WORD:
		printf("(%s)", words);
		break;
	case TAKES_WORDS:
		printf("_values -s , word %s", words);
		break;
	case TAKES_COMMAND:
		fputs("_whocallme_commands", stdout);
		break;
	default:
		putchar(' ');
	}
}

static void put_word(const char *word, int length, const char *means, int means_length)
{
	printf("%.*s\\:\"%.*s\" ", length, word, means_length, means);
}

static void put_option(const struct command *command,
		       const struct command_option *option)
{
	const bool has_letter = option->key < OPTION_LONG;
	const char *sign = !option->value ? "" : option->is_optional ? "=-" : "=";
	char text[128];

	(void)command;
	/* One with a value may come again; help stands alone. */
	fputs(" \\\n\t\t\t", stdout);
	if (option->value)
		fputs("'*'", stdout);
	else if (has_letter)
		printf("'(-%c --%s)'", option->key, option->name);
	if (has_letter)
		printf("{-%c%s,--%s%s}", option->key,
		       !option->value ? "" : option->is_optional ? "-" : "+",
		       option->name, sign);
	else
		printf("--%s%s", option->name, sign);
	putchar('\'');
	putchar('[');
	for (const char *s = completion_brief(option, text); *s; s++) {
		if (strchr("[]\\", *s))
			putchar('\\');
		fputs(*s == '\'' ? "'\\''" : (char[]){ *s, 0 }, stdout);
	}
	putchar(']');
	if (option->value) {
		printf("%s:%s:", option->is_optional ? ":" : "", option->value);
		if (option->means) {
			fputs("((", stdout);
			completion_each_word(option, put_word);
			fputs("))", stdout);
		} else {
			put_action(option->takes, option->words);
		}
	}
	putchar('\'');
}

static void put_command(const struct command *command)
{
	printf("\t%s)\n\t\t_arguments -s -S :", command->name);
	completion_each(command, put_option);
	if (command->takes == TAKES_PROGRAM) {
		fputs(" \\\n\t\t\t'(-)1:program:_command_names -e' \\\n"
		      "\t\t\t'*::argument: _normal'", stdout);
	} else {
		fputs(" \\\n\t\t\t'*: :", stdout);
		put_action(command->takes, command->words);
		putchar('\'');
	}
	puts(" && ret=0\n\t\t;;");
}

void completion_zsh(void)
{
	const struct command *const *command;
	char text[256];

	fputs(head, stdout);
	for (command = commands; *command; command++) {
		snprintf(text, sizeof(text), "%s:%s", (*command)->name,
			 (*command)->summary);
		fputs("\t\t", stdout);
		completion_quote(text, "");
		putchar('\n');
	}
	fputs(body, stdout);
	for (command = commands; *command; command++)
		put_command(*command);
	fputs(tail, stdout);
}
