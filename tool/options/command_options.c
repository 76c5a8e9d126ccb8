/* SPDX-License-Identifier: MIT */
/* command_options.c - reading the options of a subcommand, and saying what they are. */
#include "options/command_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"

enum { MOST_OPTIONS = 64, COLUMN = 24, WIDTH = 80 };

const struct command_option common_options[] = {
	{ 'h', "help", .text = "show this help" },
	{ 'V', "version", .text = "show the version" },
	{ .name = "" },
};

static bool is_end(const struct command_option *option)
{
	return option->name && !*option->name;
}

const struct command_option *options_find(const struct command *command, int key)
{
	const struct command_option *option = command->options;

	while (!is_end(option) && option->key != key)
		option++;
	return option;
}

/* What getopt_long() takes. */
struct translated {
	struct option longs[MOST_OPTIONS];
	char letters[3 * MOST_OPTIONS];
	size_t count, used;
};

static void translate(struct translated *to, const struct command_option *option)
{
	for (; !is_end(option); option++) {
		const int has_value = !option->value      ? no_argument :
				      option->is_optional ? optional_argument :
							    required_argument;

		if (!option->key || to->count + 1 == MOST_OPTIONS)
			continue;
		to->longs[to->count++] = (struct option){ option->name, has_value,
							  NULL, option->key };
		if (option->key >= OPTION_LONG)
			continue;
		to->letters[to->used++] = (char)option->key;
		for (int colons = has_value; colons > 0; colons--)
			to->letters[to->used++] = ':';
	}
}

int options_refuse(const char *format, ...)
{
	va_list arguments;

	complain_begin();
	va_start(arguments, format);
	complain_rest(format, arguments);
	va_end(arguments);
	fprintf(stderr, "; see %s --help\n", complain_name());
	return EXIT_USAGE;
}

bool words_are(const char *words, const char *list)
{
	for (;; list++) {
		const size_t length = strcspn(list, ",");

		if (wcm__word_of(words, list, length) < 0)
			return false;
		list += length;
		if (!*list)
			return true;
	}
}

static int refuse_value(const struct command_option *option, const char *value)
{
	char words[128] = "";

	if (errno) {
		complain("--%s=%s: %s", option->name, value, strerror(errno));
		return EXIT_USAGE;
	}
	if (option->words)
		wcm__words_join(words, sizeof(words), option->words, ", ",
				option->takes == TAKES_WORDS ? " and " : " or ");
	if (!option->wants && !option->words)
		return options_refuse("--%s takes no \"%s\"", option->name, value);
	return options_refuse("--%s takes %s%s, not \"%s\"", option->name,
			      option->takes == TAKES_WORDS ? "a list of " : "",
			      option->wants ? option->wants : words, value);
}

/* What looks like an option is not taken for a value: it was left out. */
static bool lacks_value(int argc, char *argv[])
{
	return optarg && optind <= argc && optarg == argv[optind - 1] &&
	       strncmp(optarg, "--", 2) == 0;
}

static int read_one(const struct command *command, int key,
		    bool (*apply)(void *to, int key, const char *value), void *to)
{
	if (key == '?') {
		fprintf(stderr, "%s: see %s --help\n", complain_name(),
			complain_name());
		return EXIT_USAGE;
	}
	errno = 0;
	return apply(to, key, optarg) ? EXIT_DONE :
					refuse_value(options_find(command, key), optarg);
}

/* getopt_long(), which says itself what is wrong: of options that others have named, as
 * those of a pattern of a shell's are. */
static int next_option(int argc, char *argv[], const struct translated *getopts)
{
	FILE *const ours = stderr;
	char *said = NULL;
	size_t size;
	int key;

	stderr = open_memstream(&said, &size);
	if (!stderr)
		stderr = ours;
	key = getopt_long(argc, argv, getopts->letters, getopts->longs, NULL);
	if (stderr != ours)
		fclose(stderr);
	stderr = ours;
	if (said && *said) {
		said[strcspn(said, "\n")] = '\0';
		escape_text(stderr, said);
		fputc('\n', stderr);
	}
	free(said);
	return key;
}

int options_read(const struct command *command, int argc, char *argv[],
		 bool (*apply)(void *to, int key, const char *value), void *to,
		 int *status)
{
	struct translated getopts = { 0 };
	int key;

	/* What follows a program is the program's. */
	if (command->takes == TAKES_PROGRAM)
		getopts.letters[getopts.used++] = '+';
	translate(&getopts, command->options);
	translate(&getopts, common_options);
	*status = EXIT_DONE;
	while ((key = next_option(argc, argv, &getopts)) != -1) {
		if (key == 'h') {
			options_help(command);
			return 0;
		}
		if (key == 'V') {
			printf("whocallme %s\n", wcm_version());
			return 0;
		}
		if (lacks_value(argc, argv))
			*status = options_refuse("--%s lacks its %s",
						 options_find(command, key)->name,
						 options_find(command, key)->value);
		else
			*status = read_one(command, key, apply, to);
		if (*status != EXIT_DONE)
			return 0;
	}
	return optind;
}

/* Write TEXT folded, each line from COLUMN on, where the first is. */
static void write_folded(const char *text, int column)
{
	int at = column;

	for (const char *next; *text; text = next) {
		const int length = (int)strcspn(text, " \n");

		if (at > column && at + 1 + length > WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		} else if (at > column) {
			putchar(' ');
			at++;
		}
		printf("%.*s", length, text);
		at += length;
		next = text + length + (text[length] != '\0');
		if (text[length] == '\n') {
			printf("\n%*s", column, "");
			at = column;
		}
	}
	putchar('\n');
}

/* The same behind USED columns of what it is said of. */
static void write_text(const char *text, int used)
{
	if (used > COLUMN - 2)
		printf("\n%*s", COLUMN, "");
	else
		printf("%*s", COLUMN - used, "");
	write_folded(text, COLUMN);
}

static void write_lines(const char *heading, const char *text)
{
	printf("\n%s:\n  ", heading);
	write_folded(text, 2);
}

static void write_option(const struct command_option *option)
{
	int used;

	if (!option->key) {
		printf("\n%s\n", option->text);
		return;
	}
	if (option->key < OPTION_LONG)
		used = printf("  -%c, --%s", option->key, option->name);
	else
		used = printf("      --%s", option->name);
	if (option->value)
		used += printf(option->is_optional ? "[=%s]" : "=%s", option->value);
	write_text(option->text, used);
}

void options_help(const struct command *command)
{
	const struct command_option *option;

	printf("Usage: whocallme %s %s\n", command->name, command->operands);
	write_folded(command->about, 0);
	puts("\nOptions:");
	for (option = command->options; !is_end(option); option++)
		write_option(option);
	for (option = common_options; !is_end(option); option++)
		write_option(option);
	if (command->notes) {
		putchar('\n');
		write_folded(command->notes, 0);
	}
	write_lines("Exit status", command->statuses);
	write_lines("Examples", command->examples);
	printf("\nManual: whocallme-%s(1).\n", command->name);
}
