/* SPDX-License-Identifier: MIT */
/* secrets.c (SAFE) - finds what looks like a secret in a program's arguments.
 *
 * A value is taken for one if a word of its name says so: in NAME=VALUE and NAME:VALUE,
 * whatever stands in front, and behind the option --NAME in the next argument.  So is
 * the password in SCHEME://USER:PASSWORD@HOST.  A secret without a name, such as that
 * of mysql's -pVALUE, is not found.
 */
#include "crash/report/report.h"

#include <stdbool.h>
#include <string.h>

/* Words that mean a secret as they are, ... */
static const char *const words[] = {
	"auth", "authorization", "bearer", "cookie", "key", "keys", "pass", "pin", "pw", "pwd",
};

/* ... and what a word ends with that does: "PGPASSWORD", "authtoken". */
static const char *const endings[] = {
	"apikey",     "apikeys",     "credential", "credentials", "passphrase", "passwd",
	"password",   "passwords",   "secret",	   "secrets",	  "token",	"tokens",
};

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_of_word(char c)
{
	return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9');
}

static bool is_of_name(char c)
{
	return is_of_word(c) || c == '_' || c == '-' || c == '.';
}

/* Whether the LENGTH bytes at TEXT are WORD, of small letters, in any case. */
static bool is(const char *text, size_t length, const char *word)
{
	if (strlen(word) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((is_upper(text[i]) ? text[i] - 'A' + 'a' : text[i]) != word[i])
			return false;
	return true;
}

static bool ends_in(const char *text, size_t length, const char *ending)
{
	const size_t size = strlen(ending);

	return length >= size && is(text + length - size, size, ending);
}

static bool is_secret_word(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is(word, length, words[i]))
			return true;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (ends_in(word, length, endings[i]))
			return true;
	return false;
}

/* The length of the word that NAME, of LENGTH bytes, begins with: "db" of "dbPassword". */
static size_t word_length(const char *name, size_t length)
{
	size_t end = 0;

	while (end < length && is_of_word(name[end]) &&
	       !(end > 0 && is_lower(name[end - 1]) && is_upper(name[end])))
		end++;
	return end;
}

static bool is_secret(const char *name, size_t length)
{
	while (length > 0) {
		const size_t word = word_length(name, length);
		const size_t passed = word > 0 ? word : 1;

		if (is_secret_word(name, word))
			return true;
		name += passed;
		length -= passed;
	}
	return false;
}

/* Put stars in the place of the LENGTH bytes at TEXT; what is behind them follows. */
static void star(char *text, size_t length)
{
	enum { STARS = 3 };
	const size_t stars = length < STARS ? length : STARS;

	memset(text, '*', stars);
	memmove(text + stars, text + length, strlen(text + length) + 1);
}

/* Star the passwords of the URLs in TEXT. */
static void star_urls(char *text)
{
	for (; *text; text++) {
		char *password = NULL, *at = NULL;

		if (text[0] != ':' || text[1] != '/' || text[2] != '/')
			continue;
		for (char *c = text + 3; *c && *c != '/' && *c != '?' && *c != '#' && *c != ' ';
		     c++)
			if (*c == '@')
				at = c;
			else if (*c == ':' && !password)
				password = c + 1;
		if (password && at && password < at)
			star(password, (size_t)(at - password));
	}
}

/* Where the name ends that stands in front of SIGN in TEXT: what quotes or encloses it
 * is passed over. */
static const char *end_of_name(const char *text, const char *sign)
{
	while (sign > text && (sign[-1] == '"' || sign[-1] == '\'' || sign[-1] == ']' ||
			       sign[-1] == ' '))
		sign--;
	return sign;
}

/* The value in TEXT whose name says that it is a secret; NULL: none. */
static char *secret_value(char *text)
{
	const char *name = text;

	for (char *c = text; *c; c++) {
		const char *end;

		if (*c != '=' && (*c != ':' || (c[1] == '/' && c[2] == '/')))
			continue;
		end = end_of_name(text, c);
		for (name = end; name > text && is_of_name(name[-1]);)
			name--;
		if (is_secret(name, (size_t)(end - name)))
			return c + 1;
	}
	return NULL;
}

/* Whether ARGUMENT is an option whose value is a secret that comes next. */
static bool announces(const char *argument)
{
	size_t length = 0;

	while (is_of_name(argument[length]))
		length++;
	return argument[0] == '-' && argument[length] == '\0' &&
	       is_secret(argument, length);
}

static bool is_long_option(const char *argument)
{
	return argument[0] == '-' && argument[1] == '-' && argument[2] != '\0';
}

static void star_argument(char *argument, bool is_announced)
{
	char *secret = is_announced && !is_long_option(argument) ? argument
								 : secret_value(argument);

	if (secret)
		star(secret, strlen(secret));
	star_urls(argument);
}

size_t wcm__secrets_star(char *arguments, size_t size)
{
	bool is_announced = false;
	size_t used = 0;

	for (size_t at = 0; at < size;) {
		char *argument = arguments + at;
		bool announces_next = announces(argument);
		size_t length;

		at += strlen(argument) + 1;
		star_argument(argument, is_announced);
		is_announced = announces_next;
		length = strlen(argument) + 1;
		memmove(arguments + used, argument, length);
		used += length;
	}
	return used;
}
