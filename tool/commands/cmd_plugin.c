/* SPDX-License-Identifier: MIT */
/* cmd_plugin.c - `whocallme plugin`: where the plugin for a gcc is. */
#include "commands/command.h"

#include <stdio.h>

#include "base/exit_status.h"
#include "launch/gcc_plugin.h"

enum { PATH = OPTION_LONG, GCC };

struct options {
	const char *gcc;
	bool path;
};

static bool apply(void *to, int key, const char *value)
{
	struct options *options = to;

	if (key == PATH)
		return options->path = true;
	options->gcc = value;
	return *value;
}

static int cmd_plugin(int argc, char *argv[])
{
	struct options options = { 0 };
	const char *gcc;
	char path[PATH_MAX];
	int status, major;
	const int first = options_read(&command_plugin, argc, argv, apply, &options, &status);

	if (first == 0)
		return status;
	if (first < argc)
		return options_refuse("\"%s\" is one argument too many", argv[first]);
	if (!options.path)
		return options_refuse("it needs --path");
	gcc = gcc_asked(options.gcc);
	status = gcc_version(gcc, &major);
	if (status != EXIT_DONE)
		return status;
	if (!gcc_plugin_find(major, path))
		return gcc_plugin_missed(gcc, major);
	puts(path);
	return EXIT_DONE;
}

static const struct command_option options[] = {
	{ PATH, "path", .text = "print the path of the plugin for -fplugin=" },
	{ GCC, "gcc", .value = "GCC", .takes = TAKES_PROGRAM,
	  .text = "print it for this gcc (default: $CC, if it is one word, or gcc)" },
	{ .name = "" },
};

const struct command command_plugin = {
	.name = "plugin",
	.operands = "--path [OPTION...]",
	.operand = "--path",
	.summary = "show where the plugin for a gcc is",
	.purpose = FOR_CALLS,
	.about = "Print the path of the plugin for a gcc, as -fplugin= takes it.",
	.options = options,
	.statuses =
		"0   done\n"
		"2   usage\n"
		"125 there is no plugin for this gcc\n"
		"126 gcc cannot be run, or is another compiler\n"
		"127 gcc was not found",
	.examples = "whocallme plugin --path --gcc=gcc-12",
	.takes = TAKES_WORD,
	.words = "",
	.run = cmd_plugin,
};
