/* SPDX-License-Identifier: MIT */
/* library_stubs.c (SAFE) - makes what the calls into libraries go through while they are traced.
 *
 * A function that has not been bound is bound when it is called first, by the dynamic linker,
 * which writes its address where a relocation says.  That it finds by a number of 32 bits,
 * counted from the module's own relocations: ours lie behind the module, within its reach, and
 * say that the address belongs into the word that the stub jumps to.  So the program's own
 * word stays what it is.
 */
#include "trace/library/library_module.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/arch/arch.h"
#include "core/os/memory.h"
#include "core/os/missing.h"
#include "core/os/read.h"

/* What lies behind the code of a module's stubs. */
struct words {
	uintptr_t entry, linker[2];
	uintptr_t target[];
};

struct area {
	uint8_t *code;
	struct words *words;
	ElfW(Rela) *binding;
	size_t code_size;
};

/* SIZE bytes behind AT, at most 2^32 relocations away; 0: there is no room. */
static uintptr_t map_behind(uintptr_t at, size_t size)
{
	enum { STEP = 1 << 20, DOUBLINGS = 15 };

	at = (at + STEP - 1) & ~(uintptr_t)(STEP - 1);
	for (int i = 0; i < DOUBLINGS; i++) {
		const uintptr_t want = at + ((uintptr_t)STEP << i);
		const long mapped = wcm__mmap((void *)want, size, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
					      -1, 0);

		if ((uintptr_t)mapped == want)
			return want;
		if (!wcm__is_error(mapped))
			wcm__unmap((void *)mapped, size);
	}
	return 0;
}

/* The first relocation at AT or behind it that is a whole number of them behind FIRST. */
static ElfW(Rela) *aligned(uintptr_t at, const ElfW(Rela) *first)
{
	const size_t past = (at - (uintptr_t)first) % sizeof(*first);

	return (ElfW(Rela) *)(past ? at + sizeof(*first) - past : at);
}

static bool map_area(const struct wcm_library_module *module, struct area *area)
{
	const size_t count = module->count;
	const size_t data = sizeof(struct words) + count * sizeof(uintptr_t) +
			    (count + 1) * sizeof(ElfW(Rela));
	uintptr_t at;

	area->code_size = (count * WCM_LIBRARY_STUB + WCM_PAGE - 1) & ~(WCM_PAGE - 1);
	at = map_behind(module->sleds.map.hi, area->code_size + data);
	if (!at)
		return false;
	area->code = (uint8_t *)at;
	area->words = (struct words *)(at + area->code_size);
	area->binding = aligned((uintptr_t)&area->words->target[count], module->tables.calls);
	return true;
}

/* The dynamic linker's own relocation of CALL, but for where it writes. */
static void make_binding(const struct wcm_library_module *module, const struct area *area,
			 size_t i, struct wcm_library_call *call)
{
	ElfW(Rela) *own = &area->binding[i];

	*own = *call->slot.relocation;
	own->r_offset = (uintptr_t)call->target - module->sleds.map.bias;
	call->binding = wcm__arch_library_binding((uint8_t *)call->stub,
						  (uint32_t)(own - module->tables.calls),
						  area->words->linker);
}

static void make_stub(struct wcm_library_module *module, const struct area *area, size_t i)
{
	struct wcm_library_call *call = &module->call[i];

	call->stub = (uintptr_t)area->code + i * WCM_LIBRARY_STUB;
	call->target = &area->words->target[i];
	wcm__arch_library_stub((uint8_t *)call->stub, &area->words->entry, call->target);
	if (call->slot.is_lazy && area->words->linker[1])
		make_binding(module, area, i, call);
	module->sleds.sled[i] = (struct wcm_sled){ .at = call->stub, .func = call->slot.at,
						   .size = WCM_LIBRARY_STUB_RETURNS,
						   .returns = WCM_LIBRARY_STUB_RETURNS,
						   .at_entry = true, .is_library = true };
	module->names.slot[i] = (struct wcm_slot_name){ .at = call->slot.at,
							 .name = call->slot.name };
}

/* The names' bytes, which may go before the trace does. */
static bool keep_names(struct wcm_library_module *module)
{
	size_t size = 1;
	char *kept;

	for (size_t i = 0; i < module->count; i++)
		size += strlen(module->call[i].slot.name) + 1;
	kept = wcm__map(size);
	for (size_t i = 0; kept && i < module->count; i++) {
		const size_t length = strlen(module->call[i].slot.name) + 1;

		module->call[i].slot.name = memcpy(kept, module->call[i].slot.name, length);
		kept += length;
	}
	return kept;
}

long wcm__library_stubs_make(struct wcm_library_module *module)
{
	const uintptr_t *got = module->tables.got;
	struct area area;
	long error;

	module->sleds.sled = wcm__map(module->count * sizeof(*module->sleds.sled));
	module->names.slot = wcm__map(module->count * sizeof(*module->names.slot));
	if (!module->sleds.sled || !module->names.slot || !keep_names(module) ||
	    !map_area(module, &area))
		return -ENOMEM;
	area.words->entry = wcm__arch_sled_entry_address();
	if (got) {
		area.words->linker[0] = got[1];
		area.words->linker[1] = got[2];
	}
	for (size_t i = 0; i < module->count; i++)
		make_stub(module, &area, i);
	module->names.count = module->sleds.count = module->count;
	error = wcm__mprotect(area.code, area.code_size, PROT_READ | PROT_EXEC);
	wcm__arch_code_written((uintptr_t)area.code, area.code_size);
	if (error != 0) {
		wcm__unmap(area.code, area.code_size);
		return error;
	}
	module->stubs.lo = (uintptr_t)area.code;
	module->stubs.hi = (uintptr_t)area.code + area.code_size;
	wcm__stub_code_add(&module->stubs);
	return 0;
}
