/* SPDX-License-Identifier: MIT */
/* near_jump.c - finds or makes a jump that all code of a range reaches.
 *
 * Calls and jumps reach 2 GiB.  A page of its own near the code holds a jump that reaches
 * any address.
 */
#include "trace/source/sled/code/near_jump.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/arch/arch.h"
#include "core/os/memory.h"
#include "core/os/missing.h"
#include "core/os/read.h"

enum { STEP = 64 * 1024, MOST_STEPS = 4096, JUMPS = 64 };

/* Those that were made; where there are more, they are not shared. */
static struct jump {
	uintptr_t at, to;
} jumps[JUMPS];

/* A page at exactly AT, or 0. */
static uintptr_t map_at(uintptr_t at)
{
	const long mapped = wcm__mmap((void *)at, WCM_PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (wcm__is_error(mapped))
		return 0;
	if ((uintptr_t)mapped == at)
		return at;
	wcm__unmap((void *)mapped, WCM_PAGE);
	return 0;
}

static bool is_in_reach(uintptr_t lo, uintptr_t hi, uintptr_t jump)
{
	return wcm__arch_sled_reaches(lo, jump) && wcm__arch_sled_reaches(hi, jump);
}

/* The nearest free page in front of LO or behind HI. */
static uintptr_t map_near(uintptr_t lo, uintptr_t hi)
{
	uintptr_t below = lo & ~(uintptr_t)(STEP - 1);
	uintptr_t above = (hi + STEP - 1) & ~(uintptr_t)(STEP - 1), at;

	for (int i = 0; i < MOST_STEPS; i++) {
		below -= STEP;
		if (below > STEP && is_in_reach(lo, hi, below) && (at = map_at(below)) != 0)
			return at;
		if (is_in_reach(lo, hi, above) && (at = map_at(above)) != 0)
			return at;
		above += STEP;
	}
	return 0;
}

static uintptr_t make(uintptr_t lo, uintptr_t hi, uintptr_t to, int *error)
{
	const uintptr_t page = map_near(lo, hi);
	uint8_t code[WCM_FAR_JUMP_MOST];

	*error = ENOMEM;
	if (!page)
		return 0;
	memcpy((void *)page, code, wcm__arch_far_jump(code, to));
	*error = -wcm__mprotect((void *)page, WCM_PAGE, PROT_READ | PROT_EXEC);
	if (*error == 0)
		return page;
	wcm__unmap((void *)page, WCM_PAGE);
	return 0;
}

uintptr_t wcm__near_jump(uintptr_t lo, uintptr_t hi, uintptr_t to, int *error)
{
	uintptr_t made;
	size_t i;

	if (is_in_reach(lo, hi, to))
		return to;
	for (i = 0; i < JUMPS && jumps[i].at; i++)
		if (jumps[i].to == to && is_in_reach(lo, hi, jumps[i].at))
			return jumps[i].at;
	made = make(lo, hi, to, error);
	if (made && i < JUMPS)
		jumps[i] = (struct jump){ .at = made, .to = to };
	return made;
}
