/* SPDX-License-Identifier: MIT */
/* names_bfd_sort.c - the plain way to a function table: read through BFD, keep
 * the functions, qsort(3) them. */
#include "names_bfd.h"

#include "names.h"

static asymbol **functions;
static long count;

const bool names_can_find = true;

static int compare_addresses(const void *left, const void *right)
{
	bfd_vma a = bfd_asymbol_value(*(asymbol *const *)left);
	bfd_vma b = bfd_asymbol_value(*(asymbol *const *)right);

	return (a > b) - (a < b);
}

bool names_load(const char *path, uint64_t first)
{
	long all = read_symbols(path, &functions);

	(void)first;
	for (long i = 0; i < all; i++)
		if (functions[i]->flags & BSF_FUNCTION)
			functions[count++] = functions[i];
	qsort(functions, (size_t)count, sizeof(*functions), compare_addresses);
	return count > 0;
}

const char *names_find(uint64_t address)
{
	long lo = 0, hi = count;

	while (lo < hi) {
		long mid = lo + (hi - lo) / 2;

		if (bfd_asymbol_value(functions[mid]) <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? bfd_asymbol_name(functions[lo - 1]) : NULL;
}
