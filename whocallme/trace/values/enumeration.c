/* SPDX-License-Identifier: MIT */
/* enumeration.c (SAFE) - names values by their enumeration. */
#include "trace/values/enumeration.h"

static const struct wcm_enumerations *known;

void wcm__enumerations_set(const struct wcm_enumerations *all)
{
	__atomic_store_n(&known, all, __ATOMIC_RELEASE);
}

const struct wcm_enumeration *wcm__enumeration_get(size_t number)
{
	const struct wcm_enumerations *all = __atomic_load_n(&known, __ATOMIC_ACQUIRE);

	return all && number < all->count ? &all->enumeration[number] : NULL;
}

/* Of several names for one VALUE the first that the program has. */
static const char *name_of(const struct wcm_enumeration *names, int64_t value)
{
	size_t lo = 0, hi = names->count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (names->enumerator[middle].value < value)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < names->count && names->enumerator[lo].value == value ?
		       names->enumerator[lo].name : NULL;
}

static bool is_bit(int64_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

static bool put_bits(struct wcm_words *words, const struct wcm_enumeration *names, int64_t value)
{
	int64_t seen = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct wcm_enumerator *each = &names->enumerator[i];

		if (!is_bit(each->value) || !(value & each->value) || seen & each->value)
			continue;
		wcm__words_text(words, seen ? "|" : "");
		wcm__words_text(words, each->name);
		seen |= each->value;
	}
	if (seen && seen != value) {
		wcm__words_text(words, "|");
		wcm__words_hex(words, (uint64_t)(value & ~seen));
	}
	return seen != 0;
}

bool wcm__enumeration_words(struct wcm_words *words, size_t number, int64_t value)
{
	const struct wcm_enumeration *names = wcm__enumeration_get(number);
	const char *name = names ? name_of(names, value) : NULL;

	if (!name)
		return names && names->are_flags && put_bits(words, names, value);
	wcm__words_text(words, name);
	return true;
}
