/* SPDX-License-Identifier: MIT */
/* short_name.c - a C++ function's name without its types.
 *
 * What is in <> is left out, what is in {} or [] is part of the name.  A space
 * outside of them ends the type that the function returns; what is in () ends the
 * name, unless more of it follows, as in main::{lambda()#1}::operator().  The name of
 * an operator may look like any of these.
 */
#include "short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { DEEPEST = 4096 }; /* brackets in brackets */

static const char anonymous[] = "(anonymous namespace)";
static const char operator_word[] = "operator";

/* Each before those that it begins with. */
static const char *const operators[] = {
	"()", "[]", "->*", "->", "<=>", "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=",
	"&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-",
	"*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",", " new[]", " new",
	" delete[]", " delete", " co_await",
};

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static size_t word_length(const char *s)
{
	size_t length = 0;

	while (is_word_character(s[length]))
		length++;
	return length;
}

/* The end of the operator at S, which is in TEXT: operator(), operator<<, operator
 * new[], operator"" _x.  NULL: there is none, or it converts to a type. */
static const char *symbol_end(const char *text, const char *s)
{
	const size_t word = sizeof(operator_word) - 1;

	if (strncmp(s, operator_word, word) != 0 || (s > text && is_word_character(s[-1])))
		return NULL;
	s += word;
	if (strncmp(s, "\"\" ", 3) == 0)
		return s + 3 + word_length(s + 3);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t length = strlen(operators[i]);

		if (strncmp(s, operators[i], length) == 0 &&
		    (*s != ' ' || !is_word_character(s[length])))
			return s + length;
	}
	return NULL;
}

/* The end of what opens at S, in TEXT; the text's own end where it never closes. */
static const char *closing(const char *text, const char *s)
{
	char expected[DEEPEST];
	size_t depth = 0;

	while (*s && depth < DEEPEST) {
		const char *next = symbol_end(text, s);

		s = next ? next : s;
		/* (a)<(b) and (a)>(b) are comparisons. */
		if (*s == '<' && (next || depth == 0 || s[-1] != ')'))
			expected[depth++] = '>';
		else if (*s == '(' || *s == '{' || *s == '[')
			expected[depth++] = *s == '(' ? ')' : *s == '{' ? '}' : ']';
		else if (*s == expected[depth - 1])
			depth--;
		s += *s != '\0';
		if (depth == 0)
			return s;
	}
	return s + strlen(s);
}

/* What may stand behind a function's parameters. */
static const char *skip_qualifiers(const char *s)
{
	static const char *const qualifiers[] = { " const", " volatile", " &&", " &" };

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++) {
		size_t length = strlen(qualifiers[i]);

		if (strncmp(s, qualifiers[i], length) == 0)
			s += length;
	}
	return s;
}

/* Whether what follows a () shows that those were parameters, not part of a type. */
static bool ends_parameters(const char *s)
{
	s = skip_qualifiers(s);
	return !*s || strncmp(s, "::", 2) == 0 || strncmp(s, " [", 2) == 0;
}

/* The end of the operator's name at S, in TEXT; that of a conversion has the type:
 * operator std::vector<int>*, operator void (*)(int).  NULL: there is none. */
static const char *operator_end(const char *text, const char *s)
{
	const size_t word = sizeof(operator_word) - 1;
	const char *end = symbol_end(text, s);

	if (end || strncmp(s, operator_word, word) != 0 || s[word] != ' ' ||
	    (s > text && is_word_character(s[-1])))
		return end;
	for (s += word; *s;) {
		end = strchr("<({[", *s) ? closing(text, s) : s + 1;
		if (*s == '(' && ends_parameters(end))
			break;
		s = end;
	}
	return s;
}

/* Whether what follows a () shows that it was part of a type. */
static bool was_type(const char *s)
{
	return *s == ' ' && (isalpha((unsigned char)s[1]) || s[1] == '_') &&
	       skip_qualifiers(s) == s && strncmp(s, " noexcept", 9) != 0;
}

/* Move the text from FROM to TO into the name that ends at END. */
static char *move(char *end, const char *from, const char *to)
{
	size_t length = (size_t)(to - from);

	memmove(end, from, length);
	return end + length;
}

/* Where the name goes on behind the parentheses at S, or NULL. */
static const char *after_parentheses(const char *text, const char *s)
{
	const char *next = closing(text, s), *more = skip_qualifiers(next);

	if (strncmp(more, "::", 2) == 0)
		return more;
	return was_type(next) ? next : NULL;
}

void short_name(char *name)
{
	const char *s = name, *next;
	char *end = name;

	for (; *s; s = next) {
		next = operator_end(name, s);
		if (next) {
			end = move(end, s, next);
		} else if (*s == '<') {
			next = closing(name, s);
		} else if (*s == '{' || *s == '[') {
			next = closing(name, s);
			end = move(end, s, next);
		} else if (strncmp(s, anonymous, sizeof(anonymous) - 1) == 0) {
			next = s + sizeof(anonymous) - 1;
			end = move(end, s, next);
		} else if (*s == '(') {
			next = after_parentheses(name, s);
			if (!next)
				break;
		} else if (*s == ' ') {
			/* operator<< <char> has one that ends nothing. */
			next = s + 1;
			end = *next == '<' ? end : name;
		} else {
			next = s + 1;
			end = move(end, s, next);
		}
	}
	if (end > name)
		*end = '\0';
}
