/* SPDX-License-Identifier: MIT */
/* completion_fish.c - what fish reads to complete whocallme. */
#include "options/completion.h"

#include <string.h>

static const char head[] =
	"# fish completion of whocallme; made by \"whocallme completion fish\"\n"
	"\n"
	"# The words before the cursor: where a program begins, print it and what follows.\n"
	"function __whocallme_program\n"
	"\tset -l tokens (commandline -opc)\n"
	"\tset -l command $tokens[2]\n"
	"\tset -l i 3\n"
	"\twhile test $i -le (count $tokens)\n"
	"\t\tswitch $tokens[$i]\n"
	"\t\t\tcase --\n"
	"\t\t\t\tset i (math $i + 1)\n"
	"\t\t\t\tbreak\n"
	"\t\t\tcase '-*'\n"
	"\t\t\t\tcontains -- \"$command $tokens[$i]\" $__whocallme_valued\n"
	"\t\t\t\tand set i (math $i + 1)\n"
	"\t\t\tcase '*'\n"
	"\t\t\t\tbreak\n"
	"\t\tend\n"
	"\t\tset i (math $i + 1)\n"
	"\tend\n"
	"\ttest $i -le (count $tokens)\n"
	"\tand printf '%s\\n' $tokens[$i..-1]\n"
	"end\n"
	"\n"
	"# Whether the word is one of COMMAND's own.\n"
	"function __whocallme_in -a command takes_program\n"
	"\tset -l tokens (commandline -opc)\n"
	"\ttest \"$tokens[2]\" = $command\n"
	"\tor return 1\n"
	"\ttest \"$takes_program\" != yes\n"
	"\tor test (count (__whocallme_program)) -eq 0\n"
	"end\n"
	"\n"
	"function __whocallme_first\n"
	"\ttest (count (commandline -opc)) -eq 1\n"
	"end\n"
	"\n"
	"function __whocallme_is -a command\n"
	"\tset -l tokens (commandline -opc)\n"
	"\ttest \"$tokens[2]\" = $command\n"
	"end\n"
	"\n"
	"function __whocallme_complete_program\n"
	"\tset -l words (string escape -- (__whocallme_program))\n"
	"\tcomplete -C \"$words \"(commandline -ct | string trim -l)\n"
	"end\n"
	"\n"
	"complete -c whocallme -f\n"
	"complete -c whocallme -n __whocallme_first -s h -l help -d 'show the commands'\n"
	"complete -c whocallme -n __whocallme_first -s V -l version -d 'show the version'\n";

static const char *program_of(const struct command *command)
{
	return command->takes == TAKES_PROGRAM ? " yes" : "";
}

/* What stands behind -a for one of WORDS, or some of them. */
static void put_words(enum takes takes, const char *words)
{
	if (takes == TAKES_WORDS)
		printf(" -a '(__fish_complete_list , \"string split \\\" \\\" -- \\\"%s\\\"\")'",
		       words);
	else
		printf(" -a '%s'", words);
}

static void put_word(const char *word, int length, const char *means, int means_length)
{
	printf("%.*s\\t\"%.*s\" ", length, word, means_length, means);
}

static void put_meanings(const struct command_option *option)
{
	fputs(" -a '", stdout);
	completion_each_word(option, put_word);
	putchar('\'');
}

static void put_option(const struct command *command,
		       const struct command_option *option)
{
	char text[128];

	printf("complete -c whocallme -n '__whocallme_in %s%s'", command->name,
	       program_of(command));
	if (option->key < OPTION_LONG)
		printf(" -s %c", option->key);
	printf(" -l %s", option->name);
	if (option->value && !option->is_optional)
		fputs(option->takes == TAKES_FILE ? " -r" : " -x", stdout);
	if (option->value && option->takes == TAKES_FILE)
		fputs(" -F", stdout);
	else if (option->value && option->takes == TAKES_DIRECTORY)
		fputs(" -a '(__fish_complete_directories)'", stdout);
	else if (option->means)
		put_meanings(option);
	else if (option->words)
		put_words(option->takes, option->words);
	fputs(" -d ", stdout);
	completion_quote(completion_brief(option, text), "\\");
	putchar('\n');
}

static void put_operand(const struct command *command)
{
	printf("complete -c whocallme -n '%s %s'",
	       command->takes == TAKES_PROGRAM ? "__whocallme_is" : "__whocallme_in",
	       command->name);
	switch (command->takes) {
	case TAKES_FILE:
	case TAKES_DIRECTORY:
		fputs(command->takes == TAKES_FILE ?
			      " -F" : " -a '(__fish_complete_directories)'", stdout);
		break;
	case TAKES_PROGRAM:
		fputs(" -a '(__whocallme_complete_program)'", stdout);
		break;
	case TAKES_COMMAND:
		fputs(" -a '", stdout);
		for (const struct command *const *each = commands; *each; each++)
			printf("%s ", (*each)->name);
		putchar('\'');
		break;
	default:
		put_words(command->takes, command->words);
	}
	putchar('\n');
}

static void put_valued(const struct command *command,
		       const struct command_option *option)
{
	if (!option->value || option->is_optional)
		return;
	printf(" '%s --%s'", command->name, option->name);
	if (option->key < OPTION_LONG)
		printf(" '%s -%c'", command->name, option->key);
}

void completion_fish(void)
{
	const struct command *const *command;

	fputs(head, stdout);
	fputs("set -g __whocallme_valued", stdout);
	for (command = commands; *command; command++)
		completion_each(*command, put_valued);
	putchar('\n');
	for (command = commands; *command; command++) {
		printf("\ncomplete -c whocallme -n __whocallme_first -a %s -d ",
		       (*command)->name);
		completion_quote((*command)->summary, "\\");
		putchar('\n');
		completion_each(*command, put_option);
		put_operand(*command);
	}
}
