/* SPDX-License-Identifier: MIT */
/* glob.c (SAFE) - matches a name with a pattern, in a hook.
 *
 * fnmatch(3) is not for a hook: it allocates and asks for the locale.  When a match fails,
 * only the last star takes in one character more, so no pattern takes longer than its
 * length times the text's.
 */
#include "format/glob.h"

#include <string.h>

/* Where a match may be tried again: the last star, and where it began to match. */
struct star {
	const char *glob, *text;
};

/* The byte at *AT, a backslash before it being passed. */
static char take_byte(const char **at, const char *end)
{
	if (**at == '\\' && *at + 1 < end)
		++*at;
	return *(*at)++;
}

/* Whether C is in the set behind the bracket at *GLOB, which is moved behind it.  A
 * bracket that is not closed stands for itself. */
static bool is_in_set(const char **glob, const char *end, char c)
{
	const char *at = *glob + 1;
	const bool is_not = at < end && (*at == '!' || *at == '^');
	bool found = false;

	at += is_not;
	for (const char *first = at; at < end && (*at != ']' || at == first);) {
		char from = take_byte(&at, end), to = from;

		if (at + 1 < end && *at == '-' && at[1] != ']') {
			at++;
			to = take_byte(&at, end);
		}
		found |= (unsigned char)c >= (unsigned char)from &&
			 (unsigned char)c <= (unsigned char)to;
	}
	if (at >= end)
		return *(*glob)++ == c;
	*glob = at + 1;
	return found != is_not;
}

/* Whether C is what *GLOB, which is moved on, has next; no star. */
static bool matches_one(const char **glob, const char *end, char c)
{
	if (*glob == end)
		return false;
	switch (**glob) {
	case '?':
		++*glob;
		return true;
	case '[':
		return is_in_set(glob, end, c);
	default:
		return take_byte(glob, end) == c;
	}
}

bool wcm__glob_matches(const char *glob, size_t size, const char *text,
		       size_t text_size)
{
	const char *end = glob + size, *text_end = text + text_size;
	struct star star = { 0 };

	while (text < text_end) {
		if (glob < end && *glob == '*') {
			star = (struct star){ ++glob, text };
		} else if (matches_one(&glob, end, *text)) {
			text++;
		} else if (star.glob) {
			glob = star.glob;
			text = ++star.text;
		} else {
			return false;
		}
	}
	while (glob < end && *glob == '*')
		glob++;
	return glob == end;
}

static size_t length_of_first(const char *list)
{
	size_t size = 0;

	while (list[size] && list[size] != ',')
		size += list[size] == '\\' && list[size + 1] ? 2 : 1;
	return size;
}

size_t wcm__globs_first(const char *list, const char **start)
{
	while (*list == ' ' || *list == ',')
		list++;
	*start = list;
	return length_of_first(list);
}

bool wcm__globs_note(const char *list, const char *text, size_t text_size,
		     uint64_t *seen)
{
	bool matches = false;
	const char *glob;
	size_t size;

	for (unsigned i = 0; (size = wcm__globs_first(list, &glob)) > 0; i++) {
		if (wcm__glob_matches(glob, size, text, text_size)) {
			matches = true;
			if (i < 64)
				__atomic_fetch_or(seen, UINT64_C(1) << i,
						  __ATOMIC_RELAXED);
		}
		list = glob + size;
	}
	return matches;
}

bool wcm__globs_match(const char *list, const char *text, size_t text_size)
{
	uint64_t seen = 0;

	return wcm__globs_note(list, text, text_size, &seen);
}

static bool matches_class(const char *glob, size_t size, const char *classes)
{
	while (*classes) {
		const char *start = classes;

		while (*classes && *classes != ' ')
			classes++;
		if (wcm__glob_matches(glob, size, start, (size_t)(classes - start)))
			return true;
		classes += *classes == ' ';
	}
	return false;
}

bool wcm__globs_choose(const char *list, const char *text, size_t text_size,
		       const char *classes, uint64_t *seen)
{
	bool is_chosen = false, is_left_out = false, drops_all;
	const char *glob;
	size_t size;

	wcm__globs_first(list, &glob);
	drops_all = *glob == '!';
	for (unsigned i = 0; (size = wcm__globs_first(list, &glob)) > 0; i++) {
		const size_t mark = *glob == '!';
		const bool matches =
			glob[mark] == '%' ?
				matches_class(glob + mark, size - mark, classes) :
				wcm__glob_matches(glob + mark, size - mark, text, text_size);

		is_left_out |= matches && (drops_all || mark);
		is_chosen |= matches;
		if (matches && i < 64)
			__atomic_fetch_or(seen, UINT64_C(1) << i, __ATOMIC_RELAXED);
		list = glob + size;
	}
	return !is_left_out && (is_chosen || drops_all);
}

uint64_t wcm__globs_drop(const char *list)
{
	uint64_t drops = 0;
	const char *glob;
	size_t size;

	wcm__globs_first(list, &glob);
	if (*glob == '!')
		return UINT64_MAX;
	for (unsigned i = 0; i < 64 && (size = wcm__globs_first(list, &glob)) > 0; i++) {
		drops |= (uint64_t)(*glob == '!') << i;
		list = glob + size;
	}
	return drops;
}

bool wcm__globs_note_path(const char *list, const char *path, uint64_t *seen)
{
	bool matches = false;

	do
		matches |= wcm__globs_note(list, path, strlen(path), seen);
	while ((path = memchr(path, '/', strlen(path))) && *++path);
	return matches;
}
