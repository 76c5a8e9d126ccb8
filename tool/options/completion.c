/* SPDX-License-Identifier: MIT */
/* completion.c - what the writers for each shell have in common. */
#include "options/completion.h"

#include <stdio.h>
#include <string.h>

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
