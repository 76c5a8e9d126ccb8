/* SPDX-License-Identifier: MIT */
/* slab.c (SAFE) - gives threads memory of which many share a mapping, and little where the address
 * space is bounded.
 *
 * The kernel bounds the mappings of a process (vm.max_map_count), and a program of 15,000 threads
 * has used half of them for their stacks.  So the first slab is small, for a program of one
 * thread, and each is twice as large as the one before.  It has no huge pages: of most pieces
 * only the first pages are touched, which would be two megabytes each.
 *
 * Where the address space is bounded (RLIMIT_AS), fifteen sixteenths are the program's, and no slab
 * is larger than the first.
 */
#include "core/os/slab.h"

#include <stdint.h>
#include <sys/resource.h>

#include "core/os/memory.h"
#include "core/os/read.h"

enum { ALIGN = 64, SMALLEST = 1 << 20, LARGEST = 64 << 20 };

struct slab {
	_Alignas(ALIGN) size_t used; /* bytes given away, and more */
	size_t size;
};

static struct slab *current;

static size_t mapped; /* bytes */

/* Bytes that all slabs may have.  It is asked once, before a filter of the program's forbids it. */
static size_t share(void)
{
	static size_t known;
	size_t most = __atomic_load_n(&known, __ATOMIC_RELAXED);
	struct rlimit limit;

	if (most != 0)
		return most;
	most = SIZE_MAX;
	if (wcm__wide_limit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur / 16 < SIZE_MAX)
		most = (size_t)limit.rlim_cur / 16 + 1;
	__atomic_store_n(&known, most, __ATOMIC_RELAXED);
	return most;
}

bool wcm__slab_is_bounded(void)
{
	return share() != SIZE_MAX;
}

__attribute__((constructor)) static void ask(void)
{
	share();
}

static void *map(size_t size)
{
	void *made = NULL;

	if (__atomic_add_fetch(&mapped, size, __ATOMIC_RELAXED) < share())
		made = wcm__map_sparse(size);
	if (!made)
		__atomic_sub_fetch(&mapped, size, __ATOMIC_RELAXED);
	return made;
}

static size_t next_size(const struct slab *full)
{
	if (!full || wcm__slab_is_bounded())
		return SMALLEST;
	return full->size < LARGEST ? 2 * full->size : LARGEST;
}

/* After FULL; who comes second takes what the first has made.  False: no memory. */
static bool make(struct slab *full)
{
	const size_t size = next_size(full);
	struct slab *made = map(size);

	if (!made)
		return false;
	wcm__madvise(made, size, MADV_NOHUGEPAGE);
	made->used = sizeof(*made);
	made->size = size;
	if (!__atomic_compare_exchange_n(&current, &full, made, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED)) {
		wcm__unmap(made, size);
		__atomic_sub_fetch(&mapped, size, __ATOMIC_RELAXED);
	}
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
	if (size > (wcm__slab_is_bounded() ? SMALLEST / 2 : LARGEST / 4))
		return map(size);
	for (;;) {
		struct slab *slab = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		size_t at;

		if (slab && __atomic_load_n(&slab->used, __ATOMIC_RELAXED) < slab->size) {
			at = __atomic_fetch_add(&slab->used, size, __ATOMIC_RELAXED);
			if (at <= slab->size && size <= slab->size - at)
				return (char *)slab + at;
		}
		if (!make(slab))
			return map(size);
	}
}
