/* SPDX-License-Identifier: MIT */
/* name_cache.c (SAFE) - names a function over and over.
 *
 * A name is remembered as it is shown, for as long as its module is there.
 */
#include "trace/names/name_cache.h"

#include <string.h>

#include "core/os/memory.h"
#include "core/os/slab.h"
#include "core/symbols/address_cache.h"
#include "core/symbols/dlopen_names.h"

enum { SLOT_BITS = 14, SHOWN_ROOM = 16 << 20 };

/* A value is where the name is in SHOWN, and one. */
static struct wcm_address_entry entries[1 << SLOT_BITS];
static const struct wcm_address_cache names = { entries, SLOT_BITS };

/* What is shown, one behind the other, each with its size before it.  What is there stays: calls
 * that began in the trace before know where their names are. */
static char *shown;
static size_t shown_used, shown_room;
static size_t stale; /* values up to it are of another writer's names */

static void add_shown(struct wcm_line *line, const char *at)
{
	uint32_t size;

	memcpy(&size, at, sizeof(size));
	if (line->count < WCM_LINE_PARTS)
		line->part[line->count++] =
			(struct iovec){ (void *)(at + sizeof(size)), size };
}

static wcm_name_writer *show_by = wcm__line_name;

void wcm__name_cache_show_by(wcm_name_writer *writer)
{
	if (show_by == writer && shown)
		return;
	if (!shown) {
		shown_room = wcm__slab_is_bounded() ? SHOWN_ROOM / 16 : SHOWN_ROOM;
		shown = wcm__map_sparse(shown_room);
	}
	__atomic_store_n(&stale, __atomic_load_n(&shown_used, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	show_by = writer;
}

/* Keep what is shown of FUNC, which is SYMBOL's, where there is room for it.  Returns the value
 * that is remembered, or 0. */
__attribute__((noinline)) static uint32_t remember(const struct wcm_address_slot *slot,
						   uintptr_t func,
						   const struct wcm_symbol *symbol)
{
	struct wcm_line line;
	uint32_t size = 0;
	size_t at;

	wcm__line_init(&line, -1);
	wcm__text_symbol(&line, func, symbol, show_by);
	for (int i = 0; i < line.count; i++)
		size += (uint32_t)line.part[i].iov_len;
	at = __atomic_fetch_add(&shown_used, sizeof(size) + size, __ATOMIC_RELAXED);
	if (!shown || at > shown_room - sizeof(size) - size)
		return 0;
	memcpy(shown + at, &size, sizeof(size));
	size = sizeof(size);
	for (int i = 0; i < line.count; i++) {
		memcpy(shown + at + size, line.part[i].iov_base, line.part[i].iov_len);
		size += (uint32_t)line.part[i].iov_len;
	}
	wcm__address_cache_put(slot, (uint32_t)at + 1);
	return (uint32_t)at + 1;
}

uint32_t wcm__name_cache_add_again(struct wcm_line *line, uintptr_t func, uint32_t known)
{
	struct wcm_address_slot slot = { .entry = NULL };
	struct wcm_symbol symbol;

	if (known == 0) {
		known = wcm__address_cache_find(&names, func, &slot);
		if (known <= __atomic_load_n(&stale, __ATOMIC_RELAXED))
			known = 0;
	}
	if (known != 0) {
		add_shown(line, shown + known - 1);
		return known;
	}
	wcm__dlopen_names_peek(func, &symbol);
	if (slot.entry)
		known = remember(&slot, func, &symbol);
	wcm__text_symbol(line, func, &symbol, show_by);
	return known;
}

void wcm__name_cache_add(struct wcm_line *line, uintptr_t func)
{
	wcm__name_cache_add_again(line, func, 0);
}
