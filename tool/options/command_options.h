/* SPDX-License-Identifier: MIT */
/* command_options.h - the options of a subcommand.
 *
 * One table of each is what getopt_long(3) takes, what --help prints and what shells
 * complete.
 */
#ifndef WCM_TOOL_COMMAND_OPTIONS_H
#define WCM_TOOL_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "format/settings.h"

/* What an option's value, or an argument, is. */
enum takes {
	TAKES_TEXT,
	TAKES_FILE,
	TAKES_DIRECTORY,
	TAKES_WORD,    /* one of some */
	TAKES_WORDS,   /* several of them, with commas between */
	TAKES_PROGRAM, /* and that program's arguments */
	TAKES_COMMAND, /* a subcommand */
};

enum { OPTION_LONG = 256 /* keys from here on are of options without a letter */ };

struct command_option {
	int key;           /* its letter, or from OPTION_LONG on; 0: a heading */
	const char *name;  /* NULL, of a heading; "" ends the table */
	const char *text;  /* what --help says */
	const char *brief; /* what shells say; NULL: TEXT up to ";", ":" or " (" */
	const char *value; /* as --help names it; NULL: it takes none */
	bool is_optional;  /* the value */
	enum takes takes;
	const char *words; /* of TAKES_WORD and TAKES_WORDS, with spaces between */
	const char *means; /* what shells say of each WORD, lines; NULL: nothing */
	const char *wants; /* what a value is, for the line about one that is not; NULL:
			    * WORDS, or no more is said */
	const char *variable; /* of the environment that it sets; NULL: none */
	const char *sets;  /* to this, whatever its value; NULL: to its value */
};

/* A row of format/settings.list. */
#define OPTION_ROW(setting, letter, option, ...)                                                  \
	{ letter, option, .variable = "WHOCALLME_" #setting, .text = __VA_ARGS__ },
#define OPTION_ALONE(letter, option, ...) { letter, option, .text = __VA_ARGS__ },

/* What it is for: the headings of "whocallme help", in their order. */
enum purpose { FOR_CRASHES, FOR_CALLS, FOR_RECORDINGS, FOR_FILES, FOR_ITSELF };

struct command {
	const char *name;
	const char *operands; /* as the line of its use has them */
	const char *operand;  /* as the list of commands has them */
	const char *summary;  /* there */
	enum purpose purpose;
	const char *about;    /* a sentence, which --help folds */
	const struct command_option *options; /* less --help and --version */
	const char *notes;    /* paragraphs below them, with newlines between; NULL: none */
	const char *statuses; /* of its exit, a line each */
	const char *examples; /* a line each */
	enum takes takes;     /* an operand */
	const char *words;    /* of TAKES_WORD */
	int (*run)(int argc, char *argv[]);
};

/* All of them, NULL behind the last. */
extern const struct command *const commands[];

/* The one called NAME; NULL: there is none. */
const struct command *command_find(const char *name);

/* Those that each has, and the end of the table. */
extern const struct command_option common_options[];

/* Give the options of ARGV to APPLY, which says false where VALUE makes no sense; errno,
 * zero before, may say why.  Returns the index of the first operand, or 0, *STATUS being
 * what to exit with. */
int options_read(const struct command *command, int argc, char *argv[],
		 bool (*apply)(void *to, int key, const char *value), void *to,
		 int *status);

/* Say what is wrong with the use of a command, and where more is said.  Returns
 * EXIT_USAGE. */
int options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What --help prints. */
void options_help(const struct command *command);

/* Whether LIST is some of WORDS, with commas between. */
bool words_are(const char *words, const char *list);

/* The option with KEY. */
const struct command_option *options_find(const struct command *command, int key);

#endif
