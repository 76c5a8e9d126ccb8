/* SPDX-License-Identifier: MIT */
/* module_offset.c - reads an address in a file, BUILDID:PATH+0xADDRESS. */
#include "resolve/module_offset.h"

#include <string.h>

#include "base/escape.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool address_number(const char *text, uint64_t *number, const char **end)
{
	enum { MOST_DIGITS = 16 };
	size_t count = 0;

	if (text[0] != '0' || text[1] != 'x')
		return false;
	*number = 0;
	for (text += 2; digit(*text) >= 0; text++, count++)
		*number = *number << 4 | (uint64_t)digit(*text);
	*end = text;
	return count > 0 && count <= MOST_DIGITS;
}

bool address_build_id(struct address *address, const char *text, size_t length)
{
	if (length < 2 * WCM_LEAST_BUILD_ID || length % 2 != 0 ||
	    length > 2 * sizeof(address->build_id))
		return false;
	for (size_t i = 0; i < length; i++)
		if (digit(text[i]) < 0)
			return false;
	for (size_t i = 0; i < length / 2; i++)
		address->build_id[i] = (uint8_t)(digit(text[2 * i]) << 4 |
						 digit(text[2 * i + 1]));
	address->build_id_size = length / 2;
	return true;
}

/* The last "+0x" of TEXT: a path may hold others. */
static char *find_plus(char *text)
{
	char *found = NULL;

	for (char *at = text; (at = strstr(at, WCM_PROTOCOL_PLUS)); at++)
		found = at;
	return found;
}

/* Read the tag that TEXT begins with, if it does; returns what follows. */
static char *read_tag(struct address *address, char *text)
{
	enum { DIGITS = 16 };
	uint64_t tag = 0;

	for (int i = 1; i <= DIGITS; i++) {
		if (text[0] != WCM_PROTOCOL_TAG[0] || digit(text[i]) < 0)
			return text;
		tag = tag << 4 | (uint64_t)digit(text[i]);
	}
	if (text[1 + DIGITS] != ':')
		return text;
	address->has_tag = true;
	address->tag = tag;
	return text + 1 + DIGITS + 1;
}

bool address_parse(struct address *address, char *text)
{
	char *plus = find_plus(text), *path = text;
	const char *end;
	size_t length;

	memset(address, 0, sizeof(*address));
	if (!plus || plus == text ||
	    !address_number(plus + 1, &address->address, &end))
		return false;
	if (end[strspn(end, " \t\r\n")])
		return false;
	path = read_tag(address, text);
	length = strcspn(text, ":+");
	if ((text[length] == ':' || text + length == plus) &&
	    address_build_id(address, text, length))
		path = text[length] == ':' ? text + length + 1 : plus;
	if (path == plus && address->build_id_size == 0)
		return false;
	*plus = '\0';
	unescape(path);
	address->path = *path ? path : NULL;
	return true;
}
