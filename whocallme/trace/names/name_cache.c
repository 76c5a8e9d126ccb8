/* SPDX-License-Identifier: MIT */
/* names.c - how is this function called, asked over and over?
 *
 * What is shown is remembered if its module stays for ever, or is seen to be there
 * still: by its build-id, or by what it begins with.  An entry is taken by its key and
 * told apart from an unfinished one by its size, so that a reader in a handler sees all
 * of it or nothing.
 */
#include "hook/names.h"

#include <string.h>

#include "crash/mask.h"
#include "hook/guest.h"
#include "hook/memory.h"
#include "hook/opened.h"
#include "hook/places.h"
#include "symbols/modules.h"

enum { SLOT_BITS = 14, SLOTS = 1 << SLOT_BITS, TRIES = 8, SHOWN_ROOM = 16 << 20 };

static struct entry {
	uintptr_t func;
	const char *name;
	const struct wcm_known_module *guest; /* that it is in, or NULL */
	const struct wcm_place *place; /* with what its module begins, or NULL; both
					* NULL: it stays */
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

/* Whether a name of FUNC's is good as long as *GUEST is what is there. */
static bool is_lasting(uintptr_t func, const struct wcm_known_module **guest)
{
	enum wcm_module_state state;
	const struct wcm_known_module *module = wcm__modules_find(func, &state);

	*guest = NULL;
	if (module && module->permanent)
		return true;
	*guest = wcm__guest_find(func);
	return *guest && wcm__module_table(*guest);
}

/* What is shown, one behind the other. */
static char *shown;
static size_t shown_used;

static wcm_name_writer *show_by = wcm__line_name;

void wcm__names_show_by(wcm_name_writer *writer)
{
	if (show_by == writer)
		return;
	shown = wcm__map_sparse(SHOWN_ROOM);
	show_by = writer;
}

void wcm__names_demangle(struct wcm_line *line, const char *name)
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
	wcm__text_symbol(&line, func, symbol, wcm__names_demangle);
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
static const struct wcm_place *note(uintptr_t func)
{
	static struct wcm_places places;
	static bool is_used;
	const struct wcm_place *place = NULL;
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);

	if (!__atomic_exchange_n(&is_used, true, __ATOMIC_ACQUIRE)) {
		place = wcm__places_note(&places, func);
		__atomic_store_n(&is_used, false, __ATOMIC_RELEASE);
	}
	wcm__mask_set(mask);
	return place && place->head ? place : NULL;
}

/* Whether ENTRY is of what is at FUNC now. */
static bool holds(const struct entry *entry, uintptr_t func)
{
	if (entry->place)
		return wcm__place_is_in(entry->place->head, func);
	return !entry->guest || wcm__guest_find(func) == entry->guest;
}

static void remember(struct entry *entry, uintptr_t func)
{
	struct wcm_symbol symbol;
	const struct wcm_known_module *guest;
	const struct wcm_place *place = NULL;
	const char *name;
	uintptr_t free = 0;
	size_t size = 0;

	wcm__opened_peek(func, &symbol);
	if (!is_lasting(func, &guest) && !(place = note(func)))
		return;
	name = keep_shown(func, &symbol, &size);
	if (!name || !__atomic_compare_exchange_n(&entry->func, &free, func, false,
						  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	entry->name = name;
	entry->guest = guest;
	entry->place = place;
	__atomic_store_n(&entry->size, size, __ATOMIC_RELEASE);
}

void wcm__names_add(struct wcm_line *line, uintptr_t func)
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
	wcm__opened_peek(func, &symbol);
	wcm__text_symbol(line, func, &symbol, wcm__names_demangle);
}
