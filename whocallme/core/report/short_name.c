/* SPDX-License-Identifier: MIT */
/* short_name.c (SAFE) - cuts a demangled C++ or Rust name down to the function's own, without
 * its types.
 *
 * Outside of brackets a space ends the return type, and () ends the name, unless more
 * of it follows, as in main::{lambda()#1}::operator().  A function that returns a
 * pointer to a function or an array stands inside of its type: void
 * (*get<int>(int))(char).  The name of an operator may look like any of these.
 *
 * Rust begins a name with <Type as Trait>, or ends a part of it with ::<arguments>.
 */
#include "core/report/short_name.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "whocallme/symbol.h"

enum { DEEPEST = 2048 /* brackets in brackets */ };

struct text {
	const char *start, *end;
};

static bool is_word_character(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}

/* Whether WORD stands at S, before END. */
static bool begins(const char *s, const char *end, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(end - s) >= length && memcmp(s, word, length) == 0;
}

static bool is_at(const struct text *text, const char *s, const char *word)
{
	return begins(s, text->end, word);
}

static bool is_word_at(const struct text *text, const char *s, const char *word)
{
	const char *end = s + strlen(word);

	return is_at(text, s, word) && (end == text->end || !is_word_character(*end)) &&
	       (s == text->start || !is_word_character(s[-1]));
}

/* The end of the operator at S, if it is none that converts: operator(), operator<<,
 * operator new[], operator"" _x. */
static const char *operator_end(const struct text *text, const char *s)
{
	/* Each before those that it begins with. */
	static const char operators[][10] = {
		"()", "[]", "->*", "->", "<=>", "<<=", ">>=", "<<", ">>", "<=", ">=",
		"==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=",
		"&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<",
		">", ",", " new[]", " new", " delete[]", " delete", " co_await",
	};

	if (!is_word_at(text, s, "operator"))
		return NULL;
	s += strlen("operator");
	if (is_at(text, s, "\"\"")) {
		for (s += 2; s < text->end && (*s == ' ' || is_word_character(*s));)
			s++;
		return s;
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (*operators[i] == ' ' ? is_at(text, s, operators[i]) &&
					   is_word_at(text, s + 1, operators[i] + 1) :
					   is_at(text, s, operators[i]))
			return s + strlen(operators[i]);
	return NULL;
}

/* The end of what opens at S; the text's own end where it never closes. */
static const char *closing(const struct text *text, const char *s)
{
	uint8_t angles[DEEPEST / 8] = { 0 }; /* a bit for each bracket that is open: < */
	size_t depth = 0;

	for (; s < text->end; s++) {
		const char *next = operator_end(text, s);

		if (next) {
			s = next - 1;
			if (next == text->end || *next != '<')
				continue;
			s = next;
		}
		/* (a)<(b) and (a)>(b) are comparisons. */
		if (*s == '(' || *s == '{' || *s == '[' ||
		    (*s == '<' && (next || depth == 0 || s[-1] != ')'))) {
			if (depth == DEEPEST)
				return text->end;
			angles[depth / 8] &= (uint8_t)~(1u << depth % 8);
			angles[depth / 8] |= (uint8_t)((*s == '<') << depth % 8);
			depth++;
		} else if (*s == '>' && s[-1] != '-') {
			depth -= angles[(depth - 1) / 8] >> (depth - 1) % 8 & 1;
		} else if (*s == ')' || *s == '}' || *s == ']') {
			while (depth > 0 && angles[(depth - 1) / 8] >> (depth - 1) % 8 & 1)
				depth--;
			depth -= depth > 0;
		}
		if (depth == 0)
			return s + 1;
	}
	return text->end;
}

/* What may stand behind a function's parameters. */
static const char *skip_qualifiers(const struct text *text, const char *s)
{
	static const char qualifiers[][10] = { " const", " volatile", " &&", " &" };

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
		if (is_at(text, s, qualifiers[i]))
			s += strlen(qualifiers[i]);
	return s;
}

/* The end of the conversion operator's name at S, with the type: operator
 * std::vector<int>*, operator void (*)(int).  NULL: there is none. */
static const char *conversion_end(const struct text *text, const char *s)
{
	if (!is_word_at(text, s, "operator") || !is_at(text, s, "operator "))
		return NULL;
	for (s += strlen("operator "); s < text->end;) {
		const char *next = s + 1, *more;

		if (*s == '<' || *s == '(' || *s == '{' || *s == '[')
			next = closing(text, s);
		more = skip_qualifiers(text, next);
		if (is_at(text, s, "()") &&
		    (more == text->end || is_at(text, more, "::") ||
		     is_at(text, more, " [")))
			break;
		s = next;
	}
	return s;
}

/* The end of the part of a name at S that is one whatever is in it.  NULL: none. */
static const char *part_end(const struct text *text, const char *s)
{
	const char *end = operator_end(text, s);

	if (end) /* operator<< <char> has a space. */
		return is_at(text, end, " <") ? end + 1 : end;
	end = conversion_end(text, s);
	if (end)
		return end;
	if (*s == '<' || *s == '{' || *s == '[' || is_at(text, s, "(anonymous "))
		return closing(text, s);
	/* D's template arguments. */
	return is_at(text, s, "!(") ? closing(text, s + 1) : NULL;
}

/* Whether what follows a () shows that it was part of a type. */
static bool was_type(const struct text *text, const char *s)
{
	return is_at(text, s, " ") && s + 1 < text->end && s[1] != '[' &&
	       is_word_character(s[1]) && skip_qualifiers(text, s) == s &&
	       !is_word_at(text, s + 1, "noexcept") &&
	       !is_word_at(text, s + 1, "requires");
}

/* Behind the operators of a declarator at S: *, &, Class::*, const. */
static const char *skip_pointers(const struct text *text, const char *s)
{
	const char *done = s, *end;

	while (s < text->end) {
		if (*s == '*' || *s == '&' || *s == ' ') {
			done = ++s;
		} else if (is_word_at(text, s, "const")) {
			done = s += strlen("const");
		} else if (is_at(text, s, "::*")) {
			done = s += strlen("::*");
		} else if (is_word_character(*s) || *s == ':') {
			s++;
		} else {
			end = part_end(text, s);
			if (!end)
				break;
			s = end;
		}
	}
	return done;
}

/* Leave of TEXT what is in the parentheses at S if a function is declared there. */
static bool enter_declarator(struct text *text, const char *s)
{
	struct text inside = { s + 1, closing(text, s) };

	if (inside.end > inside.start && inside.end[-1] == ')')
		inside.end--;
	s = skip_pointers(&inside, inside.start);
	if (s == inside.start || s == inside.end)
		return false;
	*text = (struct text){ s, inside.end };
	return true;
}

/* The end of the function's name in TEXT, which becomes what is from its start on, with
 * the parameters: their () are what an operator's type ends at. */
static const char *own_name(struct text *text)
{
	const char *s = text->start, *name = s;

	while (s < text->end) {
		const char *next = part_end(text, s);

		if (is_word_at(text, s, "decltype")) {
			next = s + strlen("decltype");
			next += is_at(text, next, " ");
			next = is_at(text, next, "(") ? closing(text, next) : next;
		} else if (!next && *s == ' ') {
			name = next = s + 1;
		} else if (!next && *s == '(') {
			if (s == name && enter_declarator(text, s)) {
				s = name = text->start;
				continue;
			}
			next = closing(text, s);
			if (!was_type(text, next)) {
				next = skip_qualifiers(text, next);
				if (!is_at(text, next, "::") && !is_at(text, next, "."))
					break;
			}
		}
		s = next ? next : s + 1;
	}
	if (s == name)
		return text->end;
	text->start = name;
	return s;
}

/* Behind what stands before the name of what a function is made for. */
static const char *skip_purpose(const struct text *text)
{
	static const char purposes[][40] = {
		"global constructors keyed to ", "global destructors keyed to ",
		"TLS init function for ", "TLS wrapper function for ",
		"initializer for module ",
	};

	for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
		if (is_at(text, text->start, purposes[i]))
			return text->start + strlen(purposes[i]);
	return text->start;
}

const char *wcm__name_own(const char *name, size_t *size)
{
	struct text text = { name, name + *size };
	const char *of = skip_purpose(&text), *end;

	text.start = of;
	end = own_name(&text);
	if (of > name)
		text.start = name;
	*size = (size_t)(end - text.start);
	return text.start;
}

/* A name that is being made of parts of a longer one, in its place. */
struct result {
	char *end;
};

static void append(struct result *result, const char *from, const char *to)
{
	size_t length = (size_t)(to - from);

	memmove(result->end, from, length);
	result->end += length;
}

/* The type from S to END of a conversion operator, without template arguments. */
static void append_type(struct result *result, const struct text *text, const char *s,
			const char *end)
{
	for (const char *next; s < end; s = next) {
		if (*s == '<' || is_at(text, s, "[abi:")) {
			next = closing(text, s);
		} else {
			next = s + 1;
			append(result, s, next);
		}
	}
}

/* The part of TEXT at S, without what is not of the short name.  Returns its end. */
static const char *append_part(struct result *result, const struct text *text,
			       const char *s)
{
	const char *next = part_end(text, s), *operator_name = operator_end(text, s);

	if (operator_name)
		append(result, s, operator_name);
	else if (conversion_end(text, s))
		append_type(result, text, s, next);
	else if (is_at(text, s, "::<"))
		next = closing(text, s + 2);
	else if (!next && *s == '(')
		next = skip_qualifiers(text, closing(text, s));
	else if (s > text->start && (*s == '<' || is_at(text, s, "!(")))
		return next;
	else if (!is_at(text, s, "[abi:"))
		append(result, s, next ? next : s + 1);
	return next ? next : s + 1;
}

size_t wcm_name_shorten(char *name)
{
	struct text text = { name, name + strlen(name) };
	const char *of = skip_purpose(&text), *s, *end;
	struct result result = { name + (of - name) };

	text.start = of;
	end = own_name(&text);
	for (s = text.start; s < end;)
		s = append_part(&result, &text, s);
	*result.end = '\0';
	return (size_t)(result.end - name);
}
