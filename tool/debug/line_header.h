/* SPDX-License-Identifier: MIT */
/* line_header.h - reads the header of a line table: its files and its encoding.
 *
 * DWARF 2 to 4, 6.2.4, and DWARF 5, 6.2.4 and 6.2.4.1.  libdw does not give a table's rows
 * as they stand: see debug/line_table.h.
 */
#ifndef WCM_TOOL_LINE_HEADER_H
#define WCM_TOOL_LINE_HEADER_H

#include <elfutils/libdw.h>

#include "debug/location.h"
#include "modules/debug_bytes.h"

struct line_file {
	const char *name;
	uint64_t folder; /* an index */
	char *path;      /* once it was asked for */
	struct source_facts facts;
};

struct line_header {
	struct debug_bytes program, str, line_str;
	unsigned version, offset_size;
	unsigned min_length, max_operations;
	int line_base;
	unsigned line_range, opcode_base;
	const uint8_t *operand_counts; /* of opcode 1 on */
	const char *compile_folder;    /* or NULL */
	const char **folder;
	size_t folder_count, folder_room;
	struct line_file *file;
	size_t file_count, file_room;
};

/* Read the header for the unit whose first entry is UNIT, compiled in FOLDER, or NULL.  Returns
 * false if there is none, or none readable.  Call line_header_free() after false, too. */
bool line_header_read(struct line_header *header, Dwarf_Die *unit, const char *folder);
void line_header_free(struct line_header *header);

/* The path of the file that the table gives the number INDEX, or NULL.  It lives as
 * long as HEADER. */
const char *line_header_path(struct line_header *header, uint64_t index);

/* What else is known of that file. */
struct source_facts line_header_facts(const struct line_header *header, uint64_t index);

#endif
