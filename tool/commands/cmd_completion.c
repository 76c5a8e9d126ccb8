/* SPDX-License-Identifier: MIT */
/* cmd_completion.c - `whocallme completion`: what a shell reads to complete commands. */
#include "commands/command.h"

#include <string.h>

#include "base/exit_status.h"
#include "options/completion.h"

static const char shells[] = "bash zsh fish";

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
	shell = wcm__word_of(shells, argv[first], strlen(argv[first]));
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
	.summary = "print what a shell reads to complete commands",
	.purpose = FOR_ITSELF,
	.about = "Print what bash, zsh or fish reads to complete commands, options and values.",
	.options = common_options + 2, /* none of its own */
	.notes =
		"It is installed where shells look for it. Elsewhere, load it as the examples "
		"do.",
	.statuses =
		"0 done\n"
		"1 the output failed\n"
		"2 usage",
	.examples =
		"bash: eval \"$(whocallme completion bash)\"\n"
		"zsh:  whocallme completion zsh >DIRECTORY_OF_FPATH/_whocallme\n"
		"fish: whocallme completion fish | source",
	.takes = TAKES_WORD,
	.words = shells,
	.run = cmd_completion,
};
