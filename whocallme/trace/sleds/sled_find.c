/* SPDX-License-Identifier: MIT */
/* sled_find.c (SAFE) - finds the sleds of a module.
 *
 * The compiler lists its sleds in a section that the linker keeps by chance only: where it
 * collects garbage, the list of an object file goes with that file's first function.  So
 * the functions of the symbol table are looked at, too.  In both cases the bytes decide, and
 * what is listed is believed only where a symbol or a frame description begins.
 * Calls of the profiler are found by symbols alone.
 */
#include "trace/sleds/sled_list.h"

#include <string.h>

#include "core/cfi/fde.h"
#include "core/os/auxv.h"
#include "core/os/memory.h"
#include "core/symbols/function_table.h"
#include "core/symbols/symtab.h"
#include "format/sled_code.h"
#include "whocallme/symbol.h"

/* Finds what calls of the profiler lead to in a module.
 *
 * Where libc is another module the calls go by slots, which relocations name.  In a static
 * program the functions themselves are there.  A module that has them beside others is
 * left: what it does in them is its own. */

/* How many bytes MODULE has mapped, *AT, of its section NAME of TYPE; 0: it has none.  What SEARCH
 * held before is lost. */
static size_t sled_section(struct wcm_symtab_search *search, const struct wcm_module *module,
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
		sled_section(search, module, SHT_RELA, section, &first) / sizeof(*relocation);

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

/* Find those of MODULE, which may not be relocated yet; in this process's numbering. */
static void sled_profilers(struct wcm_sled_profilers *profilers,
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

/* While symbols are visited; one thread at a time. */
static struct {
	struct wcm_symtab_search search;
	struct wcm_sled_profilers profilers;
	struct wcm_sled_module *sleds;
	size_t listed;
	bool is_without_memory;
} visit;

static bool make_room(struct wcm_sled_module *module)
{
	const size_t room = module->room ? 2 * module->room : 1024;
	struct wcm_sled *grown;

	if (module->count < module->room)
		return true;
	grown = wcm__map(room * sizeof(*grown));
	if (!grown)
		return false;
	if (module->room > 0) {
		memcpy(grown, module->sled, module->count * sizeof(*grown));
		wcm__unmap(module->sled, module->room * sizeof(*grown));
	}
	module->sled = grown;
	module->room = room;
	return true;
}

static bool add(struct wcm_sled_module *module, const struct wcm_sled *sled)
{
	struct wcm_sled *added;

	if (!make_room(module))
		return false;
	added = &module->sled[module->count++];
	*added = *sled;
	memcpy(added->nops, (const void *)sled->at, sled->size);
	return true;
}

static bool add_plain(struct wcm_sled_module *module, uintptr_t at, uintptr_t func,
		      const struct wcm_sled_code *found)
{
	return add(module, &(struct wcm_sled){ .at = at, .func = func,
					       .size = (uint8_t)found->size,
					       .returns = (uint8_t)found->size,
					       .at_entry = found->at_entry });
}

/* Bytes of MODULE's code from AT on, at most MOST. */
static size_t code_size(const struct wcm_module *module, uintptr_t at, size_t most)
{
	if (at < module->text_lo || at >= module->text_hi)
		return 0;
	return module->text_hi - at < most ? module->text_hi - at : most;
}

/* Where the function begins whose NOPs begin at AT, in front of which only what says that it
 * may be called indirectly can be. */
static uintptr_t function_at(const struct wcm_module *module, uintptr_t at)
{
	enum { LANDING = 4 };

	if (at >= module->text_lo + LANDING &&
	    wcm__arch_landing_size((const uint8_t *)at - LANDING, LANDING) == LANDING)
		return at - LANDING;
	return at;
}

/* One that the compiler has listed. */
static bool add_listed(struct wcm_sled_module *sleds, const struct wcm_module *module,
		       uintptr_t at)
{
	struct wcm_sled_code sled;

	return wcm__sled_code_listed((const uint8_t *)at,
				     code_size(module, at, WCM_SLED_MOST),
				     &sled) != WCM_SLED_FOUND ||
	       add_plain(sleds, at, function_at(module, at), &sled);
}

static bool is_code(const struct wcm_module *module, uintptr_t at)
{
	return at >= module->text_lo && at < module->text_hi;
}

/* Those of the list, SIZE bytes at LIST, that no relocation has made addresses yet: what will
 * be added by relocations, those that refer to no symbol. */
static bool add_relocated(struct wcm_sled_module *sleds, uintptr_t list, size_t size)
{
	const struct wcm_module *module = &sleds->map;
	const ElfW(Rela) *relocation;
	uintptr_t first;
	const size_t count = sled_section(&visit.search, module, SHT_RELA, ".rela.dyn",
					  &first) / sizeof(*relocation);

	for (size_t i = 0; i < count; i++) {
		relocation = (const ElfW(Rela) *)first + i;
		if (module->bias + relocation->r_offset - list < size &&
		    ELF64_R_SYM(relocation->r_info) == 0 &&
		    !add_listed(sleds, module,
				module->bias + (uintptr_t)relocation->r_addend))
			return false;
	}
	return true;
}

/* The words of a module that is just being loaded are no addresses yet: they will be added
 * to, or replaced. */
static bool add_list(struct wcm_sled_module *sleds)
{
	const struct wcm_module *module = &sleds->map;
	bool is_relocated = true;
	uintptr_t list, at;
	const size_t size = sled_section(&visit.search, module, SHT_PROGBITS,
					 "__patchable_function_entries", &list);

	for (size_t i = 0; i < size / sizeof(at); i++) {
		at = ((const uintptr_t *)list)[i];
		if (!is_code(module, at)) {
			is_relocated = false;
			at += module->bias;
		}
		if (!add_listed(sleds, module, at))
			return false;
	}
	return is_relocated || add_relocated(sleds, list, size);
}

/* The first of COUNT sleds, which are in order, that begins at ADDRESS or above. */
static size_t first_from(const struct wcm_sled_module *sleds, size_t count, uintptr_t address)
{
	size_t lo = 0, hi = count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (sleds->sled[middle].at < address)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/* One of the first COUNT, whose NOPs reach from there to FUNC: those are in front of it. */
static struct wcm_sled *find_in_front(struct wcm_sled_module *sleds, size_t count,
				      uintptr_t func)
{
	enum { FRONT_MOST = 4096 };
	const size_t next = first_from(sleds, count, func);
	struct wcm_sled *sled;

	if (next == 0)
		return NULL;
	sled = &sleds->sled[next - 1];
	return sled->size > 0 && func - sled->at <= FRONT_MOST &&
			       wcm__sled_code_is_nops((const uint8_t *)sled->at, func - sled->at) ?
		       sled : NULL;
}

static bool add_front(struct wcm_sled_module *sleds, uintptr_t func, size_t front, size_t size)
{
	struct wcm_sled_front sled;

	return wcm__sled_code_front((const uint8_t *)func, front, size, &sled) !=
		       WCM_SLED_FOUND ||
	       add(sleds, &(struct wcm_sled){ .at = func - sled.at, .func = func,
					      .size = sled.size, .returns = sled.returns,
					      .entry = sled.entry, .at_entry = true });
}

/* For linkage stubs. */
static size_t read_code(const void *of, uint64_t address, uint8_t *code, size_t size)
{
	const struct wcm_module *module = of;

	size = code_size(module, address, size);
	memcpy(code, (const void *)(uintptr_t)address, size);
	return size;
}

/* That of a function of the symbol table: what it begins with, or is in front of it.  Of the
 * latter LISTED are, the first in order; such a one is none by itself. */
static bool add_named(struct wcm_sled_module *sleds, uintptr_t func, size_t listed)
{
	const size_t size = code_size(&sleds->map, func, WCM_SLED_CODE);
	struct wcm_sled *before = find_in_front(sleds, listed, func);
	const size_t front = before ? func - before->at : 0;
	struct wcm_sled_code sled;

	if (before)
		before->size = 0;
	if (wcm__sled_code_named((const uint8_t *)func, size, listed > 0, &sled) ==
		    WCM_SLED_FOUND ||
	    wcm__sled_code_call((const uint8_t *)func, size, func, &visit.profilers, read_code,
				&sleds->map, &sled) == WCM_SLED_FOUND)
		return add_plain(sleds, func + sled.at, func, &sled);
	return !before || add_front(sleds, func, front, size);
}

static bool add_table(struct wcm_sled_module *sleds, const struct wcm_function_table *table,
		      uintptr_t base, size_t listed)
{
	const uint32_t others = WCM_SYMBOL_PLT | WCM_SYMBOL_COLD | WCM_SYMBOL_PART |
				WCM_SYMBOL_IFUNC;

	for (uint32_t i = 0; i < table->count; i++) {
		const uintptr_t func = base + table->entry[i].start;

		if (!(table->flags[i] & others) &&
		    !(table->entry[i].size & WCM_ENTRY_PART_OF) &&
		    !add_named(sleds, func, listed))
			return false;
	}
	return true;
}

/* A symbol of one that has no table. */
static void add_symbol(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	(void)search;
	if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
	    !add_named(visit.sleds, visit.sleds->map.bias + symbol->st_value, visit.listed))
		visit.is_without_memory = true;
}

static void visit_symbols(struct wcm_sled_module *sleds, wcm_symtab_visitor *visitor)
{
	const struct wcm_dynsym *dynsym = &sleds->map.dynsym;

	visit.sleds = sleds;
	wcm__symtab_visit(&visit.search, &sleds->map, visitor);
	for (size_t i = 0; i < dynsym->count; i++)
		visitor(NULL, &dynsym->symbols[i]);
}

static bool add_symbols(struct wcm_sled_module *sleds, size_t listed)
{
	visit.listed = listed;
	visit.is_without_memory = false;
	visit_symbols(sleds, add_symbol);
	return !visit.is_without_memory;
}

/* Code may be entered where a symbol is: a sled that reaches past one is none, but that of the
 * function which begins there, in front of it.  What chooses an implementation, IS_CHOOSER,
 * runs while its module is being relocated: it is left, even where it is listed.  At data, IS_DATA,
 * no function begins. */
static void settle(struct wcm_sled_module *sleds, uintptr_t address, bool is_chooser, bool is_data)
{
	const size_t next = first_from(sleds, sleds->count, address);
	struct wcm_sled *before = next > 0 ? &sleds->sled[next - 1] : NULL;

	if (before && before->func == address)
		before->is_named |= !is_data;
	else if (before && wcm__sled_end(before) > address)
		before->size = 0;
	for (size_t i = next; i < sleds->count && sleds->sled[i].at - address < WCM_SLED_CODE; i++)
		if (sleds->sled[i].func == address) {
			sleds->sled[i].is_named |= !is_data;
			if (is_chooser)
				sleds->sled[i].size = 0;
		}
	if (is_chooser && (before = find_in_front(sleds, sleds->count, address)))
		before->size = 0;
}

static void settle_symbol(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	const unsigned type = ELF64_ST_TYPE(symbol->st_info);
	const bool is_place = type == STT_FUNC || type == STT_NOTYPE || type == STT_OBJECT ||
			      type == STT_GNU_IFUNC;

	(void)search;
	if (is_place && symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS)
		settle(visit.sleds, visit.sleds->map.bias + symbol->st_value,
		       type == STT_GNU_IFUNC, type == STT_OBJECT);
}

static void settle_all(struct wcm_sled_module *sleds, const struct wcm_function_table *table,
		       uintptr_t base)
{
	if (!table)
		visit_symbols(sleds, settle_symbol);
	for (uint32_t i = 0; table && i < table->count; i++)
		settle(sleds, base + table->entry[i].start, table->flags[i] & WCM_SYMBOL_IFUNC,
		       false);
}

/* Whether a module that lists no sleds may have some.  In position-independent code the
 * compilers make none that they do not list.  A library's list is lost only as a whole, and
 * then some of its exported functions show it. */
static bool may_be_unlisted(const struct wcm_sled_module *sleds)
{
	enum { WITNESSES = 16, FEW = 8 };
	const struct wcm_dynsym *dynsym = &sleds->map.dynsym;
	size_t seen = 0;

	if ((uintptr_t)sleds->map.phdr == wcm__auxv(AT_PHDR))
		return true;
	for (size_t i = 0; i < dynsym->count; i += dynsym->count / WITNESSES + 1) {
		const ElfW(Sym) *symbol = &dynsym->symbols[i];
		const uintptr_t func = sleds->map.bias + symbol->st_value;
		struct wcm_sled_code sled;

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
		    symbol->st_shndx == SHN_UNDEF)
			continue;
		if (wcm__sled_code_named((const uint8_t *)func,
					 code_size(&sleds->map, func, WCM_SLED_CODE),
					 false, &sled) == WCM_SLED_FOUND)
			return true;
		seen++;
	}
	return seen < FEW;
}

/* Both ways give nearly all in order: what is not is moved to its place. */
static void sort(struct wcm_sled_module *module)
{
	for (size_t gap = module->count / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < module->count; i++) {
			const struct wcm_sled sled = module->sled[i];
			size_t at = i;

			for (; at >= gap && module->sled[at - gap].at > sled.at; at -= gap)
				module->sled[at] = module->sled[at - gap];
			module->sled[at] = sled;
		}
}

/* Whether the function of SLED begins there: the frame descriptions of a stripped module tell what
 * its symbols would.  Anywhere else the list may lead to the middle of an instruction, or to in
 * front of a function that nothing tells of, and be no list of a compiler's at all. */
static bool is_at_function(const struct wcm_sled_module *sleds, const struct wcm_sled *sled)
{
	struct wcm_fde fde;

	return sled->is_named ||
	       (wcm__fde_find(&fde, &sleds->map.unwind, wcm__sled_end(sled) - 1) &&
		(fde.start == sled->at || fde.start == sled->func));
}

/* The same sled may have been found twice.  No two share a byte, and none reaches into what
 * may be entered, as the next one may, were it dropped as well: a call that is entered in its
 * middle kills the program.  Those of no size were dropped. */
static void keep_apart(struct wcm_sled_module *module)
{
	uintptr_t at = UINTPTR_MAX, next = UINTPTR_MAX;
	size_t kept = module->count;
	bool is_kept = false, is_lost = false;

	for (size_t i = module->count; i-- > 0;) {
		const struct wcm_sled sled = module->sled[i];

		if (sled.at != at) {
			module->mislisted += is_lost && !is_kept;
			next = at;
			at = sled.at;
			is_kept = is_lost = false;
		}
		if (is_kept || sled.size == 0 || wcm__sled_end(&sled) > next)
			continue;
		is_kept = is_at_function(module, &sled);
		is_lost |= !is_kept;
		if (is_kept)
			module->sled[--kept] = sled;
	}
	module->mislisted += is_lost && !is_kept;
	module->count -= kept;
	for (size_t i = 0; i < module->count; i++)
		module->sled[i] = module->sled[kept + i];
}

bool wcm__sleds_of(struct wcm_sled_module *sleds, const struct wcm_known_module *known)
{
	const struct wcm_function_table *table = known ? wcm__module_table(known) : NULL;
	const uintptr_t base = known ? known->table_base : 0;
	size_t listed;

	if (!(known && known->lists_no_sleds) && !add_list(sleds))
		return false;
	sort(sleds);
	listed = sleds->count;
	sled_profilers(&visit.profilers, &visit.search, &sleds->map);
	if (listed == 0 && visit.profilers.count == 0 && !may_be_unlisted(sleds))
		return true;
	if (table ? !add_table(sleds, table, base, listed) : !add_symbols(sleds, listed))
		return false;
	sort(sleds);
	if (sleds->count > 0)
		settle_all(sleds, table, base);
	keep_apart(sleds);
	return true;
}
