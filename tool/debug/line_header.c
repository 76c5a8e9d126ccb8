/* SPDX-License-Identifier: MIT */
/* line_header.c - reads the header of a line table: its files and its encoding. */
#include "debug/line_header.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static bool add_folder(struct line_header *header, const char *name)
{
	const char **grown = grow(header->folder, header->folder_count,
				  &header->folder_room, sizeof(*grown));

	if (!grown)
		return false;
	header->folder = grown;
	header->folder[header->folder_count++] = name;
	return true;
}

static bool add_file(struct line_header *header, const char *name,
		     uint64_t folder, const struct source_facts *facts)
{
	struct line_file *grown = grow(header->file, header->file_count,
				       &header->file_room, sizeof(*grown));

	if (!grown)
		return false;
	header->file = grown;
	header->file[header->file_count++] =
		(struct line_file){ .name = name, .folder = folder, .facts = *facts };
	return true;
}

/* Before DWARF 5 folder 0 is the compiler's, and files are counted from 1. */
static bool read_old_tables(struct line_header *header,
			    struct debug_bytes *bytes)
{
	static const struct source_facts none;
	const char *name;

	if (!add_folder(header, header->compile_folder) ||
	    !add_file(header, NULL, 0, &none))
		return false;
	while ((name = debug_text(bytes)) && *name) {
		if (!add_folder(header, name))
			return false;
	}
	while ((name = debug_text(bytes)) && *name) {
		uint64_t folder = debug_uleb(bytes);

		debug_uleb(bytes); /* when it was changed */
		debug_uleb(bytes); /* its length */
		if (!add_file(header, name, folder, &none))
			return false;
	}
	return true;
}

/* What is longer than a path may be is none: each file could name all of SECTION. */
static const char *text_at(struct debug_bytes section, uint64_t offset)
{
	enum { LONGEST = 4096 };

	if (!debug_skip(&section, offset))
		return NULL;
	if (debug_left(&section) > LONGEST)
		section.end = section.at + LONGEST;
	return debug_text(&section);
}

/* A value of an entry: as a name, as a text of at most SIZE bytes, as a number, or as a sum. */
struct entry_value {
	const char *text, *embedded;
	size_t size;
	uint64_t number;
	const uint8_t *sum;
};

static void set_text(struct entry_value *value, struct debug_bytes section, uint64_t offset)
{
	value->text = text_at(section, offset);
	if (debug_skip(&section, offset)) {
		value->embedded = (const char *)section.at;
		value->size = debug_left(&section);
	}
}

static bool read_value(const struct line_header *header, uint64_t form,
		       struct debug_bytes *bytes, struct entry_value *value)
{
	memset(value, 0, sizeof(*value));
	switch (form) {
	case DW_FORM_string:
		value->embedded = (const char *)bytes->at;
		value->text = debug_text(bytes);
		value->size = (size_t)(bytes->at - (const uint8_t *)value->embedded);
		return value->text != NULL;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		set_text(value, form == DW_FORM_strp ? header->str : header->line_str,
			 debug_fixed(bytes, header->offset_size));
		return true;
	case DW_FORM_udata:
		value->number = debug_uleb(bytes);
		return true;
	case DW_FORM_data1:
		value->number = debug_fixed(bytes, 1);
		return true;
	case DW_FORM_data2:
		value->number = debug_fixed(bytes, 2);
		return true;
	case DW_FORM_data4:
		value->number = debug_fixed(bytes, 4);
		return true;
	case DW_FORM_data8:
		value->number = debug_fixed(bytes, 8);
		return true;
	case DW_FORM_data16:
		value->sum = bytes->at;
		return debug_skip(bytes, 16);
	case DW_FORM_block:
		return debug_skip(bytes, debug_uleb(bytes));
	default:
		return false;
	}
}

/* What a file's entry says by VALUE of the KIND. */
static void take_fact(struct source_facts *facts, uint64_t kind, const struct entry_value *value)
{
	enum { LLVM_SOURCE = 0x2001 }; /* DW_LNCT_LLVM_source */

	if (kind == DW_LNCT_MD5) {
		facts->md5 = value->sum;
	} else if (kind == LLVM_SOURCE && value->size > 0 && value->embedded[0]) {
		facts->embedded = value->embedded; /* an empty one is none */
		facts->size = value->size;
	}
}

/* A table of folders or of files: its format, pairs of kind and form, then so many
 * entries. */
static bool read_new_table(struct line_header *header, struct debug_bytes *bytes,
			   bool files)
{
	struct debug_bytes format = *bytes, pairs;
	uint64_t kinds = debug_fixed(bytes, 1), count;

	for (uint64_t i = 0; i < 2 * kinds; i++)
		debug_uleb(bytes);
	count = debug_uleb(bytes);
	/* An entry without a byte could be repeated for ever. */
	for (uint64_t i = 0; i < count && debug_left(bytes) > 0; i++) {
		struct source_facts facts = { NULL, NULL, 0 };
		const char *name = NULL;
		uint64_t folder = 0;

		pairs = format;
		debug_fixed(&pairs, 1);
		for (uint64_t k = 0; k < kinds; k++) {
			uint64_t kind = debug_uleb(&pairs);
			uint64_t form = debug_uleb(&pairs);
			struct entry_value value;

			if (!read_value(header, form, bytes, &value))
				return false;
			if (kind == DW_LNCT_path)
				name = value.text;
			else if (kind == DW_LNCT_directory_index)
				folder = value.number;
			else
				take_fact(&facts, kind, &value);
		}
		if (kinds == 0 || !(files ? add_file(header, name, folder, &facts) :
					    add_folder(header, name)))
			return false;
	}
	return true;
}

/* The bytes of the table at the start of BYTES, behind its length. */
static bool bound_table(struct line_header *header, struct debug_bytes *bytes)
{
	uint64_t length = debug_fixed(bytes, 4);

	header->offset_size = 4;
	if (length == UINT32_MAX) {
		header->offset_size = 8;
		length = debug_fixed(bytes, 8);
	}
	if (length > debug_left(bytes))
		return false;
	bytes->end = bytes->at + length;
	return true;
}

static bool read_header(struct line_header *header, struct debug_bytes bytes)
{
	uint64_t length;

	if (!bound_table(header, &bytes))
		return false;
	header->version = (unsigned)debug_fixed(&bytes, 2);
	if (header->version < 2 || header->version > 5)
		return false;
	if (header->version == 5)
		debug_fixed(&bytes, 2); /* sizes of addresses and segments */
	length = debug_fixed(&bytes, header->offset_size);
	header->program = bytes;
	if (!debug_skip(&header->program, length))
		return false;
	header->min_length = (unsigned)debug_fixed(&bytes, 1);
	header->max_operations =
		header->version >= 4 ? (unsigned)debug_fixed(&bytes, 1) : 1;
	debug_fixed(&bytes, 1); /* default_is_stmt */
	header->line_base = (int8_t)debug_fixed(&bytes, 1);
	header->line_range = (unsigned)debug_fixed(&bytes, 1);
	header->opcode_base = (unsigned)debug_fixed(&bytes, 1);
	header->operand_counts = bytes.at;
	if (header->line_range == 0 || header->opcode_base == 0 ||
	    !debug_skip(&bytes, header->opcode_base - 1))
		return false;
	if (header->version < 5)
		return read_old_tables(header, &bytes);
	return read_new_table(header, &bytes, false) &&
	       read_new_table(header, &bytes, true);
}

bool line_header_read(struct line_header *header, Dwarf_Die *unit, const char *folder)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
	struct debug_bytes bytes;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	memset(header, 0, sizeof(*header));
	if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute),
			    &offset) != 0)
		return false;
	header->compile_folder = folder;
	header->str = debug_section(dwarf, "str");
	header->line_str = debug_section(dwarf, "line_str");
	bytes = debug_section(dwarf, "line");
	return debug_skip(&bytes, offset) &&
	       read_header(header, bytes);
}

void line_header_free(struct line_header *header)
{
	for (size_t i = 0; i < header->file_count; i++)
		free(header->file[i].path);
	free(header->file);
	free(header->folder);
	memset(header, 0, sizeof(*header));
}

static const char *folder_of(const struct line_header *header, uint64_t index)
{
	return index < header->folder_count ? header->folder[index] : NULL;
}

/* BASE/FOLDER/NAME, less the parts before one that is absolute.  BASE and FOLDER may
 * be NULL. */
static char *join(const char *base, const char *folder, const char *name)
{
	char *path;

	if (*name == '/' || !folder)
		return strdup(name);
	if (*folder == '/' || !base || base == folder)
		base = NULL;
	if (asprintf(&path, "%s%s%s/%s", base ? base : "", base ? "/" : "",
		     folder, name) < 0)
		return NULL;
	return path;
}

const char *line_header_path(struct line_header *header, uint64_t index)
{
	struct line_file *file;

	if (index >= header->file_count || !header->file[index].name)
		return NULL;
	file = &header->file[index];
	/* Folder 0 is the compiler's in each version. */
	if (!file->path)
		file->path = join(folder_of(header, 0),
				  folder_of(header, file->folder), file->name);
	return file->path;
}

struct source_facts line_header_facts(const struct line_header *header, uint64_t index)
{
	static const struct source_facts none;

	return index < header->file_count ? header->file[index].facts : none;
}
