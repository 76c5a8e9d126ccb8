/* SPDX-License-Identifier: MIT */
/* load.c - builds the function tables of the running program.
 *
 * A table is built once for each module, only from the file that is mapped, and
 * published when it is complete.
 */
#include "load/load.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cfi/fde.h"
#include "core/modules/module.h"
#include "core/modules/modules.h"
#include "core/os/read.h"
#include "format/line.h"
#include "core/symbols/symtab.h"
#include "core/unwind/debug_frame.h"
#include "load/loaded.h"
#include "load/lock.h"
#include "load/objects/build_table.h"
#include "load/objects/debug_file.h"
#include "load/objects/mapped_file.h"
#include "load/objects/raw_symbols.h"
#include "whocallme/symbol.h"

struct wcm_file_symbols;

/* Opens the debug file of the module of ADDRESS as FILE's, which is finished in any case.
 * False: it has none. */
typedef bool wcm_debug_opener(struct wcm_file_symbols *file, uintptr_t address);

/* Names the variable that holds an address.
 *
 * Nothing is loaded for it: variables are asked for rarely, so that each look-up goes through
 * the .symtab of the module's own file or its debug file, or else its mapped .dynsym. */

struct kept {
	struct kept *next;
	char name[];
};

static size_t bucket_of(const char *name)
{
	return (size_t)wcm__module_hash(WCM_MODULE_HASH, name, strlen(name));
}

/* A copy of NAME for good, one of each name; NULL: out of memory. */
static const char *keep(const char *name)
{
	enum { BUCKETS = 256 };
	static struct kept *bucket[BUCKETS];
	struct kept **first = &bucket[bucket_of(name) % BUCKETS], *kept;
	const size_t size = strlen(name) + 1;

	for (kept = *first; kept; kept = kept->next)
		if (strcmp(kept->name, name) == 0)
			return kept->name;
	kept = malloc(sizeof(*kept) + size);
	if (!kept)
		return NULL;
	memcpy(kept->name, name, size);
	kept->next = *first;
	*first = kept;
	return kept->name;
}

static bool take(struct wcm_symbol *symbol, const struct wcm_module *module, const char *name,
		 uint64_t value, uint64_t size)
{
	symbol->name = name;
	symbol->address = module->bias + (uintptr_t)value;
	symbol->size = size;
	symbol->offset = symbol->module_offset - value;
	symbol->flags |= WCM_SYMBOL_DATA;
	return name != NULL;
}

static bool find_in_file(struct wcm_symbol *symbol, const struct wcm_module *module)
{
	static struct wcm_symtab_search search;

	return wcm__symtab_find_data(&search, module, symbol->module_offset) &&
	       take(symbol, module, keep(search.name), search.value, search.size);
}

/* The file was looked for when functions were loaded. */
static bool find_in_debug_file(struct wcm_symbol *symbol, const struct wcm_module *module,
			       uintptr_t address, wcm_debug_opener *open)
{
	static struct wcm_symtab_search search;
	struct wcm_file_symbols file;
	const bool found = open(&file, address) &&
			   wcm__symtab_find_data_in(&search, module, symbol->module_offset,
						    wcm__objfile_fd(file.debug)) &&
			   take(symbol, module, keep(search.name), search.value, search.size);

	wcm__file_symbols_fini(&file);
	return found;
}

static bool find_in_dynsym(struct wcm_symbol *symbol, const struct wcm_module *module)
{
	struct wcm_dynsym_function data;

	if (!wcm__dynsym_find_data(&module->dynsym, symbol->module_offset, &data) ||
	    !take(symbol, module, data.name, data.value, data.size))
		return false;
	symbol->flags |= WCM_SYMBOL_DYNSYM;
	return true;
}

/* Find the variable of a loaded module that holds ADDRESS, where no function does.  OPEN is for
 * the module's debug file, under wcm__lock().  SYMBOL's name lives as long as the process.
 * False: none is known. */
static bool data_symbol_find(uintptr_t address, struct wcm_symbol *symbol, wcm_debug_opener *open)
{
	struct wcm_module module;
	bool found = false;

	wcm__lock();
	if (wcm__module_find_live(&module, address) &&
	    symbol->module_offset == address - module.bias)
		found = find_in_file(symbol, &module) ||
			find_in_debug_file(symbol, &module, address, open) ||
			find_in_dynsym(symbol, &module);
	wcm__unlock();
	return found;
}

/* Has .debug_frame describe the frames that .eh_frame does not.
 *
 * The file is open for its functions.  A file without the section may have been stripped of it,
 * but not of its functions: its debug file is opened for frames alone where some functions of it
 * have no description, so that all others are loaded as quickly as before.  One that was searched
 * for its functions in vain is not searched again. */

static bool is_described(uintptr_t pc)
{
	struct wcm_unwind_table table;
	struct wcm_fde fde;
	bool permanent;

	return wcm__modules_find_unwind(&table, pc, &permanent) &&
	       wcm__fde_find(&fde, &table, pc);
}

/* Whether functions lack a description: a few are looked at, from the first to the last. */
static bool lacks_descriptions(const struct wcm_file_symbols *file, const struct wcm_module *module)
{
	enum { WITNESSES = 16 };
	const struct wcm_raw_symbols *raw = &file->raw;
	const uintptr_t base = module->bias + wcm__objfile_layout(file->objfile)->base;

	for (size_t i = 0; i < WITNESSES && i < raw->count; i++) {
		const struct wcm_raw_symbol *symbol =
			&raw->symbol[(uint64_t)raw->count * i / WITNESSES];
		const uintptr_t pc = base + symbol->offset;

		if (!(symbol->flags & WCM_SYMBOL_PLT) && pc >= module->text_lo &&
		    pc < module->text_hi && !is_described(pc))
			return true;
	}
	return false;
}

static bool take_section(struct wcm_objfile *objfile, const struct wcm_module *module)
{
	struct wcm_debug_frame *frame;
	struct wcm_bytes section;
	uint8_t *bytes;

	if (!objfile || wcm__objfile_section(objfile, ".debug_frame", &section) != WCM_OK)
		return false;
	frame = wcm__debug_frame_new(section.size, &bytes);
	if (frame) {
		memcpy(bytes, section.data, section.size);
		wcm__debug_frame_publish(frame, module);
	}
	free(section.data);
	return frame;
}

/* Publish the section of MODULE, which is loaded: that of FILE, or of its debug file, or of one
 * that is searched for where functions lack frame descriptions. */
static void load_debug_frames(struct wcm_file_symbols *file, const struct wcm_module *module)
{
	if (!wcm__debug_frame_is_known(module) && !take_section(file->objfile, module) &&
	    !take_section(file->debug, module) && !file->debug && file->raw.is_whole &&
	    !wcm__objfile_has_section(file->objfile, ".debug_info") &&
	    lacks_descriptions(file, module) && wcm__file_symbols_open_debug(file))
		take_section(file->debug, module);
}

static bool has_mapped_build_id(const struct wcm_objfile *objfile,
				const struct wcm_module *module)
{
	enum { LONGEST = 64 };
	uint8_t mapped[LONGEST];
	size_t size;
	const uint8_t *id = wcm__objfile_build_id(objfile, &size);

	return size == module->build_id_size && size <= LONGEST &&
	       (size == 0 || (wcm__read_memory((uintptr_t)module->build_id,
					       mapped, size) &&
			      memcmp(id, mapped, size) == 0));
}

/* Open the file that MODULE was mapped from; a file that has taken its place on
 * disk is WCM_ESTALE. */
static enum wcm_status open_mapped(struct wcm_objfile **objfile,
				   const struct wcm_module *module, int fd)
{
	enum wcm_status status;

	if (fd == -1)
		return WCM_EOPEN;
	if (!wcm__is_mapped_file(fd, module)) {
		close(fd);
		return WCM_ESTALE;
	}
	status = wcm__objfile_open(objfile, module->path, fd);
	if (status == WCM_OK && !has_mapped_build_id(*objfile, module)) {
		wcm__objfile_close(*objfile);
		return WCM_ESTALE;
	}
	return status;
}

static bool has_own_functions(const struct wcm_raw_symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (!(symbols->symbol[i].flags & WCM_SYMBOL_PLT))
			return true;
	return false;
}

static enum wcm_status publish(struct wcm_loaded_module *module,
			       struct wcm_file_symbols *file)
{
	struct wcm_function_table *table = wcm__build_table(&file->raw);

	if (!table)
		return WCM_ENOMEM;
	module->known.table_base = module->known.map.bias +
				   wcm__objfile_layout(file->objfile)->base;
	free(module->source);
	module->source = file->source;
	module->debug_status = file->debug_status;
	file->source = NULL;
	wcm__module_publish_table(&module->known, table);
	return has_own_functions(&file->raw) ? WCM_OK : WCM_ENOSYMS;
}

static enum wcm_status load_functions(struct wcm_loaded_module *module, int fd)
{
	struct wcm_file_symbols file;
	struct wcm_objfile *objfile;
	enum wcm_status status = open_mapped(&objfile, &module->known.map, fd);

	if (status != WCM_OK)
		return status;
	status = wcm__file_symbols_init(&file, objfile, module->known.map.path);
	if (status == WCM_OK || status == WCM_ENOSYMS)
		load_debug_frames(&file, &module->known.map);
	if (status == WCM_OK)
		status = publish(module, &file);
	wcm__file_symbols_fini(&file);
	return status;
}

/* The executable: by the kernel's own reference, then by what the kernel and
 * ARGV0 call it, for a machine without /proc and for one that was started by
 * naming the dynamic linker. */
static enum wcm_status load_executable(struct wcm_loaded_module *module,
				       const char *argv0)
{
	const char *names[] = { "/proc/self/exe", module->known.map.path,
				argv0 };
	enum wcm_status status = WCM_EOPEN;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) &&
			   (status == WCM_EOPEN || status == WCM_ESTALE);
	     i++) {
		int fd = wcm__open_file(names[i]);

		if (fd != -1)
			status = load_functions(module, fd);
	}
	return status;
}

/* What ran out of memory may be tried again. */
static bool is_untried(const struct wcm_loaded_module *module)
{
	enum wcm_status status = wcm__loaded_status(module);

	return status == WCM_UNTRIED || status == WCM_ENOMEM;
}

/* Load what has not been tried yet; the vdso has no file to load.  What another thread
 * has unloaded meanwhile may come back to its place. */
static void load_once(struct wcm_loaded_module *module, const char *argv0)
{
	enum wcm_status status;

	if (module->kind == WCM_VDSO || !is_untried(module))
		return;
	if (module->kind == WCM_EXECUTABLE)
		status = load_executable(module, argv0);
	else
		status = load_functions(module,
					wcm__open_file(module->known.map.path));
	if (status != WCM_OK && !wcm__module_is_loaded(&module->known))
		status = WCM_UNTRIED;
	__atomic_store_n(&module->status, status, __ATOMIC_RELEASE);
}

enum wcm_status wcm__load_all(const char *argv0)
{
	enum wcm_status status;

	wcm__lock();
	status = wcm__loaded_refresh();
	if (status == WCM_OK) {
		struct wcm_loaded_module *module;

		status = WCM_ENOMODULE;
		for (size_t i = 0; (module = wcm__loaded_get(i)); i++) {
			load_once(module, argv0);
			if (module->kind == WCM_EXECUTABLE)
				status = module->status;
		}
	}
	wcm__unlock();
	return status;
}

/* The section of MODULE's own file, where what is compressed is left to BFD. */
static void load_own_frames(struct wcm_loaded_module *module)
{
	const struct wcm_module *map = &module->known.map;
	struct wcm_file_symbols file = { .source = NULL };

	if (wcm__debug_frame_is_known(map) ||
	    wcm__debug_frame_read(map, false) != WCM_DEBUG_FRAME_PACKED ||
	    open_mapped(&file.objfile, map, wcm__open_file(map->path)) != WCM_OK)
		return;
	load_debug_frames(&file, map);
	wcm__objfile_close(file.objfile);
}

/* Publish a table of MODULE's .symtab.  It is no load: that gives it a table with its PLT
 * stubs as well. */
static bool load_own(struct wcm_loaded_module *module)
{
	struct wcm_own_symbols symbols;
	struct wcm_function_table *table = NULL;

	if (wcm__own_symbols_read(&symbols, &module->known.map,
				  module->kind == WCM_EXECUTABLE) &&
	    (module->source = strdup(module->known.map.path)) &&
	    wcm__sort_symbols(&symbols.raw))
		table = wcm__build_table(&symbols.raw);
	if (table) {
		module->known.table_base = module->known.map.bias + symbols.layout.base;
		wcm__module_publish_table(&module->known, table);
		if (symbols.has_debug_frame)
			load_own_frames(module);
	}
	wcm__own_symbols_free(&symbols);
	return table;
}

enum wcm_status wcm__load_some(bool (*is_wanted)(struct wcm_known_module *module))
{
	struct wcm_loaded_module *module;
	enum wcm_status status;

	wcm__lock();
	status = wcm__loaded_refresh();
	for (size_t i = 0; status == WCM_OK && (module = wcm__loaded_get(i)); i++)
		if (!wcm__module_table(&module->known) && module->kind != WCM_VDSO &&
		    wcm__module_is_loaded(&module->known) &&
		    (module->kind == WCM_EXECUTABLE || is_wanted(&module->known)) &&
		    !load_own(module))
			load_once(module, NULL);
	wcm__unlock();
	return status;
}

/* Take in the module that holds ADDRESS, and its functions. */
static enum wcm_status load_at(uintptr_t address)
{
	enum wcm_module_state state;
	struct wcm_known_module *known = wcm__modules_find(address, &state);
	enum wcm_status status = WCM_OK;

	wcm__lock();
	if (!known || state == WCM_MODULE_GONE) {
		status = wcm__loaded_refresh();
		known = wcm__modules_find(address, &state);
	}
	if (known && state == WCM_MODULE_LOADED)
		load_once(wcm__loaded_module(known), NULL);
	wcm__unlock();
	return status;
}

bool wcm__load_is_stale(uintptr_t address)
{
	enum wcm_module_state state;
	struct wcm_known_module *known;
	struct wcm_objfile *objfile = NULL;
	enum wcm_status status = WCM_OK;

	wcm__lock();
	if (wcm__loaded_refresh() == WCM_OK &&
	    (known = wcm__modules_find(address, &state)) && state == WCM_MODULE_LOADED)
		status = open_mapped(&objfile, &known->map, wcm__open_file(known->map.path));
	if (status == WCM_OK)
		wcm__objfile_close(objfile);
	wcm__unlock();
	return status == WCM_ESTALE;
}

/* Whether an ordinary look-up would do better after loading. */
static bool is_worth_loading(uintptr_t address)
{
	enum wcm_module_state state;
	struct wcm_known_module *known = wcm__modules_find(address, &state);

	if (known && state == WCM_MODULE_LOADED)
		return is_untried(wcm__loaded_module(known)) &&
		       wcm__loaded_module(known)->kind != WCM_VDSO;
	return true;
}

/* The debug file that the functions of the module of ADDRESS came from. */
static bool open_debug_file(struct wcm_file_symbols *file, uintptr_t address)
{
	enum wcm_module_state state;
	struct wcm_known_module *known = wcm__modules_find(address, &state);
	const struct wcm_module *map = known ? &known->map : NULL;

	*file = (struct wcm_file_symbols){ .source = map ? strdup(map->path) : NULL };
	return file->source && state == WCM_MODULE_LOADED && wcm__module_table(known) &&
	       strcmp(wcm__loaded_module(known)->source, map->path) != 0 &&
	       open_mapped(&file->objfile, map, wcm__open_file(map->path)) == WCM_OK &&
	       wcm__file_symbols_open_debug(file);
}

enum wcm_status wcm_symbol_find(uintptr_t address, struct wcm_symbol *symbol)
{
	struct wcm_module live;
	enum wcm_status status;

	if (is_worth_loading(address) && wcm__module_find_live(&live, address))
		load_at(address);
	status = wcm_symbol_peek(address, symbol);
	if (status == WCM_ENOSYMS && !(symbol->flags & WCM_SYMBOL_UNLOADED) &&
	    data_symbol_find(address, symbol, open_debug_file))
		status = WCM_OK;
	return status;
}

static void describe_load(struct wcm_line *line,
			  const struct wcm_loaded_module *module)
{
	const struct wcm_function_table *table =
		wcm__module_table(&module->known);

	if (table) {
		wcm__line_decimal(line, table->count);
		wcm__line_text(line, " functions from ");
		wcm__line_name(line, module->source);
	} else if (module->kind == WCM_VDSO) {
		wcm__line_text(line, "named from what is mapped");
	} else if (module->status == WCM_UNTRIED) {
		wcm__line_text(line, "not loaded yet");
	} else {
		wcm__line_text(line, wcm_status_text(module->status));
	}
	if (module->debug_status != WCM_OK) {
		wcm__line_text(line, "; its debug file: ");
		wcm__line_text(line, wcm_status_text(module->debug_status));
	}
}

static bool write_module(int fd, const struct wcm_loaded_module *module)
{
	enum { ADDRESS_DIGITS = 2 * sizeof(uintptr_t) };
	struct wcm_line line;

	wcm__line_init(&line, fd);
	wcm__line_hex(&line, module->known.map.lo, ADDRESS_DIGITS);
	wcm__line_text(&line, " ");
	wcm__line_name(&line, module->known.map.path);
	wcm__line_text(&line, " [");
	wcm__line_bytes(&line, module->known.build_id,
			module->known.map.build_id_size);
	wcm__line_text(&line, "] ");
	describe_load(&line, module);
	wcm__line_text(&line, "\n");
	return wcm__line_write(&line);
}

enum wcm_status wcm_modules_write(int fd)
{
	enum wcm_status status = WCM_OK;
	struct wcm_loaded_module *module;

	wcm__lock();
	for (size_t i = 0; (module = wcm__loaded_get(i)); i++)
		if (status == WCM_OK && !write_module(fd, module))
			status = WCM_ESYSTEM;
	wcm__unlock();
	return status;
}
