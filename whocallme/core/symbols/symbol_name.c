/* SPDX-License-Identifier: MIT */
/* symbol_name.c (SAFE) - tells what the names in a symbol table say: labels, parts of functions,
 * clones.
 *
 * A part is reached by jumps and belongs to the frame of its function, so that it is named as
 * that.  A clone is called and has frames of its own: its name keeps the suffix, but who asks
 * for the function means the clone, too.
 */
#include "core/symbols/symbol_name.h"

#include <string.h>

#include "whocallme/symbol.h"

/* A suffix behind a dot: NAME, and then the end or another dot; or, where it is OPEN, whatever
 * goes on. */
struct suffix {
	const char *name;
	bool is_open;
	uint8_t flag; /* of a part; 0: a clone */
};

/* gcc's and clang's; those of target_clones are in front of the names of instruction sets. */
static const struct suffix suffixes[] = {
	{ "cold", false, WCM_SYMBOL_COLD },   { "__part.", true, WCM_SYMBOL_PART },
	{ "eh", false, WCM_SYMBOL_PART },     { "isra", false, 0 },
	{ "constprop", false, 0 },	      { "part", false, 0 },
	{ "lto_priv", false, 0 },	      { "localalias", false, 0 },
	{ "simdclone", false, 0 },	      { "llvm.", true, 0 },
	{ "__uniq.", true, 0 },		      { "specialized", false, 0 },
	{ "argprom", false, 0 },	      { "warm", false, 0 },
	{ "default", false, 0 },	      { "resolver", false, 0 },
	{ "arch_", true, 0 },		      { "avx", true, 0 },
	{ "sse", true, 0 },		      { "fma", true, 0 },
	{ "bmi", true, 0 },		      { "popcnt", false, 0 },
};

static const struct suffix *suffix_at(const char *dot, size_t size)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const struct suffix *suffix = &suffixes[i];
		const size_t length = strlen(suffix->name);

		if (size > length && memcmp(dot + 1, suffix->name, length) == 0 &&
		    (suffix->is_open || size == length + 1 || dot[length + 1] == '.'))
			return suffix;
	}
	return NULL;
}

/* Where the first suffix of NAME starts, a part's where ONLY_PARTS; SIZE: there is none. */
static size_t find_suffix(const char *name, size_t size, bool only_parts,
			  const struct suffix **found)
{
	const char *end = name + size, *dot = name;

	*found = NULL;
	/* Few names have a dot at all, and a search for one byte is quick to tell. */
	while (dot < end && (dot = memchr(dot + 1, '.', (size_t)(end - dot - 1)))) {
		*found = suffix_at(dot, (size_t)(end - dot));
		if (*found && (!only_parts || (*found)->flag))
			return (size_t)(dot - name);
	}
	*found = NULL;
	return size;
}

size_t wcm__part_suffix(const char *name, size_t size, uint8_t *flag)
{
	const struct suffix *suffix;
	const size_t base = find_suffix(name, size, true, &suffix);

	if (suffix)
		*flag = suffix->flag;
	return base;
}

/* A function within another one has a number behind it, where the language has such: f.0. */
static size_t without_number(const char *name, size_t size)
{
	size_t base = size;

	while (base > 0 && name[base - 1] >= '0' && name[base - 1] <= '9')
		base--;
	return base > 1 && base < size && name[base - 1] == '.' &&
			       !memchr(name, '.', base - 1)
		       ? base - 1 : size;
}

size_t wcm__source_size(const char *name, size_t size)
{
	const struct suffix *suffix;

	return without_number(name, find_suffix(name, size, false, &suffix));
}

bool wcm__is_mere_label(const char *name)
{
	return (name[0] == '.' && name[1] == 'L') ||
	       (name[0] == '$' && name[1] && memchr("adtx", name[1], 4) &&
		(name[2] == '\0' || name[2] == '.'));
}
