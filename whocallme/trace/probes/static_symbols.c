/* SPDX-License-Identifier: MIT */
/* static_symbols.c (SAFE) - puts addresses in the place of variables in what the values of
 * probes are.
 *
 * A value that is in a global variable is told by its symbol, "-4@count+8(%REGISTER)", which a
 * handler could not look for.  A name that several variables of the module have, as static ones
 * may, does not tell which of them is meant.
 */
#include "trace/probes/static_module.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/os/auxv.h"
#include "core/os/memory.h"
#include "core/symbols/symtab.h"
#include "format/probe_note.h"
#include "format/words.h"

enum { MOST_SYMBOLS = 1 << 24, LONGEST = 512, AT_ONCE = 1 << 16 };

/* What an address has more bytes than its symbol. */
enum { MOST_MORE = sizeof("0x") - 1 + 16 };

/* Look for the variable NAME in the module's file, which takes long; 0: it is not known. */
static uintptr_t look_for(struct wcm_static_texts *texts, const char *symbol, size_t length)
{
	char name[LONGEST];
	bool found;

	if (length >= sizeof(name) || texts->symbols > MOST_SYMBOLS)
		return 0;
	if (!texts->search && !(texts->search = wcm__map_sparse(sizeof(*texts->search))))
		return 0;
	memcpy(name, symbol, length);
	name[length] = '\0';
	texts->search->only_executable = (uintptr_t)texts->map->phdr == wcm__auxv(AT_PHDR);
	found = wcm__symtab_find_variable(texts->search, texts->map, name);
	texts->symbols += texts->search->symbols.sh_size / sizeof(ElfW(Sym));
	return found ? texts->map->bias + (uintptr_t)texts->search->value : 0;
}

static bool find(struct wcm_static_texts *texts, const struct wcm_probe_symbol *symbol,
		 uintptr_t *address)
{
	const uint64_t hash = wcm__module_hash(WCM_MODULE_HASH, symbol->name, symbol->length);
	struct wcm_static_variable *met = &texts->met[hash % WCM_STATIC_VARIABLES];

	if (!met->name || met->length != symbol->length ||
	    memcmp(met->name, symbol->name, symbol->length) != 0)
		*met = (struct wcm_static_variable){
			.name = symbol->name, .length = symbol->length,
			.address = look_for(texts, symbol->name, symbol->length),
		};
	*address = met->address + (uintptr_t)symbol->added;
	return met->address != 0;
}

static void put_value(struct wcm_static_texts *texts, struct wcm_words *to,
		      const struct wcm_probe_value *value)
{
	struct wcm_probe_symbol symbol;
	uintptr_t address;

	if (!wcm__arch_probe_symbol(&symbol, value->place, value->length) ||
	    !find(texts, &symbol, &address)) {
		wcm__words_span(to, value->place, value->length);
	} else {
		wcm__words_hex(to, address);
		wcm__words_span(to, symbol.rest, symbol.rest_length);
	}
}

static size_t count_symbols(const char *values)
{
	struct wcm_probe_symbol symbol;
	struct wcm_probe_value value;
	size_t count = 0;

	while (wcm__probe_value_next(&values, &value))
		count += wcm__arch_probe_symbol(&symbol, value.place, value.length);
	return count;
}

static bool make_room(struct wcm_static_texts *texts, size_t size)
{
	if (size <= texts->left)
		return true;
	texts->left = size > AT_ONCE ? size : AT_ONCE;
	texts->room = wcm__map(texts->left);
	if (!texts->room)
		texts->left = 0;
	return texts->room;
}

const char *wcm__static_resolve(struct wcm_static_texts *texts, const char *values)
{
	const size_t count = count_symbols(values);
	const char *at = values, *copied = values;
	struct wcm_probe_value value;
	struct wcm_words to;

	if (count == 0 || !make_room(texts, strlen(values) + 1 + count * MOST_MORE))
		return values;
	wcm__words_init(&to, texts->room, texts->left);
	while (wcm__probe_value_next(&at, &value)) {
		wcm__words_span(&to, copied, (size_t)(value.place - copied));
		put_value(texts, &to, &value);
		copied = at;
	}
	wcm__words_span(&to, copied, strlen(copied) + 1);
	texts->left -= wcm__words_length(&to);
	texts->room = to.at;
	return to.begin;
}

void wcm__static_texts_end(struct wcm_static_texts *texts)
{
	if (texts->search)
		wcm__unmap(texts->search, sizeof(*texts->search));
}
