/* SPDX-License-Identifier: MIT */
/* host.c (SAFE) - what libiberty's demanglers find where libc would be.
 *
 * core/demangler/copy.sh gives them these names.  Memory is bounded and never freed, and
 * numbers are formatted here: nothing waits for a lock or allocates.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/demangler/host.h"
#include "core/os/attempt.h"
#include "core/report/demangle.h"
#include "format/words.h"

/* Each block has its size in front, for realloc(). */
enum { HEAD = 16 };

void *wcm__demangler_malloc(size_t size)
{
	char *block = wcm__demangle_allocate(size <= SIZE_MAX / 2 ? size + HEAD
								  : size);

	memcpy(block, &size, sizeof(size));
	return block + HEAD;
}

void *wcm__demangler_realloc(void *memory, size_t size)
{
	void *grown = wcm__demangler_malloc(size);
	size_t before = 0;

	if (memory)
		memcpy(&before, (char *)memory - HEAD, sizeof(before));
	if (before > 0)
		memcpy(grown, memory, before < size ? before : size);
	return grown;
}

void *wcm__demangler_xmalloc(size_t size)
{
	return wcm__demangler_malloc(size);
}

void *wcm__demangler_xrealloc(void *memory, size_t size)
{
	return wcm__demangler_realloc(memory, size);
}

void wcm__demangler_free(void *memory)
{
	(void)memory;
}

/* Here, since each function of libc takes a program's start a few microseconds. */
int wcm__demangler_strncmp(const char *a, const char *b, size_t size)
{
	for (; size > 0; a++, b++, size--)
		if (*a != *b || *a == '\0')
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int wcm__demangler_strcmp(const char *a, const char *b)
{
	return wcm__demangler_strncmp(a, b, SIZE_MAX);
}

void wcm__demangler_abort(void)
{
	wcm__attempt_give_up();
}

void wcm__demangler_stack_chk_fail(void)
{
	wcm__attempt_give_up();
}

void wcm__demangler_stack_chk_fail_local(void)
{
	wcm__attempt_give_up();
}

/* The number that a conversion of KIND with LONGS times "l" in front formats. */
static uint64_t take_number(char kind, size_t longs, va_list arguments)
{
	if (kind == 'd')
		return longs == 0   ? (uint64_t)va_arg(arguments, int)
		       : longs == 1 ? (uint64_t)va_arg(arguments, long)
				    : (uint64_t)va_arg(arguments, long long);
	return longs == 0   ? va_arg(arguments, unsigned)
	       : longs == 1 ? va_arg(arguments, unsigned long)
			    : va_arg(arguments, unsigned long long);
}

/* Format the one number that FORMAT is: d, u or x, of an int, a long or a long long.  No
 * other is in the demanglers. */
static int format_number(char *text, size_t size, const char *format,
			 va_list arguments)
{
	const char *end = format + (format[0] == '%');
	char kind, digits[24];
	struct wcm_words words;
	size_t longs = 0, length;
	uint64_t value;

	wcm__demangle_count_number();
	for (; longs < 2 && *end == 'l'; end++)
		longs++;
	kind = *end;
	if (format[0] != '%' || (kind != 'd' && kind != 'u' && kind != 'x') ||
	    end[1] != '\0')
		wcm__attempt_give_up();
	value = take_number(kind, longs, arguments);
	wcm__words_init(&words, digits, sizeof(digits));
	if (kind == 'x')
		wcm__words_digits(&words, value, 16, 1);
	else
		wcm__words_id(&words, (int64_t)value);
	length = wcm__words_length(&words);
	if (length >= size || (kind == 'u' && (int64_t)value < 0))
		wcm__attempt_give_up();
	memcpy(text, digits, length);
	text[length] = '\0';
	return (int)length;
}

/* What libc has four of, with PARAMETERS; the text is of ROOM bytes. */
#define FORMATS(name, parameters, room)                                        \
	int name parameters                                                    \
	{                                                                      \
		va_list arguments;                                             \
		int length;                                                    \
									       \
		va_start(arguments, format);                                   \
		length = format_number(text, room, format, arguments);         \
		va_end(arguments);                                             \
		return length;                                                 \
	}

FORMATS(wcm__demangler_sprintf, (char *text, const char *format, ...), SIZE_MAX)
FORMATS(wcm__demangler_sprintf_chk,
	(char *text, int flag, size_t size, const char *format, ...), ((void)flag, size))
FORMATS(wcm__demangler_snprintf, (char *text, size_t size, const char *format, ...), size)
FORMATS(wcm__demangler_snprintf_chk,
	(char *text, size_t most, int flag, size_t size, const char *format, ...),
	((void)flag, most < size ? most : size))

/* As <safe-ctype.h> numbers them. */
enum {
	BLANK = 0x1, CONTROL = 0x2, DIGIT = 0x4, LOWER = 0x8, PRINT = 0x10,
	PUNCTUATION = 0x20, SPACE = 0x40, UPPER = 0x80, HEX = 0x100, WORD = 0x200,
	VERTICAL = 0x400, HORIZONTAL = 0x800
};

const unsigned short wcm__demangler_classes[256] = {
	[0] = CONTROL | HORIZONTAL,
	[1 ... 8] = CONTROL,
	['\t'] = BLANK | CONTROL | SPACE | HORIZONTAL,
	['\n'] = CONTROL | SPACE | VERTICAL,
	['\v' ... '\f'] = CONTROL | SPACE | HORIZONTAL,
	['\r'] = CONTROL | SPACE | VERTICAL,
	[14 ... 31] = CONTROL,
	[' '] = BLANK | PRINT | SPACE | HORIZONTAL,
	['!' ... '/'] = PUNCTUATION | PRINT,
	['0' ... '9'] = DIGIT | HEX | PRINT,
	[':' ... '@'] = PUNCTUATION | PRINT,
	['A' ... 'F'] = UPPER | HEX | WORD | PRINT,
	['G' ... 'Z'] = UPPER | WORD | PRINT,
	['[' ... '^'] = PUNCTUATION | PRINT,
	['_'] = PUNCTUATION | WORD | PRINT,
	['`'] = PUNCTUATION | PRINT,
	['a' ... 'f'] = LOWER | HEX | WORD | PRINT,
	['g' ... 'z'] = LOWER | WORD | PRINT,
	['{' ... '~'] = PUNCTUATION | PRINT,
	[127] = CONTROL,
};
