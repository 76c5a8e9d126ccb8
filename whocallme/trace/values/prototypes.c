/* SPDX-License-Identifier: MIT */
/* prototypes.c (SAFE) - finds what is known of a library function by its name. */
#include "trace/values/prototypes.h"

#include <stddef.h>

/* As strcmp(3), which is not for a signal handler. */
static int compare(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

const char *wcm__prototypes_find(const char *name)
{
	size_t lo = 0, hi = wcm__prototypes_count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;
		const struct wcm_prototype_entry *entry = &wcm__prototypes[middle];
		const int order = compare(wcm__prototype_names + entry->name, name);

		if (order == 0)
			return wcm__prototype_codes + entry->codes;
		if (order < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return NULL;
}
