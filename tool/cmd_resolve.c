/* SPDX-License-Identifier: MIT */
/* cmd_resolve.c - whocallme resolve: lines for addresses and reports. */
#include "command.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/filter.h"
#include "reports/resolver.h"
#include "reports/serve.h"

static const char help[] =
	"Usage: whocallme resolve [OPTION...] [ADDRESS|FILE]...\n"
	"Add file, line and inlined functions to addresses and to the frames of stacks\n"
	"and crash reports, text or JSON, in each FILE; with none, or -, on stdin.\n"
	"What is neither is written as it is.\n"
	"\n"
	"An ADDRESS is PATH+0xADDR, BUILDID+0xADDR or BUILDID:PATH+0xADDR, in the\n"
	"module's own numbering.\n"
	"\n"
	"  -s, --source[=N]      the text of the source, N lines around (default: 2)\n"
	"  -t, --text            reports in JSON as text for people\n"
	"  -C, --no-demangle     names as the linker knows them\n"
	"  -D, --debug-dir=DIRS  where separate debug files are, with colons between\n"
	"  -c, --color=WHEN      auto (the default), always or never\n"
	"      --serve           answer a program's questions on stdin, one by one\n"
	"  -h, --help            show this help\n"
	"\n"
	"Exit status: 0 done; 1 an input or the output failed; 2 usage.\n";

enum { OPTION_SERVE = 256, MOST_BINARIES = 64, MOST_AROUND = 1000 };

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

static bool is_when(const char *text)
{
	return strcmp(text, "auto") == 0 || strcmp(text, "always") == 0 ||
	       strcmp(text, "never") == 0;
}

/* False where the value makes no sense. */
static bool apply(struct options *options, int option, const char *value)
{
	switch (option) {
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
	case 'c':
		options->colour = value;
		return is_when(value);
	default:
		options->serve = true;
		return true;
	}
}

/* EXIT_DONE to go on, another status to stop with, or -1 after --help. */
static int parse(int argc, char *argv[], struct options *options)
{
	static const struct option longs[] = {
		{ "source", optional_argument, NULL, 's' },
		{ "text", no_argument, NULL, 't' },
		{ "no-demangle", no_argument, NULL, 'C' },
		{ "debug-dir", required_argument, NULL, 'D' },
		{ "color", required_argument, NULL, 'c' },
		{ "serve", no_argument, NULL, OPTION_SERVE },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "s::tCD:c:h", longs, NULL)) !=
	       -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return -1;
		}
		if (option == '?') {
			fputs("See whocallme resolve --help\n", stderr);
			return EXIT_USAGE;
		}
		if (!apply(options, option, optarg)) {
			fprintf(stderr,
				"whocallme: --%s takes no \"%s\"; see whocallme resolve --help\n",
				option == 's' ? "source" : "color", optarg);
			return EXIT_USAGE;
		}
	}
	if (!options->serve || optind == argc)
		return EXIT_DONE;
	fputs("whocallme: --serve reads questions on stdin, and takes no argument\n",
	      stderr);
	return EXIT_USAGE;
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

int cmd_resolve(int argc, char *argv[])
{
	struct options options = { .resolver.demangle = true };
	struct resolver *resolver = &options.resolver;
	int status = parse(argc, argv, &options);

	if (status != EXIT_DONE)
		return status == -1 ? EXIT_DONE : status;
	resolver->colour = wants_colour(&options);
	resolver->binaries = binaries_new(options.debug_dirs, MOST_BINARIES);
	if (!resolver->binaries) {
		fputs("whocallme: out of memory\n", stderr);
		return EXIT_PARTLY;
	}
	status = options.serve ? serve(resolver)
			       : filter(resolver, &options.filter, argv + optind);
	places_free(&resolver->places);
	binaries_free(resolver->binaries);
	return status;
}
