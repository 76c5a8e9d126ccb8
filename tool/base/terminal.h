/* SPDX-License-Identifier: MIT */
/* terminal.h - what is read on a terminal: colours, a pager, and lines that fit its width.
 *
 * A file and a pipe get none of it, so that what is parsed is what it always was.
 */
#ifndef WCM_TOOL_TERMINAL_H
#define WCM_TOOL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* The options that commands have whose output is read, for a table of them. */
enum { TERMINAL_COLOR = 0x2000, TERMINAL_NO_PAGER };

extern const char terminal_whens[];

#define TERMINAL_OPTIONS                                                              \
	{ TERMINAL_COLOR, "color", .value = "WHEN", .takes = TAKES_WORD,               \
	  .words = terminal_whens,                                                     \
	  .text = "show colours: auto, on a terminal unless NO_COLOR is set (default), " \
		  "always or never" },                                                 \
	{ TERMINAL_NO_PAGER, "no-pager",                                               \
	  .text = "keep the output from WHOCALLME_PAGER, PAGER or less, which show "   \
		  "it on a terminal by default" }

/* Whether KEY is one of these; then it is set, and *MAKES_SENSE says whether VALUE is a word of
 * it. */
bool terminal_option(int key, const char *value, bool *makes_sense);

/* The text that stdout gets from now on is to be read: have a pager take it, if that is a terminal
 * and nobody has forbidden it.  The command ends when its reader has left the pager. */
void terminal_begin(void);

/* How many columns stdout has; 0: it is no terminal. */
unsigned terminal_width(void);

enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_DIM, COLOUR_RED, COLOUR_YELLOW };

/* What stdout gets from now on is of that colour, if it has any. */
void terminal_colour(enum colour colour);

/* Write a duration, ten columns wide: yellow from a millisecond on, red from a second on. */
void terminal_duration(uint64_t nanoseconds);

#endif
