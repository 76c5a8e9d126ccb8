/* SPDX-License-Identifier: MIT */
/* settings.h (SAFE) - reads the variables of settings.list. */
#ifndef WCM_FORMAT_SETTINGS_H
#define WCM_FORMAT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_OPTION(...)
#define TRACE_OPTION(...)
#define TRACE_ALONE(...)
#define TRACE_HEADING(...)

/* WCM_SET_FILE is WHOCALLME_FILE. */
enum wcm_setting_id {
#define SETTING(reader, name, ...) WCM_SET_##name,
#include "format/settings.list"
	WCM_SETTINGS
};

#define RUN_OPTION(...)
#define TRACE_OPTION(...)
#define TRACE_ALONE(...)
#define TRACE_HEADING(...)
#define SETTING(reader, name, ...) extern const char wcm__takes_##name[];
#include "format/settings.list"

/* What a setting is: any text; one of some words; several of them, with commas between. */
enum wcm_setting_kind { WCM_SETTING_TEXT, WCM_SETTING_WORD, WCM_SETTING_WORDS };

/* Whose it is: the crash report's, a program's that is linked with the library, a trace's, the
 * command's, the plugin's. */
enum wcm_setting_reader {
	WCM_SETTING_CRASH, WCM_SETTING_LINKED, WCM_SETTING_TRACE, WCM_SETTING_COMMAND,
	WCM_SETTING_PLUGIN
};

enum { WCM_SETTING_FLAGS = 10 /* of all rows, one more */, WCM_SETTING_TAKES = 128 };

struct wcm_setting {
	const char *variable;
	const char *takes; /* its words, with spaces between; else what it takes, in words */
	uint8_t reader, kind;
	uint32_t flags[WCM_SETTING_FLAGS]; /* of its words */
};

extern const struct wcm_setting wcm__settings[WCM_SETTINGS];

/* The value of a setting in FROM, entries NAME=VALUE up to a NULL, or, FROM being NULL, in the
 * environment, which a program does not obey that has more privileges than whoever started it.
 * NULL: it is not set, or set to nothing. */
const char *wcm__setting(char *const from[], enum wcm_setting_id which);

/* Which of its words it is, *WORD; -1: it is not set.  False: none of them. */
bool wcm__setting_word(char *const from[], enum wcm_setting_id which, int *word);

/* Add the flags of its words to *FLAGS.  False: a word is none of its. */
bool wcm__setting_flags(char *const from[], enum wcm_setting_id which, uint32_t *flags);

/* What it takes, as a complaint has it: "yes, no or any". */
const char *wcm__setting_takes(enum wcm_setting_id which, char text[static WCM_SETTING_TAKES]);

/* Which of WORDS, with spaces between, the LENGTH bytes at TEXT are; -1: none. */
int wcm__word_of(const char *words, const char *text, size_t length);

/* WORDS to TEXT, as much as SIZE bytes hold: "us, ns or calls" of "us ns calls", with ", " BETWEEN
 * them and the LAST " or ". */
void wcm__words_join(char *text, size_t size, const char *words, const char *between,
		     const char *last);

#endif
