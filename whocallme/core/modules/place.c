/* SPDX-License-Identifier: MIT */
/* place.c (SAFE) - says whether an address is in a module's code, in its data, or in neither.
 *
 * A module may have several executable segments, as BOLT's output and node have.  What lies
 * between its segments is not the module's.
 */
#include "core/modules/place.h"

#include <stdbool.h>

#include "core/modules/modules.h"
#include "core/os/read.h"

/* What was made executable in modules lies between these.  They only ever part: an address that
 * is executed was noted before. */
static uintptr_t made_lo = UINTPTR_MAX, made_hi;

static enum wcm_place segment_place(const ElfW(Phdr) *segment)
{
	return segment->p_flags & PF_X ? WCM_PLACE_CODE : WCM_PLACE_DATA;
}

static enum wcm_place place_in(const struct wcm_module *module, uintptr_t address)
{
	ElfW(Phdr) phdr;

	for (uint32_t i = 0; i < module->phnum; i++)
		if (wcm__read_memory((uintptr_t)&module->phdr[i], &phdr, sizeof(phdr)) &&
		    phdr.p_type == PT_LOAD &&
		    address - (module->bias + phdr.p_vaddr) < phdr.p_memsz)
			return segment_place(&phdr);
	return WCM_PLACE_OTHER;
}

static bool is_made_code(uintptr_t address)
{
	return address >= __atomic_load_n(&made_lo, __ATOMIC_RELAXED) &&
	       address < __atomic_load_n(&made_hi, __ATOMIC_RELAXED);
}

/* A frame of its own, that those who need no answer do not make: there may be little stack. */
__attribute__((noinline)) static enum wcm_place place_in_mapped(uintptr_t address)
{
	struct wcm_module module;
	enum wcm_place place;

	if (!wcm__module_find_mapped(&module, address))
		return WCM_PLACE_OTHER;
	if (address >= module.text_lo && address < module.text_hi)
		return WCM_PLACE_CODE;
	place = place_in(&module, address);
	return place == WCM_PLACE_DATA && is_made_code(address) ? WCM_PLACE_OTHER : place;
}

enum wcm_place wcm__place_of(uintptr_t address)
{
	return wcm__modules_hold_code(address, 1) ? WCM_PLACE_CODE : place_in_mapped(address);
}

/* A run-time's own memory is no module's, and is not noted: it would take in all between. */
void wcm__place_made_code(uintptr_t at, size_t size)
{
	const uintptr_t end = at + size;
	uintptr_t lo = __atomic_load_n(&made_lo, __ATOMIC_RELAXED);
	uintptr_t hi = __atomic_load_n(&made_hi, __ATOMIC_RELAXED);

	if (size == 0 || end <= at || place_in_mapped(at) != WCM_PLACE_DATA)
		return;
	while (at < lo && !__atomic_compare_exchange_n(&made_lo, &lo, at, true, __ATOMIC_RELAXED,
						       __ATOMIC_RELAXED))
		;
	while (end > hi && !__atomic_compare_exchange_n(&made_hi, &hi, end, true,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}
