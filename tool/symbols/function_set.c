/* SPDX-License-Identifier: MIT */
/* function_set.c - each function of a recording, once. */
#include "symbols/function_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/escape.h"
#include "base/grow.h"
#include "base/hash.h"

/* A damaged recording may name as many addresses as it has records. */
enum { MOST_UNKNOWN = 100000 };

static struct function nameless = { .name = "<unknown>" };

void function_set_init(struct function_set *functions, enum name_style style)
{
	*functions = (struct function_set){ .style = style };
	/* It is in no table; index 0 is its own, so that users may count by it. */
	functions->all = calloc(64, sizeof(struct function *));
	if (functions->all) {
		functions->all[0] = &nameless;
		functions->count = 1;
		functions->room = 64;
	}
}

void function_set_free(struct function_set *functions)
{
	for (size_t i = 1; i < functions->count; i++) {
		free((char *)functions->all[i]->name);
		free(functions->all[i]);
	}
	free(functions->all);
	numbers_free(&functions->numbers);
}

char *function_set_styled(enum name_style style, const char *name, bool *typed)
{
	char *shown = NULL, *escaped;

	if (style != NAME_MANGLED)
		shown = wcm_name_demangle(name);
	*typed = shown && style == NAME_FULL && strchr(shown, '(');
	if (shown && style == NAME_SHORT)
		wcm_name_shorten(shown);
	escaped = escaped_name(shown ? shown : name, SIZE_MAX);
	free(shown);
	return escaped;
}

static bool is_it(const void *functions, size_t number, const void *wanted)
{
	const struct function *one = ((const struct function_set *)functions)->all[number];
	const struct function *other = wanted;

	return one->module == other->module && strcmp(one->name, other->name) == 0;
}

/* The number of a copy of LIKE, or 0. */
static size_t add(struct function_set *functions, const struct function *like)
{
	struct function **all =
		grow(functions->all, functions->count, &functions->room, sizeof(struct function *));
	struct function *added = all && functions->count > 0 ? malloc(sizeof(*added)) : NULL;

	if (all)
		functions->all = all;
	if (!added)
		return 0;
	*added = *like;
	added->index = functions->count;
	all[functions->count++] = added;
	return added->index;
}

/* NAME becomes the table's. */
static const struct function *get(struct function_set *functions, char *name,
				  const struct function *like)
{
	struct function wanted = *like;
	size_t *number = NULL;

	wanted.name = name;
	if (name)
		number = numbers_at(&functions->numbers,
				    hash_slot(name, strlen(name)) ^
					    hash_slot(&like->module, sizeof(like->module)),
				    is_it, functions, &wanted);
	if (number && *number == 0 && (*number = add(functions, &wanted)) != 0)
		return functions->all[*number];
	free(name);
	if (number && *number != 0)
		return functions->all[*number];
	functions->lost = true;
	return &nameless;
}

const struct function *function_set_get(struct function_set *functions, const char *name,
				     const struct module *module,
				     uint64_t offset, bool stub)
{
	struct function like = { .module = module, .offset = offset, .stub = stub };
	char *shown = function_set_styled(functions->style, name, &like.typed);

	return get(functions, shown, &like);
}

const struct function *function_set_unknown(struct function_set *functions,
					 uint64_t address)
{
	const struct function like = { .offset = address };
	char *name = NULL;

	if (address == 0 || functions->count > MOST_UNKNOWN)
		return &nameless;
	if (asprintf(&name, "<%" PRIx64 ">", address) < 0)
		name = NULL;
	return get(functions, name, &like);
}
