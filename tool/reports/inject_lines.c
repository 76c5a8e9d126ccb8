/* SPDX-License-Identifier: MIT */
/* inject_lines.c - where the addresses are in a program that a log of the plugin's runtime has.
 *
 * The log does not say where the program was; but it has the name of the function that holds an
 * address, and programs are moved by whole pages.  So a function of no more than a page tells
 * how far, and for each further address it is checked that the function of that name holds it.
 */
#include "reports/inject_lines.h"

#include <string.h>

#include "symbols/module_file.h"

enum { PAGE = 4096 };

static bool is_named(const struct symbol *symbol, const struct inject_line *line)
{
	return strncmp(symbol->name, line->name, line->length) == 0 &&
	       (!symbol->name[line->length] || symbol->name[line->length] == '.' ||
		symbol->name[line->length] == '@');
}

static bool load(struct inject_lines *lines)
{
	if (!lines->is_loaded && lines->program) {
		lines->has_symbols = module_file_load(&lines->symbols, lines->program);
		lines->start = module_file_start(lines->program);
	}
	lines->is_loaded = true;
	return lines->has_symbols;
}

/* Whether the function of LINE's name holds its address, where the program is taken to be. */
static bool fits(const struct inject_lines *lines, const struct inject_line *line)
{
	const struct symbol *found = sym_file_find(&lines->symbols,
						   line->ip - lines->bias - lines->start);

	return lines->has_bias && found && is_named(found, line);
}

/* Find out by LINE how far the program has been moved. */
static bool find_bias(struct inject_lines *lines, const struct inject_line *line)
{
	for (size_t i = 0; i < lines->symbols.count; i++) {
		const struct symbol *symbol = &lines->symbols.symbols[i];

		if (symbol->size == 0 || symbol->size > PAGE || !is_named(symbol, line))
			continue;
		lines->bias = (line->ip - symbol->address - lines->start) & ~(uint64_t)(PAGE - 1);
		lines->has_bias = true;
		if (fits(lines, line))
			return true;
		lines->has_bias = false;
	}
	return false;
}

bool inject_lines_address(struct inject_lines *lines, const struct inject_line *line,
			  uint64_t *address)
{
	const uint64_t before = lines->bias;
	const bool had = lines->has_bias;

	if (!load(lines))
		return false;
	if (!fits(lines, line) && !find_bias(lines, line)) {
		lines->bias = before;
		lines->has_bias = had;
		return false;
	}
	*address = line->ip - lines->bias;
	return true;
}

void inject_lines_free(struct inject_lines *lines)
{
	if (lines->has_symbols)
		sym_file_free(&lines->symbols);
}
