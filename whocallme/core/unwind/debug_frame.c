/* SPDX-License-Identifier: MIT */
/* debug_frame.c (SAFE) - keeps copies of .debug_frame, sorted, which no module has mapped.
 *
 * Compilers put them there for debuggers where no exception may pass
 * (-fno-asynchronous-unwind-tables), and Go does for all of its functions.  The section is copied
 * from the module's file, with an index in front.  A copy outlives its module and is never freed;
 * it counts for as long as the module that is loaded there has the fingerprint of the one that it
 * was published for.
 */
#include "core/unwind/debug_frame.h"

#include "core/cfi/fde.h"
#include "core/modules/module_origin.h"
#include "core/modules/modules.h"
#include "core/os/auxv.h"
#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/symbols/dlopen_names.h"
#include "core/symbols/symtab_file.h"

enum {
	MOST_BYTES = 1 << 28,        /* of a section */
	MOST_BYTES_OF_REPORT = 1 << 24, /* whose time is bounded */
	LEAST_FDE = 2 * sizeof(uint32_t) + 2 * sizeof(uintptr_t),
};

struct wcm_debug_frame {
	const struct wcm_debug_frame *next;
	uintptr_t lo, hi; /* the module's place */
	uint64_t fingerprint;
	size_t mapped;
	struct wcm_unwind_table table;
	struct wcm_fde_pair pair[];
};

static const struct wcm_debug_frame *published;

/* Pages that are not touched take no memory: there is room for as many pairs as may be. */
struct wcm_debug_frame *wcm__debug_frame_new(uint64_t size, uint8_t **bytes)
{
	struct wcm_debug_frame *frame;
	size_t pairs, mapped;

	if (size > MOST_BYTES)
		return NULL;
	pairs = ((size_t)size / LEAST_FDE + 1) * sizeof(frame->pair[0]);
	mapped = sizeof(*frame) + pairs + (size_t)size;
	frame = wcm__map_sparse(mapped);
	if (!frame)
		return NULL;
	*bytes = (uint8_t *)frame->pair + pairs;
	frame->mapped = mapped;
	frame->table = (struct wcm_unwind_table){
		.frames = (uintptr_t)*bytes, .lo = (uintptr_t)*bytes,
		.hi = (uintptr_t)*bytes + (uintptr_t)size,
		.whole = true, .held = true, .is_debug = true, .index = frame->pair,
	};
	return frame;
}

static void drop(struct wcm_debug_frame *frame)
{
	wcm__unmap(frame, frame->mapped);
}

static bool is_of(const struct wcm_debug_frame *frame, const struct wcm_module *module,
		  uint64_t fingerprint)
{
	return frame->lo == module->lo && frame->hi == module->hi &&
	       frame->fingerprint == fingerprint;
}

static const struct wcm_debug_frame *first(void)
{
	return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

bool wcm__debug_frame_is_known(const struct wcm_module *module)
{
	const struct wcm_debug_frame *frame = first();
	const uint64_t fingerprint = frame ? wcm__module_fingerprint(module) : 0;

	while (frame && !is_of(frame, module, fingerprint))
		frame = frame->next;
	return frame;
}

/* Descriptions of code that a linker has left out are of no code of MODULE's. */
void wcm__debug_frame_publish(struct wcm_debug_frame *frame, const struct wcm_module *module)
{
	struct wcm_fde_list list = { .pair = frame->pair, .entries = SIZE_MAX,
				     .lo = module->lo, .hi = module->hi };

	frame->lo = module->lo;
	frame->hi = module->hi;
	frame->fingerprint = wcm__module_fingerprint(module);
	frame->table.bias = module->bias;
	wcm__fde_list(&list, &frame->table);
	wcm__fde_list_sort(&list);
	frame->table.indexed = list.count;
	if (list.count == 0) {
		drop(frame);
		return;
	}
	frame->next = first();
	while (!__atomic_compare_exchange_n(&published, &frame->next, frame, true,
					    __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		;
}

/* Publish the part of the open file that SECTION is. */
static bool take_section(const struct wcm_symtab_search *search, const ElfW(Shdr) *section)
{
	struct wcm_debug_frame *frame;
	uint8_t *bytes;

	if (section->sh_size > search->file_size ||
	    !(frame = wcm__debug_frame_new(section->sh_size, &bytes)))
		return false;
	if (!wcm__symtab_read(search, section->sh_offset, bytes, section->sh_size)) {
		drop(frame);
		return false;
	}
	wcm__debug_frame_publish(frame, search->module);
	return true;
}

static enum wcm_debug_frame_read read_file(struct wcm_symtab_search *search,
					   const struct wcm_module *module)
{
	enum wcm_debug_frame_read result = WCM_DEBUG_FRAME_NONE;
	ElfW(Shdr) section;

	if (!wcm__symtab_open_section(search, module, SHT_PROGBITS, ".debug_frame", &section))
		return search->only_executable &&
				       wcm__symtab_find_section(search, module, SHT_PROGBITS,
								".gnu_debuglink", &section)
			       ? WCM_DEBUG_FRAME_LINKED
			       : WCM_DEBUG_FRAME_NONE;
	if (section.sh_flags & SHF_COMPRESSED)
		result = WCM_DEBUG_FRAME_PACKED;
	else if (search->only_executable && section.sh_size > MOST_BYTES_OF_REPORT)
		result = WCM_DEBUG_FRAME_LARGE;
	else if (take_section(search, &section))
		result = WCM_DEBUG_FRAME_READ;
	wcm__close(search->fd);
	return result;
}

/* Signals are blocked: a handler that jumps away would leave the file open. */
enum wcm_debug_frame_read wcm__debug_frame_read(const struct wcm_module *module, bool for_report)
{
	const uint64_t mask = wcm__mask_add(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	struct wcm_symtab_search *search = wcm__map_sparse(sizeof(*search));
	enum wcm_debug_frame_read result = WCM_DEBUG_FRAME_NONE;

	if (search) {
		search->only_executable = for_report;
		result = read_file(search, module);
		wcm__unmap(search, sizeof(*search));
	}
	wcm__mask_set(mask);
	return result;
}

/* Whether MODULE has been looked at before, FOR_REPORT or not, which reads less; it is from now
 * on, whatever comes of it.  Where there are more than are remembered, some are looked at again. */
static bool is_seen(const struct wcm_module *module, bool for_report)
{
	enum { SEEN = 16 };
	static uint64_t seen[2][SEEN];
	static unsigned next;
	/* Another file may come to the same place. */
	const uint64_t key = module->lo ^ wcm__module_fingerprint(module);
	uint64_t *mine = seen[for_report];

	for (unsigned i = 0; i < SEEN; i++)
		if (__atomic_load_n(&mine[i], __ATOMIC_RELAXED) == key)
			return true;
	__atomic_store_n(&mine[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % SEEN], key,
			 __ATOMIC_RELAXED);
	return false;
}

static bool has_table(uintptr_t pc)
{
	const struct wcm_known_module *known = wcm__modules_find_loaded(pc);

	return known && wcm__module_table(known);
}

static bool is_executable(const struct wcm_module *module)
{
	return (uintptr_t)module->phdr == wcm__auxv(AT_PHDR);
}

/* What came of reading the executable's. */
static enum wcm_debug_frame_read of_executable;

bool wcm__debug_frame_read_at(uintptr_t pc, bool for_report)
{
	enum wcm_debug_frame_read result;
	struct wcm_module module;

	if ((for_report && !wcm__dlopen_names_are_for_report()) || has_table(pc) ||
	    !wcm__module_find_mapped(&module, pc) ||
	    (for_report && !is_executable(&module)) || is_seen(&module, for_report) ||
	    wcm__debug_frame_is_known(&module))
		return false;
	module.path = wcm__module_whole_path(&module);
	result = wcm__debug_frame_read(&module, for_report);
	/* For a report alone it is found out why there is none. */
	if (is_executable(&module) && (for_report || result != WCM_DEBUG_FRAME_NONE))
		__atomic_store_n(&of_executable, result, __ATOMIC_RELAXED);
	return result == WCM_DEBUG_FRAME_READ;
}

const char *wcm__debug_frame_unread(uintptr_t pc)
{
	static const char *const facts[] = {
		[WCM_DEBUG_FRAME_PACKED] = "the .debug_frame of its file is compressed; "
					   "init_function_table() reads it",
		[WCM_DEBUG_FRAME_LARGE] = "the .debug_frame of its file is of more than 16 MiB; "
					  "init_function_table() reads it",
		[WCM_DEBUG_FRAME_LINKED] = "its file has no .debug_frame, but the name of a debug "
					   "file, which init_function_table() reads",
		[WCM_DEBUG_FRAME_READ] = NULL,
	};
	const char *fact = facts[__atomic_load_n(&of_executable, __ATOMIC_RELAXED)];
	struct wcm_module module;

	return fact && !has_table(pc) && wcm__module_find_mapped(&module, pc) &&
			       is_executable(&module)
		       ? fact
		       : NULL;
}

/* Whether the module that FRAME is of is at PC.  One that no list has yet is looked up anew. */
static bool is_loaded(const struct wcm_debug_frame *frame, uintptr_t pc, bool *permanent)
{
	const struct wcm_known_module *known = wcm__modules_find_loaded(pc);
	struct wcm_module live;

	*permanent = known && known->permanent;
	if (known)
		return is_of(frame, &known->map, known->fingerprint);
	return wcm__module_find_mapped(&live, pc) &&
	       is_of(frame, &live, wcm__module_fingerprint(&live));
}

bool wcm__debug_frame_find(struct wcm_unwind_table *table, uintptr_t pc, bool *permanent)
{
	for (const struct wcm_debug_frame *frame = first(); frame; frame = frame->next)
		if (pc >= frame->lo && pc < frame->hi && is_loaded(frame, pc, permanent)) {
			*table = frame->table;
			return true;
		}
	return false;
}
