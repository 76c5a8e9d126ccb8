/* SPDX-License-Identifier: MIT */
/* probe_hit.c (SAFE) - puts the values of a static probe into words.
 *
 * A note has a value's size and sign, and no type: what has a sign is a number, and so is what is
 * smaller than a pointer; the rest may be either, and is in hexadecimal.
 */
#include "trace/probes/probe_hit.h"

#include <string.h>

#include "core/arch/registers.h"
#include "format/probe_note.h"
#include "trace/values/prototype.h"
#include "trace/values/read_value.h"

enum { MOST_VALUES = 12 };

/* What REGISTER has, nothing where there is none. */
static bool read_register(const struct wcm_probe_hit *hit, const struct wcm_probe_register *from,
			  uint64_t *bits)
{
	uintptr_t value = 0;

	*bits = 0;
	if (!from->is_known)
		return true;
	if (!wcm__register_get(hit->registers, from->number, &value))
		return false;
	*bits = value >> from->shift;
	return true;
}

static bool read_bits(const struct wcm_probe_hit *hit, const struct wcm_probe_place *place,
		      unsigned size, uint64_t *bits)
{
	uint64_t base, index;

	if (!read_register(hit, &place->base, &base) || !read_register(hit, &place->index, &index))
		return false;
	*bits = base + index * place->scale + (uint64_t)place->number;
	if (!place->is_memory)
		return true;
	base = *bits;
	*bits = 0;
	return wcm__read_value((uintptr_t)base, bits, size);
}

static bool read_value(const struct wcm_probe_hit *hit, const struct wcm_probe_value *value,
		       uint64_t *bits)
{
	const unsigned size = (unsigned)(value->size < 0 ? -value->size : value->size);
	struct wcm_probe_place place;

	if ((size != 1 && size != 2 && size != 4 && size != 8) ||
	    !wcm__arch_probe_place(&place, value->place, value->length) ||
	    !read_bits(hit, &place, size, bits))
		return false;
	*bits = wcm__value_widen(*bits, size, value->size < 0);
	return true;
}

static void put(struct wcm_words *words, const struct wcm_probe_value *value, uint64_t bits)
{
	if (value->is_float && value->size == (int)sizeof(float))
		wcm__words_float(words, (uint32_t)bits);
	else if (value->is_float && value->size == (int)sizeof(double))
		wcm__words_double(words, bits);
	else if (value->size < 0)
		wcm__words_signed(words, (int64_t)bits);
	else if (value->size < (int)sizeof(void *))
		wcm__words_unsigned(words, bits);
	else
		wcm__words_hex(words, bits);
}

void wcm__probe_words(struct wcm_words *words, const struct wcm_probe_hit *hit)
{
	const char *at = hit->values;
	struct wcm_probe_value value;
	uint64_t bits;

	wcm__words_text(words, "(");
	for (int i = 0; i < MOST_VALUES && wcm__probe_value_next(&at, &value); i++) {
		if (i > 0)
			wcm__words_text(words, ", ");
		if (read_value(hit, &value, &bits))
			put(words, &value, bits);
		else
			wcm__words_text(words, "?");
	}
	wcm__words_text(words, *at ? "...)" : ")");
}
