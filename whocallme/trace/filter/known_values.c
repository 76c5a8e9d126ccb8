/* SPDX-License-Identifier: MIT */
/* known_values.c (SAFE) - keeps the prototypes of functions whose values are asked for.
 *
 * Those of library functions are found once, when their calls are switched on, and kept with
 * their names.  A list, which has the program's own functions, is searched by address.
 */
#include "trace/filter/known_values.h"

#include <string.h>

#include "core/symbols/slot_names.h"
#include "format/glob.h"
#include "trace/values/prototypes.h"

static const char *wanted;
static const struct wcm_known_values *listed;

void wcm__known_values_ask(const char *globs, const struct wcm_known_values *list)
{
	wanted = globs;
	__atomic_store_n(&listed, list, __ATOMIC_RELEASE);
}

bool wcm__known_values_asked(void)
{
	return wanted;
}

static bool is_wanted(const char *name)
{
	return wcm__globs_match(wanted, name, strlen(name));
}

static const char *listed_name(const struct wcm_known_values *list, const char *name)
{
	const size_t size = strlen(name) + 1;

	for (size_t i = 0; list && i < list->named; i++) {
		const struct wcm_known_value *value = &list->value[list->count + i];

		if (strlen(value->name) + 1 == size && memcmp(value->name, name, size) == 0)
			return value->codes;
	}
	return NULL;
}

const char *wcm__known_values_of_name(const char *name)
{
	const struct wcm_known_values *list = __atomic_load_n(&listed, __ATOMIC_ACQUIRE);
	const char *codes = NULL;

	if (!wanted || !is_wanted(name))
		return NULL;
	if (list && list->yields)
		codes = wcm__prototypes_find(name);
	if (!codes)
		codes = listed_name(list, name);
	return codes ? codes : wcm__prototypes_find(name);
}

/* The first of LIST that is AT or above. */
static size_t listed_from(const struct wcm_known_values *list, uintptr_t at)
{
	size_t lo = 0, hi = list->count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (list->value[middle].at < at)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

static const char *listed_at(const struct wcm_known_values *list, uintptr_t func)
{
	const size_t at = list ? listed_from(list, func) : 0;

	return list && at < list->count && list->value[at].at == func ? list->value[at].codes :
									 NULL;
}

const char *wcm__known_values_of(uintptr_t func)
{
	const struct wcm_known_values *list = __atomic_load_n(&listed, __ATOMIC_ACQUIRE);
	const char *codes = listed_at(list, func);
	const struct wcm_slot_name *slot = codes ? NULL : wcm__slot_find(func);

	return slot ? slot->prototype : codes;
}

struct wcm_known_values wcm__known_values_between(uintptr_t lo, uintptr_t hi)
{
	const struct wcm_known_values *list = listed;
	const size_t first = list ? listed_from(list, lo) : 0;

	if (!list)
		return (struct wcm_known_values){ 0 };
	return (struct wcm_known_values){ .count = listed_from(list, hi) - first,
					  .value = list->value + first };
}
