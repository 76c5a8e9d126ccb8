/* SPDX-License-Identifier: MIT */
/* load.c - builds the function tables of the running program.
 *
 * A table is built once for each module, only from the file that is mapped, and
 * published when it is complete.
 */
#include "load/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/modules/modules.h"
#include "core/os/read.h"
#include "core/report/line.h"
#include "core/unwind/debug_frame.h"
#include "load/data_symbols.h"
#include "load/debug_frames.h"
#include "load/loaded.h"
#include "load/lock.h"
#include "load/objects/build_table.h"
#include "load/objects/debug_file.h"
#include "load/objects/mapped_file.h"
#include "load/objects/own_symbols.h"
#include "whocallme/symbol.h"

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
		wcm__load_debug_frames(&file, &module->known.map);
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
	wcm__load_debug_frames(&file, map);
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

enum wcm_status wcm__load_at(uintptr_t address)
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
		wcm__load_at(address);
	status = wcm_symbol_peek(address, symbol);
	if (status == WCM_ENOSYMS && !(symbol->flags & WCM_SYMBOL_UNLOADED) &&
	    wcm__data_symbol_find(address, symbol, open_debug_file))
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
