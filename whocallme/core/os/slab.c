/* SPDX-License-Identifier: MIT */
/* slab.c - memory for what threads have of the library's, many of which share a mapping.
 *
 * The kernel bounds the mappings of a process (vm.max_map_count), and a program of 15,000 threads
 * has used half of them for their stacks.  So the first slab is small, for a program of one
 * thread, and each is twice as large as the one before.  It has no huge pages: of most pieces
 * only the first pages are touched, which would be two megabytes each.
 */
#include "core/os/slab.h"

#include <stdint.h>

#include "core/os/memory.h"
#include "core/os/read.h"

enum { ALIGN = 64, SMALLEST = 1 << 20, LARGEST = 64 << 20 };

struct slab {
	_Alignas(ALIGN) size_t used; /* bytes given away, and more */
	size_t size;
};

static struct slab *current;

static size_t next_size(const struct slab *full)
{
	if (!full)
		return SMALLEST;
	return full->size < LARGEST ? 2 * full->size : LARGEST;
}

/* After FULL; who comes second takes what the first has made.  False: no memory. */
static bool make(struct slab *full)
{
	const size_t size = next_size(full);
	struct slab *made = wcm__map_sparse(size);

	if (!made)
		return false;
	wcm__madvise(made, size, MADV_NOHUGEPAGE);
	made->used = sizeof(*made);
	made->size = size;
	if (!__atomic_compare_exchange_n(&current, &full, made, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		wcm__unmap(made, size);
	return true;
}

/* What begins and ends with pages can be given back to the kernel in pages. */
static size_t rounded(size_t size)
{
	const size_t to = size < WCM_PAGE ? ALIGN : WCM_PAGE;

	return (size + to - 1) & ~(to - 1);
}

/* A piece that is large beside a slab has a mapping of its own, which costs few programs more. */
void *wcm__slab_take(size_t size)
{
	size = rounded(size);
	if (size > LARGEST / 4)
		return wcm__map_sparse(size);
	for (;;) {
		struct slab *slab = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		size_t at;

		if (slab && __atomic_load_n(&slab->used, __ATOMIC_RELAXED) < slab->size) {
			at = __atomic_fetch_add(&slab->used, size, __ATOMIC_RELAXED);
			if (at <= slab->size && size <= slab->size - at)
				return (char *)slab + at;
		}
		if (!make(slab))
			return wcm__map_sparse(size);
	}
}
