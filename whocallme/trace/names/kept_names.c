/* SPDX-License-Identifier: MIT */
/* kept_names.c (SAFE) - keeps the name of a function for the time when its module is gone.
 *
 * A module that cannot be unloaded can be asked at any time.  Of a function in another, all
 * that is known is copied, with the id of its module, by which it is known again.
 */
#include "trace/names/kept_names.h"

#include <string.h>

#include "core/modules/module_id.h"
#include "core/modules/modules.h"
#include "core/os/memory.h"
#include "core/symbols/dlopen_names.h"

enum { PIECE = 16 * 1024 };

static void *take(struct wcm_kept_names *kept, size_t size)
{
	char *piece;

	size = (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	if (size > PIECE)
		return NULL;
	if (!kept->memory || size > PIECE - kept->used) {
		piece = wcm__map(PIECE);
		if (!piece)
			return NULL;
		kept->memory = piece;
		kept->used = 0;
	}
	kept->used += size;
	return kept->memory + kept->used - size;
}

/* Whether FUNC will be found in a table whenever it is asked for. */
static bool stays(uintptr_t func)
{
	const struct wcm_known_module *module = wcm__modules_find_permanent(func);

	return module && wcm__module_table(module);
}

const struct wcm_kept_name *wcm__kept_names_note(struct wcm_kept_names *kept,
						 uintptr_t func)
{
	struct wcm_symbol symbol;
	const bool named = wcm__dlopen_names_peek(func, &symbol) == WCM_OK;
	size_t module_size, name_size;
	struct wcm_kept_name *name;

	if (!symbol.module || (named && stays(func)))
		return NULL;
	module_size = strlen(symbol.module) + 1;
	name_size = named ? strlen(symbol.name) + 1 : 0;
	name = take(kept, sizeof(*name) + module_size + name_size);
	if (!name)
		return NULL;
	memcpy(name->text, symbol.module, module_size);
	memcpy(name->text + module_size, symbol.name ? symbol.name : "",
	       name_size);
	name->module = name->text;
	name->name = named ? name->text + module_size : NULL;
	name->offset = symbol.module_offset;
	name->func = func;
	name->id = wcm__module_id(func);
	return name;
}

/* A caller in the same module has been looked at when it was called. */
bool wcm__kept_name_holds(const struct wcm_kept_name *name, uintptr_t from,
			  uintptr_t func)
{
	const struct wcm_module_id *id = name->id;

	return !id || from - id->lo < id->size || wcm__module_id_holds(id, func);
}

static bool texts_are_equal(const char *a, const char *b)
{
	const size_t size = strlen(a) + 1;

	return size == strlen(b) + 1 && memcmp(a, b, size) == 0;
}

bool wcm__kept_names_are_equal(const struct wcm_kept_name *a,
			       const struct wcm_kept_name *b)
{
	return a->offset == b->offset && texts_are_equal(a->module, b->module) &&
	       !a->name == !b->name && (!a->name || texts_are_equal(a->name, b->name));
}
