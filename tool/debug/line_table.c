/* SPDX-License-Identifier: MIT */
/* line_table.c - finds the source line of an address.
 *
 * A table is a program that writes rows (DWARF 5, 6.2), in sequences, each of which
 * is of one piece of code.  A row holds until the next one of its sequence; of
 * several at one address the last does.
 */
#include "debug/binary.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
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

/* Reads the header of a line table: its files and its encoding (DWARF 2 to 4, 6.2.4; DWARF 5, 6.2.4
 * and 6.2.4.1). */

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

/* Read the header for the unit whose first entry is UNIT, compiled in FOLDER, or NULL.  Returns
 * false if there is none, or none readable.  Call line_header_free() after false, too. */
static bool line_header_read(struct line_header *header, Dwarf_Die *unit, const char *folder)
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

static void line_header_free(struct line_header *header)
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

/* The path of the file that the table gives the number INDEX, or NULL.  It lives as
 * long as HEADER. */
static const char *line_header_path(struct line_header *header, uint64_t index)
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

/* What else is known of that file. */
static struct source_facts line_header_facts(const struct line_header *header, uint64_t index)
{
	static const struct source_facts none;

	return index < header->file_count ? header->file[index].facts : none;
}

struct row {
	uint64_t address;
	uint32_t line, file, column, order;
};

struct sequence {
	size_t first, count; /* rows */
};

struct line_table {
	struct line_header header;
	struct row *row;
	size_t count, room;
	size_t *rows_left;
	struct sequence *sequence;
	size_t sequence_count, sequence_room;
	struct spans spans; /* of sequences, by their index */
};

/* The registers of the machine that runs the program. */
struct machine {
	uint64_t address, line, file, column;
	unsigned operation;
	size_t first; /* row of this sequence */
	bool unsorted;
};

static void reset(struct machine *machine, size_t first)
{
	*machine = (struct machine){ .line = 1, .file = 1, .first = first };
}

static bool add_row(struct line_table *table, struct machine *machine)
{
	/* More than a program has, less than memory. */
	enum { MOST = 1 << 23 };
	struct row *grown = table->count < MOST && *table->rows_left > 0 ?
				    grow(table->row, table->count, &table->room,
					 sizeof(*grown)) :
				    NULL;

	if (!grown)
		return false;
	--*table->rows_left;
	table->row = grown;
	if (table->count > machine->first &&
	    table->row[table->count - 1].address > machine->address)
		machine->unsorted = true;
	table->row[table->count] = (struct row){
		.address = machine->address,
		.line = (uint32_t)machine->line,
		.file = (uint32_t)machine->file,
		.column = (uint32_t)machine->column,
		.order = (uint32_t)table->count,
	};
	table->count++;
	return true;
}

static int by_address(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool add_sequence(struct line_table *table,
			 const struct sequence *sequence)
{
	struct sequence *grown = grow(table->sequence, table->sequence_count,
				      &table->sequence_room, sizeof(*grown));

	if (!grown)
		return false;
	table->sequence = grown;
	table->sequence[table->sequence_count++] = *sequence;
	return true;
}

/* The machine's address is behind the last row.  What is not code is forgotten. */
static bool end_sequence(struct line_table *table, const struct spans *text,
			 struct machine *machine)
{
	struct sequence sequence = { machine->first,
				     table->count - machine->first };
	struct row *first;

	if (sequence.count == 0)
		return true;
	first = &table->row[machine->first];
	if (machine->unsorted)
		qsort(first, sequence.count, sizeof(*first), by_address);
	if (!spans_find(text, first->address)) {
		table->count = machine->first;
		return true;
	}
	return add_sequence(table, &sequence) &&
	       spans_add(&table->spans, first->address, machine->address,
			 table->sequence_count - 1);
}

static void advance(const struct line_header *header, struct machine *machine,
		    uint64_t operations)
{
	unsigned most = header->max_operations;

	if (most <= 1) {
		machine->address += header->min_length * operations;
		return;
	}
	operations += machine->operation;
	machine->address += header->min_length * (operations / most);
	machine->operation = (unsigned)(operations % most);
}

static bool special(struct line_table *table, struct machine *machine,
		    unsigned opcode)
{
	const struct line_header *header = &table->header;
	unsigned adjusted = opcode - header->opcode_base;

	advance(header, machine, adjusted / header->line_range);
	machine->line += (uint64_t)(int64_t)(
		header->line_base + (int)(adjusted % header->line_range));
	return add_row(table, machine);
}

static bool extended(struct line_table *table, const struct spans *text,
		     struct machine *machine, struct debug_bytes *bytes)
{
	uint64_t length = debug_uleb(bytes);
	struct debug_bytes operands = *bytes;

	if (length == 0 || !debug_skip(bytes, length))
		return false;
	operands.end = bytes->at;
	switch (debug_fixed(&operands, 1)) {
	case DW_LNE_end_sequence:
		if (!end_sequence(table, text, machine))
			return false;
		reset(machine, table->count);
		return true;
	case DW_LNE_set_address:
		machine->address = length <= 9 ? debug_fixed(&operands,
							     length - 1) :
						 0;
		machine->operation = 0;
		return true;
	default:
		return true;
	}
}

static bool standard(struct line_table *table, struct machine *machine,
		     unsigned opcode, struct debug_bytes *bytes)
{
	const struct line_header *header = &table->header;

	switch (opcode) {
	case DW_LNS_copy:
		return add_row(table, machine);
	case DW_LNS_advance_pc:
		advance(header, machine, debug_uleb(bytes));
		return true;
	case DW_LNS_advance_line:
		machine->line += (uint64_t)debug_sleb(bytes);
		return true;
	case DW_LNS_set_file:
		machine->file = debug_uleb(bytes);
		return true;
	case DW_LNS_set_column:
		machine->column = debug_uleb(bytes);
		return true;
	case DW_LNS_const_add_pc:
		advance(header, machine,
			(255 - header->opcode_base) / header->line_range);
		return true;
	case DW_LNS_fixed_advance_pc:
		machine->address += debug_fixed(bytes, 2);
		machine->operation = 0;
		return true;
	default:
		for (unsigned i = 0; i < header->operand_counts[opcode - 1]; i++)
			debug_uleb(bytes);
		return true;
	}
}

static void run(struct line_table *table, const struct spans *text)
{
	struct debug_bytes bytes = table->header.program;
	struct machine machine;
	bool goes_on = true;

	reset(&machine, 0);
	while (goes_on && bytes.at < bytes.end) {
		unsigned opcode = *bytes.at++;

		if (opcode >= table->header.opcode_base)
			goes_on = special(table, &machine, opcode);
		else if (opcode == 0)
			goes_on = extended(table, text, &machine, &bytes);
		else
			goes_on = standard(table, &machine, opcode, &bytes);
	}
	spans_settle(&table->spans);
}

struct line_table *line_table_read(Dwarf_Die *unit, const char *folder, const struct spans *text,
				   size_t *rows)
{
	struct line_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	if (!line_header_read(&table->header, unit, folder)) {
		line_table_free(table);
		return NULL;
	}
	table->rows_left = rows;
	run(table, text);
	return table;
}

void line_table_free(struct line_table *table)
{
	if (!table)
		return;
	line_header_free(&table->header);
	free(table->row);
	free(table->sequence);
	spans_free(&table->spans);
	free(table);
}

/* The last row of SEQUENCE at or below ADDRESS, which it holds. */
static const struct row *row_at(const struct line_table *table,
				const struct sequence *sequence,
				uint64_t address)
{
	size_t low = sequence->first, high = low + sequence->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (table->row[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	return &table->row[low];
}

bool line_table_find(struct line_table *table, uint64_t address,
		     struct location *location)
{
	const struct span *span = spans_find(&table->spans, address);
	const struct row *row;

	if (!span)
		return false;
	row = row_at(table, &table->sequence[span->value], address);
	line_table_file(table, row->file, location);
	location->line = row->line;
	location->column = row->column;
	return true;
}

void line_table_file(struct line_table *table, uint64_t index, struct location *location)
{
	location->file = line_header_path(&table->header, index);
	location->facts = line_header_facts(&table->header, index);
}
