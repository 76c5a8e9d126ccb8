/* SPDX-License-Identifier: MIT */
/* cmd_completion.c - whocallme completion: what a shell reads to complete commands. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "completion.h"

static const char shells[] = "bash zsh fish";

void completion_each(const struct command *command,
		     void (*show)(const struct command *command,
				  const struct command_option *option))
{
	const struct command_option *const tables[] = { command->options,
							common_options };

	for (int i = 0; i < 2; i++) {
		const struct command_option *option = tables[i];

		for (; !option->name || *option->name; option++)
			if (option->key)
				show(command, option);
	}
}

const char *completion_brief(const struct command_option *option,
			     char text[static 128])
{
	const char *whole = option->brief ? option->brief : option->text;
	size_t length = 0;

	while (whole[length] && !strchr(";:", whole[length]) &&
	       strncmp(whole + length, " (", 2) != 0)
		length++;
	snprintf(text, 128, "%.*s", (int)length, whole);
	return text;
}

void completion_each_word(const struct command_option *option,
			  void (*show)(const char *word, int length, const char *means,
				       int means_length))
{
	const char *word = option->words, *means = option->means;

	while (*word) {
		const size_t length = strcspn(word, " "), size = strcspn(means, "\n");

		show(word, (int)length, means, (int)size);
		word += length + (word[length] == ' ');
		means += size + (means[size] == '\n');
	}
}

void completion_quote(const char *text, const char *special)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static bool apply(void *to, int key, const char *value)
{
	(void)to, (void)key, (void)value;
	return false;
}

static int cmd_completion(int argc, char *argv[])
{
	static void (*const write[])(void) = { completion_bash, completion_zsh,
					       completion_fish };
	int status, shell, first = options_read(&command_completion, argc, argv, apply,
						NULL, &status);

	if (first == 0)
		return status;
	if (argc - first != 1)
		return options_refuse("it needs the name of one shell");
	shell = word_of(shells, argv[first], strlen(argv[first]));
	if (shell < 0)
		return options_refuse("it knows bash, zsh and fish, not \"%s\"",
				      argv[first]);
	write[shell]();
	return EXIT_DONE;
}

const struct command command_completion = {
	.name = "completion",
	.operands = "SHELL",
	.operand = "SHELL",
	.summary = "what a shell reads to complete these",
	.about = "Print what bash, zsh or fish reads to complete commands, options and "
		 "values.\n"
		 "It is installed where they look for it; this is for elsewhere:\n"
		 "\n"
		 "  bash: eval \"$(whocallme completion bash)\"\n"
		 "  zsh:  whocallme completion zsh >DIRECTORY_OF_FPATH/_whocallme\n"
		 "  fish: whocallme completion fish | source\n",
	.options = common_options + 2, /* none of its own */
	.notes = "Exit status: 0 done; 1 the output failed; 2 usage.\n",
	.takes = TAKES_WORD,
	.words = shells,
	.run = cmd_completion,
};
