/* SPDX-License-Identifier: MIT */
/* completion.h - what shells complete, by the tables of all commands. */
#ifndef WCM_TOOL_COMPLETION_H
#define WCM_TOOL_COMPLETION_H

#include <stdio.h>

#include "options/command_options.h"

/* Each writes to stdout what its shell reads. */
void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);

/* Call SHOW with each option of COMMAND, those that all have among them. */
void completion_each(const struct command *command,
		     void (*show)(const struct command *command,
				  const struct command_option *option));

/* What OPTION does, in few words. */
const char *completion_brief(const struct command_option *option,
			     char text[static 128]);

/* Call SHOW with each word of OPTION, of LENGTH, and what it means. */
void completion_each_word(const struct command_option *option,
			  void (*show)(const char *word, int length, const char *means,
				       int means_length));

/* Write TEXT within single quotes, a backslash before each of SPECIAL. */
void completion_quote(const char *text, const char *special);

#endif
