/* SPDX-License-Identifier: MIT */
/* debug_frames.c - has .debug_frame describe the frames that .eh_frame does not.
 *
 * The file is open for its functions.  A file without the section may have been stripped of it,
 * but not of its functions: its debug file is opened for frames alone where some functions of it
 * have no description, so that all others are loaded as quickly as before.  One that was searched
 * for its functions in vain is not searched again.
 */
#include "load/debug_frames.h"

#include <stdlib.h>
#include <string.h>

#include "core/cfi/fde.h"
#include "core/modules/modules.h"
#include "core/unwind/debug_frame.h"
#include "whocallme/symbol.h"

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

void wcm__load_debug_frames(struct wcm_file_symbols *file, const struct wcm_module *module)
{
	if (!wcm__debug_frame_is_known(module) && !take_section(file->objfile, module) &&
	    !take_section(file->debug, module) && !file->debug && file->raw.is_whole &&
	    !wcm__objfile_has_section(file->objfile, ".debug_info") &&
	    lacks_descriptions(file, module) && wcm__file_symbols_open_debug(file))
		take_section(file->debug, module);
}
