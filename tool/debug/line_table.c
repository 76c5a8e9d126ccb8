/* SPDX-License-Identifier: MIT */
/* line_table.c - finds the source line of an address.
 *
 * A table is a program that writes rows (DWARF 5, 6.2), in sequences, each of which
 * is of one piece of code.  A row holds until the next one of its sequence; of
 * several at one address the last does.
 */
#include "debug/line_table.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/line_header.h"

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
