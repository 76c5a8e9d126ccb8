/* SPDX-License-Identifier: MIT */
/* cmd_cc.c - `whocallme cc`: gcc, with calls of a tracer in functions.
 *
 * It becomes gcc, so that it is in place of it in a makefile: the arguments from the first one
 * on that is none of its own are gcc's, though they look like options.
 */
#include "commands/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/exit_status.h"
#include "base/slurp.h"
#include "launch/gcc_plugin.h"
#include "launch/tree_file.h"

static const char modes[] = "serial hooks sled probes";

enum { MODE = OPTION_LONG, RULES, GCC, INLINE, WARN, MOST_OPTIONS = 8, MOST_MARKS = 8 };

struct options {
	const char *mode, *gcc;
	char *arguments[MOST_OPTIONS]; /* of the plugin */
	size_t count;
};

static bool add(struct options *options, const char *name, const char *value)
{
	char *argument;

	if (options->count == MOST_OPTIONS ||
	    asprintf(&argument, "-fplugin-arg-inject-%s=%s", name, value) < 0)
		return false;
	options->arguments[options->count++] = argument;
	return true;
}

static bool apply(void *to, int key, const char *value)
{
	struct options *options = to;

	switch (key) {
	case MODE:
		options->mode = value;
		return wcm__word_of(modes, value, strlen(value)) >= 0;
	case GCC:
		options->gcc = value;
		return *value;
	case RULES:
		return *value && add(options, "rules", value);
	case WARN:
		return add(options, "warn", "yes");
	default:
		return add(options, "inline", "yes");
	}
}

/* How many of ARGV, from the first on, are this command and its options. */
static int count_own(int argc, char *argv[])
{
	int count = 1;

	while (count < argc) {
		const char *name = argv[count];
		const size_t length = strcspn(name, "=");
		const struct command_option *option = command_cc.options;

		if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
		    strcmp(name, "-V") == 0)
			return count + 1;
		while (*option->name && (length < 3 || strlen(option->name) != length - 2 ||
					 strncmp(name, "--", 2) != 0 ||
					 strncmp(option->name, name + 2, length - 2) != 0))
			option++;
		if (!*option->name)
			return count;
		count += 1 + (option->value && !name[length]);
	}
	return argc;
}

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), size = strlen(end);

	return length >= size && strcmp(text + length - size, end) == 0;
}

/* Options behind which gcc does not link. */
static const char stops[] = "-c -S -E -M -MM -r -fsyntax-only";

/* Whether one of them is among the words of the file that "@PATH" stands for. */
static bool stops_in(const char *path)
{
	static const char space[] = " \t\r\n";
	/* A regular file's alone: gcc reads it, too. */
	char *text = slurp_file(path), *word = text;
	bool found = false;

	while (word && *(word += strspn(word, space)) && !found) {
		const size_t length = strcspn(word, space);

		found = wcm__word_of(stops, word, length) >= 0;
		word += length;
	}
	free(text);
	return found;
}

/* Of a header gcc makes a precompiled one. */
static bool is_header(const char *input)
{
	static const char *const ends[] = { ".h", ".H", ".hh", ".hp", ".hpp", ".HPP", ".hxx",
					    ".h++", ".tcc", NULL };
	const char *const *end = ends;

	while (*end && !ends_with(input, *end))
		end++;
	return *end;
}

/* Whether gcc links, given ARGUMENTS: there is something to be linked, and nothing says no. */
static bool links(char *const arguments[])
{
	/* Those whose value stands for itself, and is no input. */
	static const char takes_value[] = "-o -I -L -D -U -l -x -MF -MT -MQ -T -u -z -include "
					  "-isystem -imacros -iquote -idirafter -Xlinker "
					  "-Xassembler -Xpreprocessor";
	bool has_input = false;

	for (; *arguments; arguments++) {
		const char *argument = *arguments;

		if (wcm__word_of(stops, argument, strlen(argument)) >= 0 ||
		    (*argument == '@' && stops_in(argument + 1)))
			return false;
		if (wcm__word_of(takes_value, argument, strlen(argument)) >= 0) {
			/* Where the value is missing gcc says so. */
			if (!*++arguments || (strcmp(argument, "-x") == 0 &&
					      ends_with(*arguments, "-header")))
				return false;
		} else if (*argument != '-' || !argument[1]) {
			has_input = true;
			if (is_header(argument))
				return false;
		}
	}
	return has_input;
}

static int become(char *argv[])
{
	fflush(NULL);
	gcc_mark();
	execvp(argv[0], argv);
	complain("%s: %s", argv[0], strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

/* Run GCC, of MAJOR, with ARGUMENTS, COUNT of them, and with NOPs of its own: all functions have
 * them.  A gcc has its list of them mended by an assembler of ours, see sled_as.sh. */
static int run_with_nops(const char *gcc, int major, char *arguments[], int count)
{
	char folder[PATH_MAX + sizeof("-B")] = "-B", *path = folder + strlen("-B"), **argv, **to;

	if (major <= 0 && !gcc_is_compiler(gcc)) {
		complain("%s: it is no compiler: -dumpversion gives no version", gcc);
		return EXIT_NOT_RUN;
	}
	if (major > 0 && !launch_file("tool/sled-as/as", "whocallme/sled-as/as", path)) {
		complain("sled-as/as: not found: mode=sled needs it for gcc %d", major);
		return EXIT_NOT_OURS;
	}
	to = argv = calloc((size_t)count + 4, sizeof(*argv));
	if (!argv) {
		complain_of_memory();
		return EXIT_NOT_OURS;
	}
	*to++ = (char *)gcc;
	*to++ = (char *)"-fpatchable-function-entry=5";
	if (major > 0) {
		strrchr(path, '/')[1] = '\0';
		*to++ = folder;
	}
	memcpy(to, arguments, (size_t)count * sizeof(*to));
	return become(argv);
}

/* Run gcc with ARGUMENTS, COUNT of them. */
static int run(struct options *options, char *arguments[], int count)
{
	char plugin[PATH_MAX + sizeof("-fplugin=")], runtime[PATH_MAX], **argv, **to;
	const char *gcc = gcc_asked(options->gcc);
	int major;
	const int status = gcc_version(gcc, &major);
	const bool needs_runtime = strcmp(options->mode, "serial") == 0 && links(arguments);

	if (status != EXIT_DONE)
		return status;
	if (!gcc_plugin_find(major, plugin + strlen("-fplugin=")))
		return strcmp(options->mode, "sled") == 0 && options->count == 0 ?
			       run_with_nops(gcc, major, arguments, count) :
			       gcc_plugin_missed(gcc, major);
	if (needs_runtime &&
	    !launch_file("libwhocallme-inject.a", "libwhocallme-inject.a", runtime)) {
		complain("libwhocallme-inject.a: not found: mode=serial needs it");
		return EXIT_NOT_OURS;
	}
	memcpy(plugin, "-fplugin=", strlen("-fplugin="));
	to = argv = calloc((size_t)count + MOST_OPTIONS + 8, sizeof(*argv));
	if (!argv || !add(options, "mode", options->mode)) {
		complain_of_memory();
		return EXIT_NOT_OURS;
	}
	*to++ = (char *)gcc;
	*to++ = plugin;
	for (size_t i = 0; i < options->count; i++)
		*to++ = options->arguments[i];
	while (*arguments)
		*to++ = *arguments++;
	if (needs_runtime) {
		/* Whatever -x has said of the inputs. */
		*to++ = (char *)"-x";
		*to++ = (char *)"none";
		*to++ = runtime;
	}
	return become(argv);
}

static int cmd_cc(int argc, char *argv[])
{
	struct options options = { .mode = "serial" };
	const int own = count_own(argc, argv);
	int status, first = options_read(&command_cc, own < argc ? own : argc, argv, apply,
					 &options, &status);

	if (first == 0)
		return status;
	first = own < argc && strcmp(argv[own], "--") == 0 ? own + 1 : own;
	if (first >= argc)
		return options_refuse("it needs arguments for gcc");
	if (gcc_marks() > MOST_MARKS) {
		complain("%s runs this command again; --gcc says which gcc is meant",
			 gcc_asked(options.gcc));
		return EXIT_NOT_RUN;
	}
	if (gcc_marks() > 0) {
		argv[first - 1] = (char *)gcc_asked(options.gcc);
		return become(argv + first - 1);
	}
	return run(&options, argv + first, argc - first);
}

static const struct command_option options[] = {
	{ MODE, "mode", .value = "MODE", .takes = TAKES_WORD, .words = modes,
	  .means = "lines of a log, by a runtime without libc\n"
		   "the hooks of -finstrument-functions\nNOPs that whocallme trace patches\n"
		   "probes that debuggers know",
	  .brief = "what functions get",
	  .text = "put into functions: serial (the default), lines of the log that "
		  "WHOCALLME_INJECT names; hooks; sled; probes" },
	{ RULES, "rules", .value = "FILE", .takes = TAKES_FILE,
	  .text = "choose functions by the rules of FILE; default: all" },
	{ INLINE, "inline", .text = "also choose functions where they are inlined" },
	{ WARN, "warn", .text = "warn of rules that match nothing in what is compiled" },
	{ GCC, "gcc", .value = "GCC", .takes = TAKES_PROGRAM,
	  .text = "run this gcc or g++ (default: $CC, if it is one word, or gcc)" },
	{ .name = "" },
};

const struct command command_cc = {
	.name = "cc",
	.operands = "[OPTION...] [--] ARGUMENT...",
	.operand = "ARGUMENT...",
	.summary = "compile with calls that can be traced",
	.purpose = FOR_CALLS,
	.about = "Run gcc with a plugin that puts calls of a tracer, or NOPs, into functions.",
	.options = options,
	.notes =
		"The first argument that is none of these options, and all after it, are "
		"gcc's; so is --version. In mode serial, programs are linked with the runtime "
		"that writes the log. In mode sled, a compiler without a plugin, such as "
		"clang, puts its own NOPs into all functions.",
	.statuses =
		"125 there is no plugin for this gcc\n"
		"126 gcc cannot be run, or is another compiler\n"
		"127 gcc was not found\n"
		"2   usage\n"
		"otherwise, the status of gcc",
	.examples = "whocallme cc --mode=sled -O2 -o prog prog.c",
	.takes = TAKES_FILE,
	.run = cmd_cc,
};
