/* SPDX-License-Identifier: MIT */
/* settings.c (SAFE) - reads the variables of settings.list. */
#include "format/settings.h"

#include <string.h>

#include "core/os/auxv.h"
#include "core/os/environment.h"
#include "whocallme/crash.h"
#include "whocallme/lines.h"
#include "whocallme/trace.h"

#define RUN_OPTION(...)
#define TRACE_OPTION(...)
#define TRACE_ALONE(...)
#define TRACE_HEADING(...)
#define SETTING(reader, name, kind, takes, ...) const char wcm__takes_##name[] = takes;
#include "format/settings.list"

#define FLAGS(usual, help, ...) { __VA_ARGS__ }

#define RUN_OPTION(...)
#define TRACE_OPTION(...)
#define TRACE_ALONE(...)
#define TRACE_HEADING(...)
#define SETTING(reader, name, kind, takes, ...)                                               \
	{ "WHOCALLME_" #name, wcm__takes_##name, WCM_SETTING_##reader, WCM_SETTING_##kind,    \
	  FLAGS(__VA_ARGS__, 0) },
const struct wcm_setting wcm__settings[WCM_SETTINGS] = {
#include "format/settings.list"
};

/* How many bytes of TEXT are in front of END. */
static size_t length_to(const char *text, char end)
{
	size_t length = 0;

	while (text[length] && text[length] != end)
		length++;
	return length;
}

const char *wcm__setting(char *const from[], enum wcm_setting_id which)
{
	const char *value = NULL;

	if (from)
		value = wcm__environment_of(from, wcm__settings[which].variable);
	else if (!wcm__auxv(AT_SECURE))
		value = wcm__environment(wcm__settings[which].variable);
	return value && *value ? value : NULL;
}

bool wcm__setting_word(char *const from[], enum wcm_setting_id which, int *word)
{
	const char *value = wcm__setting(from, which);

	*word = value ? wcm__word_of(wcm__settings[which].takes, value, strlen(value)) : -1;
	return !value || *word >= 0;
}

static bool is_list(enum wcm_setting_id which)
{
	return wcm__settings[which].kind == WCM_SETTING_WORDS;
}

bool wcm__setting_flags(char *const from[], enum wcm_setting_id which, uint32_t *flags)
{
	const char *word = wcm__setting(from, which);
	uint32_t all = 0;

	while (word) {
		const size_t length = length_to(word, is_list(which) ? ',' : '\0');
		const int index = wcm__word_of(wcm__settings[which].takes, word, length);

		if (index < 0)
			return false;
		all |= wcm__settings[which].flags[index];
		word = word[length] ? word + length + 1 : NULL;
	}
	*flags |= all;
	return true;
}

const char *wcm__setting_takes(enum wcm_setting_id which, char text[static WCM_SETTING_TAKES])
{
	if (wcm__settings[which].kind == WCM_SETTING_TEXT)
		return wcm__settings[which].takes;
	wcm__words_join(text, WCM_SETTING_TAKES, wcm__settings[which].takes, ", ",
			is_list(which) ? ", between commas, or " : " or ");
	return text;
}

int wcm__word_of(const char *words, const char *text, size_t length)
{
	for (int index = 0;; index++) {
		const size_t word = length_to(words, ' ');

		if (word == length && memcmp(words, text, length) == 0)
			return length ? index : -1;
		words += word;
		if (!*words++)
			return -1;
	}
}

/* Add the LENGTH bytes at FROM to the *USED of TEXT. */
static void add(char *text, size_t size, size_t *used, const char *from, size_t length)
{
	while (length-- > 0 && *used + 1 < size)
		text[(*used)++] = *from++;
}

void wcm__words_join(char *text, size_t size, const char *words, const char *between,
		     const char *last)
{
	size_t used = 0;

	while (*words) {
		const size_t length = length_to(words, ' ');
		const char *next = words + length + (words[length] != '\0');
		const char *then = !*next ? "" : next[length_to(next, ' ')] ? between : last;

		add(text, size, &used, words, length);
		add(text, size, &used, then, strlen(then));
		words = next;
	}
	text[used] = '\0';
}
