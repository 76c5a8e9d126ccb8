/* SPDX-License-Identifier: MIT */
/* modules.h - loaded objects, in frozen snapshots.
 *
 * The ordinary world describes what is loaded and publishes the list; a reader
 * may hold a list, a module or a table for ever, since none is freed or
 * changed once published.
 */
#ifndef WCM_SYMBOLS_MODULES_H
#define WCM_SYMBOLS_MODULES_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_function_table;
struct wcm_hold;

/* The dynamic symbols of an object, where they are mapped.  All of it has been
 * checked to lie inside the object's readable segments. */
struct wcm_dynsym {
	const ElfW(Sym) *symbols;
	const char *strings;
	size_t count, strings_size;
};

/* Where an object's frame descriptions are mapped. */
struct wcm_unwind_table {
	uintptr_t hdr;    /* .eh_frame_hdr, or 0 */
	uintptr_t frames; /* .eh_frame, where there is no .eh_frame_hdr */
	uintptr_t lo, hi; /* the readable segment that holds it */
	bool held;        /* it stays mapped while the table is used: read where it lies */
};

struct wcm_module {
	uintptr_t bias;   /* run-time address less p_vaddr */
	uintptr_t lo, hi; /* what its PT_LOAD segments span */
	uintptr_t text_lo, text_hi; /* its first executable segment */
	const char *path;
	const ElfW(Phdr) *phdr;
	const uint8_t *build_id; /* in the mapped note */
	uint32_t phnum, build_id_size;
	struct wcm_dynsym dynsym;
	struct wcm_unwind_table unwind;
};

/* A module as the snapshot keeps it. */
struct wcm_known_module {
	struct wcm_module map;
	uint64_t fingerprint; /* of what is mapped: tells a successor apart */
	bool permanent;       /* cannot be unloaded */
	uint64_t seen_at;     /* the unloadings, and one, when it was last found there */
	uintptr_t number;     /* no other module has it, or ever had */
	const uint8_t *build_id; /* copied: outlives the mapping */
	uintptr_t table_base; /* run-time address of the table's offset 0 */
	const struct wcm_function_table *table; /* NULL until published */
};

struct wcm_module_list {
	size_t count;
	struct wcm_known_module *const *module; /* ascending by lo */
	const struct wcm_module_list *previous; /* a reader may still hold it */
};

/* What is known of the module that holds an address. */
enum wcm_module_state { WCM_MODULE_UNKNOWN, WCM_MODULE_LOADED, WCM_MODULE_GONE };

/* Describe an object from its program headers; PHDR, BIAS and PATH as
 * dl_iterate_phdr(3) reports them.  False where the headers make no sense. */
bool wcm__module_describe(struct wcm_module *module, uintptr_t bias,
			  const ElfW(Phdr) *phdr, size_t phnum,
			  const char *path);

/* The same for an object that stays mapped meanwhile, read where it lies, in two
 * steps: all but its frame descriptions, then these, for which all of a large
 * object may have to be read. */
bool wcm__module_identify_held(struct wcm_module *module, uintptr_t bias,
			       const ElfW(Phdr) *phdr, size_t phnum,
			       const char *path);
void wcm__module_find_frames_held(struct wcm_module *module);

/* Describe the object whose ELF header is mapped at BASE. */
bool wcm__module_describe_image(struct wcm_module *module, uintptr_t base,
				const char *path);

/* Describe the module that holds ADDRESS, asking the dynamic linker's own
 * records.  False where there is none. */
bool wcm__module_find_live(struct wcm_module *module, uintptr_t address);

/* What the dynamic linker calls NAME; it has no name for the executable. */
const char *wcm__module_path(const char *name);

/* A number that differs between objects which have the same place. */
uint64_t wcm__module_fingerprint(const struct wcm_module *module);

/* The same for one that stays mapped meanwhile. */
uint64_t wcm__module_fingerprint_held(const struct wcm_module *module);

/* The module of the published list that holds ADDRESS, and whether it is still
 * the one that is loaded there; NULL for UNKNOWN. */
struct wcm_known_module *wcm__modules_find(uintptr_t address,
					   enum wcm_module_state *state);

/* The module of the published list that holds ADDRESS and is still loaded, or
 * NULL. */
const struct wcm_known_module *wcm__modules_find_loaded(uintptr_t address);

/* Where the module that holds ADDRESS is at this moment, by the dynamic linker's word
 * alone: quick, its first page is mapped.  False where it has no quick word. */
bool wcm__modules_find_place(uintptr_t address, uintptr_t *lo, uintptr_t *hi);

/* Whether a permanent module has mapped [address, address + size) as code. */
bool wcm__modules_hold_code(uintptr_t address, size_t size);

/* The same for what lies around its .eh_frame_hdr. */
bool wcm__modules_hold_table(uintptr_t address, size_t size);

/* The frame descriptions of the module that holds PC, and whether it can never
 * be unloaded.  False where no module holds PC. */
bool wcm__modules_find_unwind(struct wcm_unwind_table *table, uintptr_t pc,
			      bool *permanent);

/* The two steps of it: where the module can never be unloaded, and where it can.  The
 * table of the latter is held where HOLD is, which is NULL for nothing, and unloading
 * the module would be told. */
bool wcm__modules_find_lasting_unwind(struct wcm_unwind_table *table, uintptr_t pc);
bool wcm__modules_find_guest_unwind(struct wcm_unwind_table *table, uintptr_t pc,
				    const struct wcm_hold *hold);

/* The published list; never NULL. */
const struct wcm_module_list *wcm__modules_get(void);

/* Pass every module that is loaded now to VISIT, which ends the visits by returning
 * false: those of the published list, ascending, then those loaded since.  False
 * where it did. */
typedef bool wcm_module_visitor(const struct wcm_module *module, void *data);
bool wcm__modules_visit(wcm_module_visitor *visit, void *data);

/* Publish LIST and MODULE's TABLE.  Nothing published is freed. */
void wcm__modules_publish(const struct wcm_module_list *list);
void wcm__module_publish_table(struct wcm_known_module *module,
			       const struct wcm_function_table *table);

static inline const struct wcm_function_table *
wcm__module_table(const struct wcm_known_module *module)
{
	return __atomic_load_n(&module->table, __ATOMIC_ACQUIRE);
}

/* From now on the executable, as the dynamic linker's records have it, is called PATH,
 * which stays; before that as it was started. */
void wcm__modules_name_executable(const char *path);

#endif
