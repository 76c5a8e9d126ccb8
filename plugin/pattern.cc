// SPDX-License-Identifier: GPL-3.0-or-later
// pattern.cc - what is wrong with a pattern: fnmatch() itself says of none that it is, and matches
// something else, or nothing.
#include <string.h>
#include <wctype.h>

#include <string>

#include "pattern.h"

// Takes one character, in UTF-8, from AT, which is not at the end; a backslash stands for the
// one behind it.
static std::string take_character(const char *&at)
{
	const char *start = at += *at == '\\' && at[1];

	for (at++; (*at & 0xc0) == 0x80; at++)
		;
	return std::string(start, at);
}

// Takes [:CLASS:], [=CHARACTER=] or [.ELEMENT.].
static const char *take_class(const char *&at)
{
	const char ending[] = { at[1], ']', '\0' }, *start = at + 2, *end = strstr(start, ending);

	if (!end)
		return "has a [ that is not closed";
	at = end + 2;
	if (ending[0] == ':' && !wctype(std::string(start, end).c_str()))
		return "has an unknown class of characters";
	return end == start ? "has an empty class of characters" : NULL;
}

static bool is_class(const char *at)
{
	return *at == '[' && at[1] && strchr(":=.", at[1]);
}

// Takes a character, a range of them, or a class.
static const char *take_element(const char *&at)
{
	if (is_class(at))
		return take_class(at);
	std::string first = take_character(at);
	if (*at != '-' || !at[1] || at[1] == ']' || is_class(at + 1))
		return NULL;
	at++;
	// Bytes of UTF-8 are in the order of their characters.
	return take_character(at) < first ? "has a range that is empty" : NULL;
}

// Takes what is behind a [, and its end.
static const char *take_bracket(const char *&at)
{
	const char *fault = NULL;

	at += *at == '!' || *at == '^';
	// A bracket that comes first is one of the characters.
	do
		fault = *at ? take_element(at) : "has a [ that is not closed";
	while (!fault && *at != ']');
	at += !fault;
	return fault;
}

const char *wcm_fault_of_pattern(const char *glob)
{
	const char *fault = *glob ? NULL : "is empty";

	for (const char *at = glob; *at && !fault;) {
		if (*at == '\\' && !at[1])
			fault = "has nothing behind its last backslash";
		else if (*at == '[')
			fault = take_bracket(++at);
		else
			take_character(at);
	}
	return fault;
}
