/* SPDX-License-Identifier: MIT */
/* short_name.c - a C++ function's name without its types.
 *
 * What is in <> is left out, what is in {} or [] is part of the name.  A space
 * outside of them ends the type that the function returns; what is in () ends the
 * name, unless more of it follows, as in main::{lambda()#1}::operator().
 */
#include "short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char anonymous[] = "(anonymous namespace)";
static const char operator_word[] = "operator";

/* The end of what opens at S; its own end where it never closes. */
static const char *closing(const char *s)
{
	static const char open[] = "<({[", close[] = ">)}]";
	int depth = 0;

	for (; *s; s++) {
		if (strchr(open, *s))
			depth++;
		else if (strchr(close, *s) && s[-1] != '-' && --depth == 0)
			return s + 1;
	}
	return s;
}

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool starts_operator(const char *start, const char *s)
{
	size_t length = sizeof(operator_word) - 1;

	return strncmp(s, operator_word, length) == 0 &&
	       !is_word_character(s[length]) &&
	       (s == start || !is_word_character(s[-1]));
}

/* The end of the operator's name at S: operator(), operator<<, operator new[],
 * operator std::vector<int>*. */
static const char *operator_end(const char *s)
{
	s += sizeof(operator_word) - 1;
	if (strncmp(s, "()", 2) == 0 || strncmp(s, "[]", 2) == 0)
		return s + 2;
	if (*s != ' ')
		return s + strspn(s, "<>=!+-*/%^&|~,\"_");
	while (*s && *s != '(')
		s = *s == '<' ? closing(s) : s + 1;
	return s;
}

/* Whether what follows a () goes on with the name. */
static const char *name_goes_on(const char *s)
{
	if (strncmp(s, " const", 6) == 0)
		s += 6;
	return strncmp(s, "::", 2) == 0 ? s : NULL;
}

/* Whether what follows a () shows that it was part of a type. */
static bool was_type(const char *s)
{
	return *s == ' ' && (isalpha((unsigned char)s[1]) || s[1] == '_') &&
	       strncmp(s, " const", 6) != 0 && strncmp(s, " volatile", 9) != 0 &&
	       strncmp(s, " noexcept", 9) != 0;
}

/* Move the text from FROM to TO into the name that ends at END. */
static char *move(char *end, const char *from, const char *to)
{
	size_t length = (size_t)(to - from);

	memmove(end, from, length);
	return end + length;
}

void short_name(char *name)
{
	const char *s = name, *next;
	char *end = name;

	while (*s) {
		if (starts_operator(name, s)) {
			next = operator_end(s);
			end = move(end, s, next);
		} else if (*s == '<') {
			next = closing(s);
		} else if (*s == '{' || *s == '[') {
			next = closing(s);
			end = move(end, s, next);
		} else if (strncmp(s, anonymous, sizeof(anonymous) - 1) == 0) {
			next = s + sizeof(anonymous) - 1;
			end = move(end, s, next);
		} else if (*s == '(') {
			next = closing(s);
			s = name_goes_on(next);
			if (!s && !was_type(next))
				break;
			next = s ? s : next;
		} else if (*s == ' ') {
			/* operator<< <char> has one that ends nothing. */
			next = s + 1;
			end = *next == '<' ? end : name;
		} else {
			next = s + 1;
			end = move(end, s, next);
		}
		s = next;
	}
	if (end > name)
		*end = '\0';
}
