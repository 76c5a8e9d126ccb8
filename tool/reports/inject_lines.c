/* SPDX-License-Identifier: MIT */
/* inject_lines.c - where the addresses are in a program that a log of the plugin's runtime has.
 *
 * The log does not say where the program was; but it has the name of the function that holds an
 * address, and programs are moved by whole pages.  So a function of no more than a page tells
 * how far, and for each further address it is checked that the function of that name holds it.
 */
#include "reports/inject_lines.h"

#include <string.h>

enum { PAGE = 4096 };

static bool is_named(const struct wcm_function *function, const struct inject_line *line)
{
	const char *name = function->name;

	return strncmp(name, line->name, line->length) == 0 &&
	       (!name[line->length] || name[line->length] == '.' || name[line->length] == '@');
}

/* The index of the first function that is not below ADDRESS. */
static size_t first_at(const struct wcm_functions *functions, uint64_t address)
{
	size_t low = 0, high = wcm_functions_count(functions);

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (wcm_functions_get(functions, middle).address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether LINE has one of the names of the function at ADDRESS: a constructor has several. */
static bool has_name(const struct wcm_functions *functions, uint64_t address,
		     const struct inject_line *line)
{
	struct wcm_function function;

	for (size_t i = first_at(functions, address); i < wcm_functions_count(functions); i++) {
		function = wcm_functions_get(functions, i);
		if (function.address != address)
			break;
		if (is_named(&function, line))
			return true;
	}
	return false;
}

static bool load(struct inject_lines *lines)
{
	if (!lines->is_loaded && lines->program &&
	    wcm_functions_load(&lines->functions, lines->program) != WCM_OK)
		lines->functions = NULL;
	lines->is_loaded = true;
	return lines->functions;
}

/* Whether the function of LINE's name holds its address, where the program is taken to be. */
static bool fits(const struct inject_lines *lines, const struct inject_line *line)
{
	struct wcm_function found;

	return lines->has_bias &&
	       wcm_functions_find(lines->functions, line->ip - lines->bias, &found) &&
	       has_name(lines->functions, found.address, line);
}

/* Find out by LINE how far the program has been moved. */
static bool find_bias(struct inject_lines *lines, const struct inject_line *line)
{
	const size_t count = wcm_functions_count(lines->functions);

	for (size_t i = 0; i < count; i++) {
		const struct wcm_function function = wcm_functions_get(lines->functions, i);

		if (function.size == 0 || function.size > PAGE || !is_named(&function, line))
			continue;
		lines->bias = (line->ip - function.address) & ~(uint64_t)(PAGE - 1);
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
	wcm_functions_free(lines->functions);
}
