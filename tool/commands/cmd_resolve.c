/* SPDX-License-Identifier: MIT */
/* cmd_resolve.c - `whocallme resolve`: source lines for addresses and reports. */
#include "commands/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/exit_status.h"
#include "reports/filter.h"
#include "resolve/frame_lines.h"

static const char whens[] = "auto always never";

enum { OPTION_SERVE = OPTION_LONG, OPTION_PROGRAM, MOST_BINARIES = 64, MOST_AROUND = 1000 };

struct options {
	struct resolver resolver;
	struct filter_options filter;
	const char *debug_dirs, *colour;
	bool serve;
};

static bool read_around(struct options *options, const char *text)
{
	char *end;
	unsigned long around = text ? strtoul(text, &end, 10) : 2;

	options->resolver.around = (unsigned)around;
	return !text || (*text && strspn(text, "0123456789") == strlen(text) &&
			 around <= MOST_AROUND);
}

/* False where the value makes no sense. */
static bool apply(void *to, int key, const char *value)
{
	struct options *options = to;

	switch (key) {
	case 's':
		return read_around(options, value);
	case 't':
		options->filter.text = true;
		return true;
	case 'C':
		options->resolver.demangle = false;
		return true;
	case 'D':
		options->debug_dirs = value;
		return true;
	case OPTION_PROGRAM:
		options->filter.program = value;
		return true;
	case 'c':
		options->colour = value;
		return wcm__word_of(whens, value, strlen(value)) >= 0;
	default:
		options->serve = true;
		return true;
	}
}

static bool wants_colour(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!options->colour || strcmp(options->colour, "auto") == 0)
		return !options->serve && isatty(STDOUT_FILENO) &&
		       !(no_color && *no_color) &&
		       !(term && strcmp(term, "dumb") == 0);
	return strcmp(options->colour, "always") == 0;
}

static int cmd_resolve(int argc, char *argv[])
{
	struct options options = { .resolver.demangle = true };
	struct resolver *resolver = &options.resolver;
	int status, first = options_read(&command_resolve, argc, argv, apply, &options,
					 &status);

	if (first == 0)
		return status;
	if (options.serve && first < argc)
		return options_refuse("--serve reads questions on stdin, and takes no "
				      "argument");
	resolver->colour = wants_colour(&options);
	resolver->says_missing = !options.serve;
	resolver->binaries = binaries_new(options.debug_dirs, MOST_BINARIES);
	if (!resolver->binaries) {
		complain_of_memory();
		return EXIT_PARTLY;
	}
	status = options.serve ? serve(resolver)
			       : filter(resolver, &options.filter, argv + first);
	locations_free(&resolver->locations);
	free(resolver->doubt);
	binaries_free(resolver->binaries);
	return status;
}

static const struct command_option options[] = {
	{ 's', "source", .value = "N", .is_optional = true,
	  .wants = "a number up to 1000",
	  .text = "show the text of the source, N lines around (default: 2)" },
	{ 't', "text", .text = "write reports in JSON as text for people" },
	{ 'C', "no-demangle", .text = "show names as the linker knows them" },
	{ 'D', "debug-dir", .value = "DIRS", .takes = TAKES_DIRECTORY,
	  .text = "look for separate debug files in these folders, with colons "
		  "between" },
	{ 'c', "color", .value = "WHEN", .takes = TAKES_WORD,
	  .words = whens,
	  .means = "on a terminal\nalso elsewhere\nnowhere",
	  .brief = "when to colour", .text = "colour: auto (the default), always or never" },
	{ OPTION_PROGRAM, "program", .value = "FILE", .takes = TAKES_FILE,
	  .text = "take addresses without a module, of pvtrace or logs of cc, for "
		  "those of FILE" },
	{ OPTION_SERVE, "serve",
	  .text = "answer the questions of a program on stdin, one by one" },
	{ .name = "" },
};

const struct command command_resolve = {
	.name = "resolve",
	.operands = "[OPTION...] [ADDRESS|FILE]...",
	.operand = "",
	.summary = "add source lines to addresses, stacks and crash reports",
	.purpose = FOR_CRASHES,
	.about =
		"Add files, lines and inlined functions to addresses, stacks and crash "
		"reports.",
	.options = options,
	.notes =
		"Reports and stacks may be text or JSON, and part of another log; all other "
		"text is copied. Standard input is read if there is no FILE, or if FILE is -.\n"
		"An ADDRESS is PATH+0xADDR, BUILDID+0xADDR or BUILDID:PATH+0xADDR. ADDR is an "
		"address of the symbol table.",
	.statuses =
		"0 done\n"
		"1 an input or the output failed\n"
		"2 usage",
	.examples =
		"./prog 2>&1 | whocallme resolve\n"
		"whocallme resolve ./prog+0x11a0",
	.takes = TAKES_FILE,
	.run = cmd_resolve,
};
