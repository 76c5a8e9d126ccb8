/* SPDX-License-Identifier: MIT */
/* sources.c - returns the functions of the source at an address, as data. */
#include "whocallme/lines.h"

#include <stdlib.h>
#include <string.h>

#include "lines/resolver_session.h"
#include "load/lines_control.h"
#include "load/load.h"
#include "whocallme/symbol.h"

/* One block: what the user sees, the functions, their strings. */
struct block {
	struct wcm_sources sources;
	struct wcm_source source[];
};

struct size {
	size_t count, strings;
	bool described; /* by debug data, not by a symbol alone */
};

static size_t string_size(const char *string)
{
	return string ? strlen(string) + 1 : 0;
}

static struct size measure(struct wcm_resolver *resolver)
{
	struct wcm_answered answered;
	struct size size = { 0 };

	while (wcm__resolver_next(resolver, &answered)) {
		size.count++;
		size.strings += string_size(answered.function) +
				string_size(answered.file);
		size.described |= answered.file || answered.inlined;
	}
	return size;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that wcm__line_name() has escaped at TEXT, or -1. */
static int escaped_byte(const char *text)
{
	if (text[0] != '\\' || text[1] != 'x' || digit(text[2]) < 0 ||
	    digit(text[3]) < 0)
		return -1;
	return digit(text[2]) << 4 | digit(text[3]);
}

/* STRING as it was before it was escaped, at *ROOM. */
static const char *keep_string(char **room, const char *string)
{
	const char *kept = *room;

	if (!string)
		return NULL;
	while (*string) {
		int byte = escaped_byte(string);

		*(*room)++ = byte > 0 ? (char)byte : *string;
		string += byte > 0 ? strlen("\\x00") : 1;
	}
	*(*room)++ = '\0';
	return kept;
}

static void keep(struct block *block, size_t count,
		 struct wcm_resolver *resolver)
{
	char *room = (char *)&block->source[count];
	struct wcm_answered answered;

	for (size_t i = 0; wcm__resolver_next(resolver, &answered); i++)
		block->source[i] = (struct wcm_source){
			.function = keep_string(&room, answered.function),
			.file = keep_string(&room, answered.file),
			.line = answered.line,
			.column = answered.column,
			.flags = answered.inlined ? WCM_SOURCE_INLINED : 0,
		};
	block->sources = (struct wcm_sources){ .source = block->source,
					       .count = count };
}

static enum wcm_status take_answer(struct wcm_resolver *resolver,
				   struct wcm_sources **sources)
{
	struct size size = measure(resolver);
	struct block *block;

	if (!size.described)
		return WCM_ENOLINES;
	block = malloc(sizeof(*block) + size.count * sizeof(*block->source) +
		       size.strings);
	if (!block)
		return WCM_ENOMEM;
	wcm__resolver_again(resolver);
	keep(block, size.count, resolver);
	*sources = &block->sources;
	return WCM_OK;
}

enum wcm_status wcm_symbol_resolve(uintptr_t address,
				   struct wcm_sources **sources)
{
	struct wcm_resolver *resolver;
	struct wcm_symbol symbol;
	enum wcm_status status;

	*sources = NULL;
	if (wcm_symbol_peek(address, &symbol) == WCM_ENOMODULE)
		return WCM_ENOMODULE;
	wcm__lines_prepare();
	resolver = wcm__lines_ask(address);
	if (!resolver)
		return WCM_EHELPER;
	status = take_answer(resolver, sources);
	wcm__lines_give_back(resolver);
	return status == WCM_ENOLINES && wcm__load_is_stale(address) ? WCM_ESTALE : status;
}

void wcm_sources_free(struct wcm_sources *sources)
{
	free(sources);
}
