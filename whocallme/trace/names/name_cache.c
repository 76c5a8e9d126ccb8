/* SPDX-License-Identifier: MIT */
/* name_cache.c - names a function over and over, quickly.
 *
 * A name is remembered if its module stays for ever, or can be checked on each use: by its
 * build-id, or by its first bytes.  An entry is taken by its key and finished by its
 * size, so that a reader in a signal handler sees the whole entry or none.
 */
#include "trace/names/name_cache.h"

#include <string.h>

#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/symbols/dlopen_names.h"
#include "core/symbols/modules.h"
#include "trace/names/kept_names.h"
#include "trace/names/unloadable.h"

enum { SLOT_BITS = 14, SLOTS = 1 << SLOT_BITS, TRIES = 8, SHOWN_ROOM = 16 << 20 };

static struct entry {
	uintptr_t func;
	const char *name;
	/* While this module is the one at FUNC, or else while the module there begins as
	 * the kept one does; both NULL: for good. */
	const struct wcm_known_module *unloadable;
	const struct wcm_kept_name *kept;
	size_t size;
} entries[SLOTS];

static size_t slot_of(uintptr_t func)
{
	return (size_t)((uint64_t)func * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - SLOT_BITS));
}

static void add_bytes(struct wcm_line *line, const char *text, size_t size)
{
	if (line->count < WCM_LINE_PARTS)
		line->part[line->count++] =
			(struct iovec){ (void *)text, size };
}

/* Whether a name of FUNC's is good as long as *UNLOADABLE is what is there. */
static bool is_lasting(uintptr_t func,
		       const struct wcm_known_module **unloadable)
{
	enum wcm_module_state state;
	const struct wcm_known_module *module = wcm__modules_find(func, &state);

	*unloadable = NULL;
	if (module && module->permanent)
		return true;
	*unloadable = wcm__unloadable_find(func);
	return *unloadable && wcm__module_table(*unloadable);
}

/* What is shown, one behind the other. */
static char *shown;
static size_t shown_used;

static wcm_name_writer *show_by = wcm__line_name;

void wcm__name_cache_show_by(wcm_name_writer *writer)
{
	if (show_by == writer)
		return;
	shown = wcm__map_sparse(SHOWN_ROOM);
	show_by = writer;
}

void wcm__name_cache_demangle(struct wcm_line *line, const char *name)
{
	show_by(line, name);
}

/* What is shown of FUNC, which is SYMBOL's, copied to where it stays; NULL: there is no
 * room for it. */
static const char *keep_shown(uintptr_t func, const struct wcm_symbol *symbol,
			      size_t *size)
{
	struct wcm_line line;
	size_t at, used = 0;

	wcm__line_init(&line, -1);
	wcm__text_symbol(&line, func, symbol, wcm__name_cache_demangle);
	for (int i = 0; i < line.count; i++)
		used += line.part[i].iov_len;
	at = __atomic_fetch_add(&shown_used, used, __ATOMIC_RELAXED);
	if (!shown || at > SHOWN_ROOM - used)
		return NULL;
	*size = used;
	used = at;
	for (int i = 0; i < line.count; i++) {
		memcpy(shown + used, line.part[i].iov_base, line.part[i].iov_len);
		used += line.part[i].iov_len;
	}
	return shown + at;
}

/* Note what is at FUNC, in a module that came after the tables.  NULL: there is none, or
 * another thread notes something now. */
static const struct wcm_kept_name *note(uintptr_t func)
{
	static struct wcm_kept_names kept_names;
	static bool is_used;
	const struct wcm_kept_name *kept = NULL;
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);

	if (!__atomic_exchange_n(&is_used, true, __ATOMIC_ACQUIRE)) {
		kept = wcm__kept_names_note(&kept_names, func);
		__atomic_store_n(&is_used, false, __ATOMIC_RELEASE);
	}
	wcm__mask_set(mask);
	return kept && kept->head ? kept : NULL;
}

/* Whether ENTRY is of what is at FUNC now. */
static bool holds(const struct entry *entry, uintptr_t func)
{
	if (entry->kept)
		return wcm__kept_module_holds(entry->kept->head, func);
	return !entry->unloadable ||
	       wcm__unloadable_find(func) == entry->unloadable;
}

static void remember(struct entry *entry, uintptr_t func)
{
	struct wcm_symbol symbol;
	const struct wcm_known_module *unloadable;
	const struct wcm_kept_name *kept = NULL;
	const char *name;
	uintptr_t free = 0;
	size_t size = 0;

	wcm__dlopen_names_peek(func, &symbol);
	if (!is_lasting(func, &unloadable) && !(kept = note(func)))
		return;
	name = keep_shown(func, &symbol, &size);
	if (!name || !__atomic_compare_exchange_n(&entry->func, &free, func, false,
						  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	entry->name = name;
	entry->unloadable = unloadable;
	entry->kept = kept;
	__atomic_store_n(&entry->size, size, __ATOMIC_RELEASE);
}

void wcm__name_cache_add(struct wcm_line *line, uintptr_t func)
{
	size_t slot = slot_of(func);
	struct wcm_symbol symbol;

	for (int i = 0; i < TRIES; i++, slot = (slot + 1) % SLOTS) {
		struct entry *entry = &entries[slot];
		uintptr_t key = __atomic_load_n(&entry->func, __ATOMIC_ACQUIRE);
		size_t size;

		if (key == func &&
		    (size = __atomic_load_n(&entry->size, __ATOMIC_ACQUIRE)) &&
		    holds(entry, func)) {
			add_bytes(line, entry->name, size);
			return;
		}
		if (key == 0) {
			remember(entry, func);
			break;
		}
	}
	wcm__dlopen_names_peek(func, &symbol);
	wcm__text_symbol(line, func, &symbol, wcm__name_cache_demangle);
}
