/* SPDX-License-Identifier: MIT */
/* near_jump.c (SAFE) - finds or makes a jump that all code of a range reaches, and stubs.
 *
 * Calls and jumps reach some way only.  A page of its own near the code holds a jump that
 * reaches any address, and where each sled has a stub, all of a module are behind one.
 */
#include "trace/sleds/near_jump.h"

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

/* SIZE bytes at exactly AT, or 0. */
static uintptr_t map_at(uintptr_t at, size_t size)
{
	const long mapped = wcm__mmap((void *)at, size, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (wcm__is_error(mapped))
		return 0;
	if ((uintptr_t)mapped == at)
		return at;
	wcm__unmap((void *)mapped, size);
	return 0;
}

static bool is_in_reach(uintptr_t lo, uintptr_t hi, uintptr_t jump)
{
	return wcm__arch_sled_reaches(lo, jump) && wcm__arch_sled_reaches(hi, jump);
}

/* The nearest free SIZE bytes in front of LO or behind HI. */
static uintptr_t map_near(uintptr_t lo, uintptr_t hi, size_t size)
{
	uintptr_t below = (lo - size) & ~(uintptr_t)(STEP - 1);
	uintptr_t above = (hi + STEP - 1) & ~(uintptr_t)(STEP - 1), at;

	for (int i = 0; i < MOST_STEPS; i++) {
		below -= STEP;
		if (below > STEP && is_in_reach(lo, hi, below) && (at = map_at(below, size)) != 0)
			return at;
		if (is_in_reach(lo, hi, above + size) && (at = map_at(above, size)) != 0)
			return at;
		above += STEP;
	}
	return 0;
}

/* What is written there is code from now on. */
static uintptr_t finish(uintptr_t at, size_t size, int *error)
{
	*error = -wcm__mprotect((void *)at, size, PROT_READ | PROT_EXEC);
	wcm__arch_code_written(at, size);
	if (*error == 0)
		return at;
	wcm__unmap((void *)at, size);
	return 0;
}

/* A jump to TO, in SIZE bytes. */
static uintptr_t begin(uintptr_t lo, uintptr_t hi, uintptr_t to, size_t size, int *error)
{
	const uintptr_t at = map_near(lo, hi, size);
	uint8_t code[WCM_FAR_JUMP_MOST];

	*error = ENOMEM;
	if (at)
		memcpy((void *)at, code, wcm__arch_far_jump(code, to));
	return at;
}

static uintptr_t make(uintptr_t lo, uintptr_t hi, uintptr_t to, int *error)
{
	const uintptr_t at = begin(lo, hi, to, WCM_PAGE, error);

	return at ? finish(at, WCM_PAGE, error) : 0;
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

uintptr_t wcm__near_stubs(uintptr_t lo, uintptr_t hi, uintptr_t to, size_t count,
			  wcm_stub_returns *pc_of, const void *of, int *error)
{
	const size_t size = (WCM_FAR_JUMP_MOST + count * WCM_SLED_STUB + WCM_PAGE - 1) &
			    ~(WCM_PAGE - 1);
	const uintptr_t jump = begin(lo, hi, to, size, error), stubs = jump + WCM_FAR_JUMP_MOST;

	if (!jump)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const uintptr_t at = stubs + i * WCM_SLED_STUB;

		wcm__arch_sled_stub((uint8_t *)at, at, pc_of(of, i), jump);
	}
	return finish(jump, size, error) ? stubs : 0;
}
