/* SPDX-License-Identifier: MIT */
/* function_set.c - each function of a recording, once. */
#include "symbols/function_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/escape.h"
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
	free(functions->slots);
}

char *function_set_styled(enum name_style style, const char *name, bool *typed)
{
	char *shown = NULL, *escaped;

	if (style != NAME_MANGLED)
		shown = wcm_name_demangle(name);
	*typed = shown && style == NAME_FULL && strchr(shown, '(');
	if (shown && style == NAME_SHORT)
		wcm_name_shorten(shown);
	escaped = escaped_name(shown ? shown : name);
	free(shown);
	return escaped;
}

static uint64_t hash(const char *name, const struct module *module)
{
	return hash_slot(name, strlen(name)) ^ hash_slot(&module, sizeof(module));
}

/* The slot of NAME in MODULE, or the empty one where it belongs. */
static struct function **slot_of(const struct function_set *functions,
				 const char *name, const struct module *module)
{
	size_t mask = functions->slot_count - 1;
	size_t at = hash(name, module) & mask;

	for (; functions->slots[at]; at = (at + 1) & mask)
		if (functions->slots[at]->module == module &&
		    strcmp(functions->slots[at]->name, name) == 0)
			break;
	return &functions->slots[at];
}

/* Make room for one more in both tables. */
static bool grow(struct function_set *functions)
{
	if (functions->count == functions->room) {
		size_t room = 2 * functions->room;
		struct function **more = room ? realloc(functions->all,
						room * sizeof(*more)) : NULL;

		if (!more)
			return false;
		functions->all = more;
		functions->room = room;
	}
	if (2 * functions->count >= functions->slot_count) {
		size_t count = functions->slot_count ? 2 * functions->slot_count : 256;
		struct function **slots = calloc(count, sizeof(*slots));

		if (!slots)
			return false;
		free(functions->slots);
		functions->slots = slots;
		functions->slot_count = count;
		for (size_t i = 1; i < functions->count; i++)
			*slot_of(functions, functions->all[i]->name,
				 functions->all[i]->module) = functions->all[i];
	}
	return true;
}

/* NAME becomes the table's. */
static const struct function *get(struct function_set *functions, char *name,
				  const struct function *like)
{
	struct function **slot, *added;

	if (name && grow(functions)) {
		slot = slot_of(functions, name, like->module);
		if (*slot) {
			free(name);
			return *slot;
		}
		added = malloc(sizeof(*added));
		if (added) {
			*added = *like;
			added->name = name;
			added->index = functions->count;
			functions->all[functions->count++] = added;
			return *slot = added;
		}
	}
	free(name);
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
