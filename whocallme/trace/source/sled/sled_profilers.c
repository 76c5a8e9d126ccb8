/* SPDX-License-Identifier: MIT */
/* sled_profilers.c (SAFE) - finds what calls of the profiler lead to in a module.
 *
 * Where libc is another module the calls go by slots, which relocations name.  In a static
 * program the functions themselves are there.  A module that has them beside others is
 * left: what it does in them is its own.
 */
#include "trace/source/sled/sled_profilers.h"

size_t wcm__sled_section(struct wcm_symtab_search *search, const struct wcm_module *module,
			 uint32_t type, const char *name, uintptr_t *at)
{
	ElfW(Shdr) section;

	if (!wcm__symtab_find_section(search, module, type, name, &section))
		return 0;
	*at = module->bias + section.sh_addr;
	return *at < module->lo || *at >= module->hi || section.sh_size > module->hi - *at ?
		       0 : section.sh_size;
}

static bool names_profiler(const struct wcm_dynsym *dynsym, size_t index)
{
	size_t name;

	if (index == 0 || index >= dynsym->count)
		return false;
	name = dynsym->symbols[index].st_name;
	return name < dynsym->strings_size &&
	       wcm__sled_code_profiles(dynsym->strings + name, dynsym->strings_size - name);
}

/* The slots that the relocations in SECTION fill. */
static void add_slots(struct wcm_sled_profilers *profilers, struct wcm_symtab_search *search,
		      const struct wcm_module *module, const char *section)
{
	const ElfW(Rela) *relocation;
	uintptr_t first;
	const size_t count =
		wcm__sled_section(search, module, SHT_RELA, section, &first) / sizeof(*relocation);

	for (size_t i = 0; i < count; i++) {
		relocation = (const ElfW(Rela) *)first + i;
		if (names_profiler(&module->dynsym, ELF64_R_SYM(relocation->r_info)))
			wcm__sled_code_add_profiler(profilers,
						    module->bias + relocation->r_offset);
	}
}

static bool wants_profiler(const struct wcm_dynsym *dynsym)
{
	for (size_t i = 0; i < WCM_SLED_PROFILER_NAMES; i++)
		if (wcm__dynsym_wants(dynsym, wcm__sled_profiler_names[i]))
			return true;
	return false;
}

void wcm__sled_profilers(struct wcm_sled_profilers *profilers,
			 struct wcm_symtab_search *search, const struct wcm_module *module)
{
	enum { NO_SYMBOLS = 1 }; /* but the first, which is none */

	profilers->count = 0;
	if (wants_profiler(&module->dynsym)) {
		add_slots(profilers, search, module, ".rela.plt");
		add_slots(profilers, search, module, ".rela.dyn");
	}
	if (module->dynsym.count > NO_SYMBOLS)
		return;
	for (size_t i = 0; i < WCM_SLED_PROFILER_NAMES; i++)
		if (wcm__symtab_find_name(search, module, wcm__sled_profiler_names[i]))
			wcm__sled_code_add_profiler(profilers, module->bias + search->value);
}
