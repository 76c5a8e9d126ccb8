/* SPDX-License-Identifier: MIT */
/* modules.c (SAFE) - finds the module that holds an address now.
 *
 * The published list answers for what was loaded when it was made.  A module that can
 * be unloaded is believed only if its fingerprint is still there; what no list has is
 * found in the dynamic linker's own records, read without its lock.
 */
#include "core/modules/modules.h"

#include <string.h>

#include "core/modules/epoch.h"
#include "core/modules/linked.h"
#include "core/modules/module_origin.h"
#include "core/os/attempt.h"
#include "core/os/auxv.h"
#include "core/os/read.h"

/* load/at_start.c makes the first list before main.  A static link that refers to
 * nothing of it gets it by this reference; it is never followed. */
extern const char wcm__listed_at_start;
__attribute__((used)) static const char *const at_start = &wcm__listed_at_start;

/* A list that was published is never freed or changed, but for SEEN_AT and TABLE of its modules:
 * a reader may be stopped in it for any time. */
static const struct wcm_module_list empty;
static const struct wcm_module_list *published = &empty;

/* Acquire and release, so that who sees the list sees what it points to. */
const struct wcm_module_list *wcm__modules_get(void)
{
	return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

void wcm__modules_publish(const struct wcm_module_list *list)
{
	__atomic_store_n(&published, list, __ATOMIC_RELEASE);
}

/* A table comes later than its module, and once: readers see none or a whole one. */
void wcm__module_publish_table(struct wcm_known_module *module,
			       const struct wcm_function_table *table)
{
	__atomic_store_n(&module->table, table, __ATOMIC_RELEASE);
}

/* The number of modules in LIST that start at or below ADDRESS.  The list is sorted by the first
 * address.  Modules that are gone may overlap later ones. */
static size_t count_below(const struct wcm_module_list *list,
			  uintptr_t address)
{
	size_t lo = 0, hi = list->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (list->module[mid]->map.lo <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool holds(const struct wcm_known_module *module, uintptr_t address)
{
	return address >= module->map.lo && address < module->map.hi;
}

/* Whether nothing has been unloaded since MODULE was found to be there: then its
 * fingerprint need not be read again, which takes system calls. */
static bool is_there_still(const struct wcm_known_module *module, uint64_t unloadings)
{
	return wcm__epoch_of(unloadings) != 0 &&
	       __atomic_load_n(&module->seen_at, __ATOMIC_RELAXED) == unloadings + 1;
}

/* The count of unloadings is read before the fingerprint: if something is unloaded between the
 * two, SEEN_AT is that of an epoch which is over. 1 is added, so that 0 means never. */
bool wcm__module_is_loaded(struct wcm_known_module *module)
{
	const uint64_t unloadings = __atomic_load_n(&wcm__unloadings, __ATOMIC_ACQUIRE);

	if (module->permanent || is_there_still(module, unloadings))
		return true;
	if (wcm__module_fingerprint(&module->map) != module->fingerprint)
		return false;
	if (__atomic_load_n(&wcm__unloading_is_told, __ATOMIC_RELAXED) &&
	    wcm__linked_is_told(module->map.path))
		__atomic_store_n(&module->seen_at, unloadings + 1, __ATOMIC_RELAXED);
	return true;
}

/* GONE only if nothing else is there now: what came to the same address has other names. */
static enum wcm_module_state state_of(struct wcm_known_module *module, uintptr_t address)
{
	struct wcm_module live;

	if (wcm__module_is_loaded(module))
		return WCM_MODULE_LOADED;
	return wcm__module_find_mapped(&live, address) ? WCM_MODULE_UNKNOWN
						     : WCM_MODULE_GONE;
}

struct search {
	uintptr_t address;
	struct wcm_known_module *module; /* NULL: none holds it */
	enum wcm_module_state state;
};

/* The list keeps modules that are gone, so that their functions still have names.  They
 * overlap those that came after them, in any number: the search goes on downwards until it
 * meets a module that is still there, or one below ADDRESS that can never be unloaded. */
static struct wcm_known_module *find(uintptr_t address, enum wcm_module_state *state)
{
	const struct wcm_module_list *list = wcm__modules_get();
	struct wcm_known_module *gone = NULL;

	for (size_t i = count_below(list, address); i-- > 0;) {
		struct wcm_known_module *module = list->module[i];

		if (!holds(module, address)) {
			if (module->permanent)
				break;
			continue;
		}
		*state = state_of(module, address);
		if (*state == WCM_MODULE_LOADED)
			return module;
		if (*state == WCM_MODULE_UNKNOWN)
			continue;
		if (!gone)
			gone = module;
	}
	*state = gone ? WCM_MODULE_GONE : WCM_MODULE_UNKNOWN;
	return gone;
}

/* The list may be read while a broken program has written over it; then a fault ends the
 * attempt, and no module is found. */
static void look(void *argument)
{
	struct search *search = argument;

	search->module = find(search->address, &search->state);
}

struct wcm_known_module *wcm__modules_find(uintptr_t address,
					   enum wcm_module_state *state)
{
	struct search search = { .address = address };

	wcm__attempt_within(look, &search);
	*state = search.module ? search.state : WCM_MODULE_UNKNOWN;
	return search.module;
}

/* For callers that read the module's memory: one that is gone may still name functions, and must
 * not be touched. */
const struct wcm_known_module *wcm__modules_find_loaded(uintptr_t address)
{
	enum wcm_module_state state;
	const struct wcm_known_module *module =
		wcm__modules_find(address, &state);

	return state == WCM_MODULE_LOADED ? module : NULL;
}

/* One comparison: what can never be unloaded overlaps nothing that came later, so that it is the
 * nearest below or none. */
static void look_for_permanent(void *argument)
{
	struct search *search = argument;
	const struct wcm_module_list *list = wcm__modules_get();
	const size_t below = count_below(list, search->address);
	struct wcm_known_module *module = below > 0 ? list->module[below - 1] : NULL;

	if (module && module->permanent && holds(module, search->address))
		search->module = module;
}

const struct wcm_known_module *wcm__modules_find_permanent(uintptr_t address)
{
	struct search search = { .address = address };

	wcm__attempt_within(look_for_permanent, &search);
	return search.module;
}

/* Decides whether bytes of code may be loaded directly, so SIZE must fit in what is mapped. */
bool wcm__modules_hold_code(uintptr_t address, size_t size)
{
	return wcm__module_has_code(wcm__modules_find_permanent(address), address, size);
}

/* The vdso stays where it is, so that its end is remembered from the first description on,
 * and other addresses are refused by a comparison. */
static bool find_vdso(struct wcm_module *module, uintptr_t address)
{
	static uintptr_t end;
	const uintptr_t base = wcm__auxv(AT_SYSINFO_EHDR);
	const uintptr_t known = __atomic_load_n(&end, __ATOMIC_RELAXED);

	/* Without the auxiliary vector's entry there is no vdso; nothing is searched for. */
	if (!base || address < base || (known && address >= known) ||
	    !wcm__module_describe_image(module, base, "[vdso]"))
		return false;
	__atomic_store_n(&end, module->hi, __ATOMIC_RELAXED);
	return address >= module->lo && address < module->hi;
}

/* By PT_PHDR, which is where the headers are in the file's own numbering, and comes before
 * what is loaded (ELF, "Program Header").  A static program has none, but its headers in its
 * first page. */
static bool find_executable_bias(uintptr_t *bias, const ElfW(Phdr) *phdr, size_t phnum)
{
	const uintptr_t page = (uintptr_t)phdr & ~(WCM_PAGE - 1);

	for (size_t i = 0; phdr && i < phnum; i++) {
		if (phdr[i].p_type == PT_PHDR) {
			*bias = (uintptr_t)phdr - phdr[i].p_vaddr;
			return true;
		}
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset < WCM_PAGE) {
			*bias = page + phdr[i].p_offset - phdr[i].p_vaddr;
			return memcmp((const void *)page, ELFMAG, SELFMAG) == 0;
		}
	}
	return false;
}

static bool find_executable(struct wcm_module *module, uintptr_t address)
{
	const ElfW(Phdr) *phdr = (const ElfW(Phdr) *)wcm__auxv(AT_PHDR);
	const size_t phnum = wcm__auxv(AT_PHNUM);
	uintptr_t bias;

	if (!find_executable_bias(&bias, phdr, phnum) ||
	    !wcm__module_identify_held(module, bias, phdr, phnum, wcm__module_path("")) ||
	    address < module->lo || address >= module->hi)
		return false;
	wcm__module_find_frames_held(module);
	return true;
}

bool wcm__module_find_mapped(struct wcm_module *module, uintptr_t address)
{
	return find_vdso(module, address) || find_executable(module, address) ||
	       wcm__linked_find(module, address);
}

bool wcm__module_find_live(struct wcm_module *module, uintptr_t address)
{
	if (!wcm__module_find_mapped(module, address))
		return false;
	module->path = wcm__module_whole_path(module);
	return true;
}

enum { UNKNOWN, IN_WORK, KNOWN };

/* The executable stays, so that it is described once.  A thread that comes while another
 * one describes it does not wait, and describes it for itself. */
static struct wcm_module executable;
static int executable_state;

static const struct wcm_module *known_executable(void)
{
	return __atomic_load_n(&executable_state, __ATOMIC_ACQUIRE) == KNOWN
		       ? &executable
		       : NULL;
}

/* IN_WORK for good if the thread dies here: then each look-up describes it anew. */
static void remember_executable(const struct wcm_module *module)
{
	int unknown = UNKNOWN;

	if (!__atomic_compare_exchange_n(&executable_state, &unknown,
					 IN_WORK, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	executable = *module;
	__atomic_store_n(&executable_state, KNOWN, __ATOMIC_RELEASE);
}

static bool find_executable_unwind(struct wcm_unwind_table *table, uintptr_t pc)
{
	const struct wcm_module *known = known_executable();
	struct wcm_module module;

	if (known) {
		if (pc < known->lo || pc >= known->hi)
			return false;
		*table = known->unwind;
		return true;
	}
	if (!find_executable(&module, pc))
		return false;
	remember_executable(&module);
	*table = module.unwind;
	return true;
}

/* WHOLE says that all of [lo, hi) is mapped while the object is: then it may be read in place. */
static bool is_in_table(const struct wcm_module *module, uintptr_t address,
			size_t size)
{
	return module->unwind.whole && address >= module->unwind.lo &&
	       address < module->unwind.hi &&
	       module->unwind.hi - address >= size;
}

/* Whether the list lacks the frame descriptions of KNOWN, an executable: they have to be searched
 * for in all of it, which takes longer than the rest of its start. */
static bool is_to_search(const struct wcm_known_module *known)
{
	return !known->map.unwind.hdr && (uintptr_t)known->map.phdr == wcm__auxv(AT_PHDR);
}

static const struct wcm_module *table_module(uintptr_t address)
{
	const struct wcm_known_module *known = wcm__modules_find_permanent(address);

	return known && !is_to_search(known) ? &known->map : known_executable();
}

/* Only of modules that stay: what can be unloaded has to be held, which no address tells. */
bool wcm__modules_hold_table(uintptr_t address, size_t size)
{
	const struct wcm_module *module = table_module(address);

	return module && is_in_table(module, address, size);
}

bool wcm__modules_table_span(uintptr_t address, struct wcm_span *span)
{
	const struct wcm_module *module = table_module(address);

	if (!module || !is_in_table(module, address, 1))
		return false;
	*span = (struct wcm_span){ module->unwind.lo, module->unwind.hi };
	return true;
}

/* Before the first list there is the executable alone, which is enough for a capture in a
 * constructor. */
bool wcm__modules_find_lasting_unwind(struct wcm_unwind_table *table, uintptr_t pc)
{
	const struct wcm_known_module *known = wcm__modules_find_permanent(pc);

	if (known && !is_to_search(known))
		*table = known->map.unwind;
	else if ((!known && wcm__modules_get()->count > 0) || /* it is in the list */
		 !find_executable_unwind(table, pc))
		return false;
	table->known = known;
	table->held = table->whole;
	return true;
}

bool wcm__modules_find_unloadable_unwind(struct wcm_unwind_table *table, uintptr_t pc,
					 const struct wcm_hold *hold)
{
	struct wcm_module live;

	if (wcm__linked_find_unwind(table, pc, hold))
		return true;
	if (!find_vdso(&live, pc))
		return false;
	*table = live.unwind;
	return true;
}

bool wcm__modules_find_unwind(struct wcm_unwind_table *table, uintptr_t pc,
			      bool *permanent)
{
	*permanent = wcm__modules_find_lasting_unwind(table, pc);
	return *permanent || wcm__modules_find_unloadable_unwind(table, pc, NULL);
}
