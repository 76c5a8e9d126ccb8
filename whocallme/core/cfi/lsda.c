/* SPDX-License-Identifier: MIT */
/* lsda.c (SAFE) - finds where an exception lands that leaves a call.
 *
 * It reads the language-specific data area of a C++ function as gcc and clang write it
 * (Itanium C++ ABI: Exception Handling, level II): ranges of calls with the landing pad of
 * each, and chains of actions that say what is caught there.
 */
#include "core/cfi/cfi.h"

enum { MOST_SITES = 1 << 16, MOST_ACTIONS = 64, FIRST_TYPE = 1, LAST_TYPE = 14 };

struct lsda {
	struct wcm_cursor sites; /* the table of call sites */
	uintptr_t start;         /* what landing pads are relative to */
	uintptr_t actions, types; /* where these tables begin, and end */
	uintptr_t end;           /* of all that can be read */
	uint8_t site_encoding, type_encoding;
};

struct site {
	uintptr_t start, size, pad; /* relative to the function; PAD 0: none */
	uint64_t action;            /* 0: a cleanup alone */
};

static bool begin(struct lsda *lsda, const struct wcm_fde *fde,
		  const struct wcm_unwind_table *table)
{
	struct wcm_cursor *cursor = &lsda->sites;
	uintptr_t at;
	uint8_t encoding;
	uint64_t size;

	if (!fde->lsda_at)
		return false;
	wcm__cursor_init(cursor, fde->lsda_at, table->hi, table->held);
	at = wcm__cursor_pointer(cursor, fde->lsda_encoding, &fde->bases);
	if (cursor->bad || at < table->lo || at >= table->hi)
		return false;
	wcm__cursor_init(cursor, at, table->hi, table->held);
	lsda->end = table->hi;
	encoding = (uint8_t)wcm__cursor_unsigned(cursor, 1);
	lsda->start = wcm__cursor_pointer(cursor, encoding, &fde->bases);
	if (encoding == WCM_EH_PE_OMIT)
		lsda->start = fde->start;
	lsda->type_encoding = (uint8_t)wcm__cursor_unsigned(cursor, 1);
	size = lsda->type_encoding == WCM_EH_PE_OMIT ? 0 : wcm__cursor_uleb(cursor);
	lsda->types = cursor->at + (uintptr_t)size;
	lsda->site_encoding = (uint8_t)wcm__cursor_unsigned(cursor, 1);
	size = wcm__cursor_uleb(cursor);
	if (cursor->bad || size > cursor->end - cursor->at)
		return false;
	cursor->end = lsda->actions = cursor->at + (uintptr_t)size;
	return true;
}

static bool next_site(struct lsda *lsda, struct site *site)
{
	static const struct wcm_pointer_bases none;
	struct wcm_cursor *cursor = &lsda->sites;

	if (wcm__cursor_is_done(cursor))
		return false;
	site->start = wcm__cursor_pointer(cursor, lsda->site_encoding, &none);
	site->size = wcm__cursor_pointer(cursor, lsda->site_encoding, &none);
	site->pad = wcm__cursor_pointer(cursor, lsda->site_encoding, &none);
	site->action = wcm__cursor_uleb(cursor);
	return !cursor->bad;
}

/* Whether the type of NUMBER, counted back from the end of the types, is that of
 * "catch (...)": none. */
static bool is_any(const struct lsda *lsda, uint64_t number)
{
	const unsigned size = wcm__cursor_pointer_size(lsda->type_encoding);
	struct wcm_cursor cursor;

	if (size == 0 || lsda->types < number * size)
		return true;
	wcm__cursor_init(&cursor, lsda->types - (uintptr_t)number * size, lsda->end,
			 false);
	return wcm__cursor_unsigned(&cursor, size) == 0;
}

/* The bits of an action with FILTER: a type, a cleanup, or a list of types that alone
 * may pass. */
static uint32_t lands_by(const struct lsda *lsda, int64_t filter)
{
	if (filter == 0)
		return WCM_LANDS_CLEANUP;
	if (filter < FIRST_TYPE || filter > LAST_TYPE ||
	    is_any(lsda, (uint64_t)filter))
		return WCM_LANDS_ANY;
	return 1u << filter;
}

/* What awaits exceptions by the chain of ACTION. */
static uint32_t lands(const struct lsda *lsda, uint64_t action)
{
	uintptr_t at = lsda->actions + (uintptr_t)action - 1;
	struct wcm_cursor cursor;
	uint32_t all = 0;

	if (action == 0)
		return WCM_LANDS_CLEANUP;
	for (int i = 0; i < MOST_ACTIONS; i++) {
		int64_t filter, next;

		wcm__cursor_init(&cursor, at, lsda->end, false);
		filter = wcm__cursor_sleb(&cursor);
		at = cursor.at;
		next = wcm__cursor_sleb(&cursor);
		if (cursor.bad)
			return WCM_LANDS_ANY;
		all |= lands_by(lsda, filter);
		if (next == 0)
			return all;
		at += (uintptr_t)next;
	}
	return WCM_LANDS_ANY;
}

struct wcm_landing wcm__lsda_find(const struct wcm_fde *fde,
				  const struct wcm_unwind_table *table, uintptr_t pc)
{
	struct wcm_landing landing = { .kind = WCM_LANDING_UNKNOWN };
	uint64_t action = 0;
	uintptr_t pad;
	struct lsda lsda;
	struct site site;

	if (!begin(&lsda, fde, table))
		return landing;
	for (int i = 0; i < MOST_SITES && next_site(&lsda, &site); i++) {
		pad = site.pad ? lsda.start + site.pad : 0;
		if (pc - fde->start - site.start < site.size) {
			landing.kind = pad ? WCM_LANDING_PAD : WCM_LANDING_NONE;
			if (pad) {
				landing.pad = pad;
				action = site.action;
				break;
			}
		}
		if (pad && pad <= pc && pad > landing.pad) {
			landing.pad = pad;
			action = site.action;
		}
	}
	if (lsda.sites.bad)
		landing.kind = WCM_LANDING_UNKNOWN;
	if (landing.pad)
		landing.lands = lands(&lsda, action);
	return landing;
}
