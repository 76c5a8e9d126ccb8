/* SPDX-License-Identifier: MIT */
/* fde.c (SAFE) - finds the entry of .eh_frame or .debug_frame that describes a pc.
 *
 * In this order: by an index of our own (fde_list.c), if the table has one; by the linker's, which
 * is .eh_frame_hdr; by every entry in turn.  A cursor that has left its entry gives 0, which ends
 * each loop here.
 */
#include "core/cfi/fde.h"

enum { HDR_VERSION = 1, WORDS = 0 /* an encoding: plain addresses */ };

/* One entry, CIE or FDE. */
struct entry {
	struct wcm_cursor cursor; /* behind the id, bounded by the entry */
	uintptr_t id_at;
	uint64_t id; /* an FDE's: the distance from id_at back to its CIE, in .debug_frame the CIE's
		      * offset */
	bool is_cie;
};

/* Read the entry at AT; its end is where the next one starts.  False at the terminator and where
 * the entry leaves the table.  A length of 0 is the terminator (LSB, "Exception Frames"), one of
 * 32 set bits says that 64 bits follow.  The id is as wide as the length; that of a CIE is 0, and
 * in .debug_frame all bits of it are set (DWARF 5, 7.4). */
static bool read_entry(struct entry *entry, uintptr_t at, const struct wcm_unwind_table *table)
{
	struct wcm_cursor *cursor = &entry->cursor;
	uint64_t length;
	bool is_long;

	wcm__cursor_init(cursor, at, table->hi, table->held);
	length = wcm__cursor_u32(cursor);
	is_long = length == UINT32_MAX;
	if (is_long)
		length = wcm__cursor_unsigned(cursor, 8);
	if (cursor->bad || length == 0 || length > cursor->end - cursor->at)
		return false;
	/* From here on the cursor cannot leave the entry, whatever stands in it. */
	cursor->end = cursor->at + length;
	entry->id_at = cursor->at;
	entry->id = is_long ? wcm__cursor_unsigned(cursor, 8) : wcm__cursor_u32(cursor);
	entry->is_cie = entry->id == (!table->is_debug ? 0 : is_long ? UINT64_MAX : UINT32_MAX);
	return !cursor->bad;
}

/* The letters behind 'z'; one that is unknown ends them, for the length of the data is known all
 * the same.  LETTERS and DATA are two cursors in one entry: the string is in front of the
 * numbers, the data that its letters stand for behind them. */
static void read_augmentation(struct wcm_fde *fde, struct wcm_cursor *letters,
			      struct wcm_cursor *data)
{
	uint64_t encoding;

	while (!data->bad)
		switch (wcm__cursor_byte(letters)) {
		case 'R':
			fde->encoding = wcm__cursor_byte(data);
			break;
		case 'L':
			fde->lsda_encoding = wcm__cursor_byte(data);
			break;
		case 'P':
			encoding = wcm__cursor_byte(data);
			/* the routine itself is nobody's here */
			wcm__cursor_pointer(data, encoding & 0x7f, &fde->bases);
			break;
		case 'S':
			fde->is_signal = true;
			break;
		/* Pointer authentication with the other key, and memory tags: neither has data,
		 * and addresses are stripped in any case. */
		case 'B':
		case 'G':
			break;
		default:
			return;
		}
}

/* Step over the augmentation string.  A long one is none: were its length
 * unbounded, the entries of a damaged table could all name one CIE and make the
 * search quadratic. */
static void skip_letters(struct wcm_cursor *cursor)
{
	enum { MOST_LETTERS = 16 };

	for (unsigned i = 0; wcm__cursor_byte(cursor) != 0; i++)
		if (i == MOST_LETTERS)
			cursor->bad = true;
}

/* A CIE is read anew for each FDE: to remember the last one would need memory of its own for
 * each thread, and the rule cache spares most look-ups anyway. */
static bool read_cie(struct wcm_fde *fde, uintptr_t at, const struct wcm_unwind_table *table)
{
	struct wcm_cursor letters, *cursor;
	struct entry entry;
	uint64_t version, size;

	if (!read_entry(&entry, at, table) || !entry.is_cie)
		return false;
	cursor = &entry.cursor;
	version = wcm__cursor_byte(cursor);
	wcm__cursor_fork(&letters, cursor);
	skip_letters(cursor);
	/* Version 4 is of .debug_frame (DWARF 5, 6.4.1) and not of the LSB; it is read all the
	 * same.  Addresses of another size, and segments, are no code of this process. */
	if (version == 4 && (wcm__cursor_byte(cursor) != sizeof(uintptr_t) ||
			     wcm__cursor_byte(cursor) != 0))
		return false;
	fde->code_align = wcm__cursor_uleb(cursor);
	fde->data_align = wcm__cursor_sleb(cursor);
	/* A byte in version 1, later LEB128. */
	fde->ra_column = (uint32_t)(version == 1
					    ? wcm__cursor_byte(cursor)
					    : wcm__cursor_uleb(cursor));
	switch (wcm__cursor_byte(&letters)) {
	case 'z':
		size = wcm__cursor_uleb(cursor);
		struct wcm_cursor data;

		wcm__cursor_fork(&data, cursor);
		/* The size that 'z' gives counts, not what the letters have been seen to take. */
		read_augmentation(fde, &letters, &data);
		wcm__cursor_skip(cursor, size);
		fde->has_data = true;
		break;
	case '\0':
		break;
	default: /* nothing says how long its data are */
		return false;
	}
	fde->common_id_at = entry.id_at;
	fde->common_at = cursor->at;
	fde->common_end = cursor->end;
	return !cursor->bad && (version == 1 || version == 3 || version == 4);
}

/* Where the CIE of an FDE is, or 0.  In .eh_frame the id counts back from itself, which makes the
 * table independent of where it is mapped; in .debug_frame from the section's start. */
static uintptr_t cie_of(const struct entry *entry, const struct wcm_unwind_table *table)
{
	if (table->is_debug)
		return entry->id < table->hi - table->frames ? table->frames + entry->id : 0;
	return entry->id <= entry->id_at - table->lo ? entry->id_at - entry->id : 0;
}

/* The addresses of .debug_frame are the file's, plain and all in one encoding. */
static bool read_fde(struct wcm_fde *fde, struct entry *entry,
		     const struct wcm_unwind_table *table)
{
	const uint8_t format = 0x0f, encoding = table->is_debug ? WCM_EH_PE_TEXTREL : 0;
	struct wcm_cursor *cursor = &entry->cursor;
	const uintptr_t cie_at = entry->is_cie ? 0 : cie_of(entry, table);

	*fde = (struct wcm_fde){ .bases = { .data = table->hdr, .text = table->bias },
				 .encoding = encoding,
				 .lsda_encoding = WCM_EH_PE_OMIT,
				 .held = table->held };
	if (cie_at == 0 || !read_cie(fde, cie_at, table) ||
	    (table->is_debug && fde->encoding != encoding))
		return false;
	/* The start is encoded as the CIE says; the length is a number in the same format,
	 * relative to nothing. */
	fde->start = wcm__cursor_pointer(cursor, fde->encoding, &fde->bases);
	fde->end = fde->start + wcm__cursor_pointer(cursor,
						    fde->encoding & format,
						    &fde->bases);
	fde->bases.func = fde->start;
	if (fde->has_data) {
		const uint64_t size = wcm__cursor_uleb(cursor);

		if (fde->lsda_encoding != WCM_EH_PE_OMIT)
			fde->lsda_at = cursor->at;
		wcm__cursor_skip(cursor, size);
	}
	fde->id_at = entry->id_at;
	fde->at = cursor->at;
	fde->instructions_end = cursor->end;
	return !cursor->bad;
}

static bool read_fde_at(struct wcm_fde *fde, uintptr_t at,
			const struct wcm_unwind_table *table)
{
	struct entry entry;

	return at >= table->lo && at < table->hi &&
	       read_entry(&entry, at, table) && read_fde(fde, &entry, table);
}

static bool holds(const struct wcm_fde *fde, uintptr_t pc)
{
	return pc >= fde->start && pc < fde->end;
}

/* Linkers leave words of 0 between two files' entries of .debug_frame, where these end nothing. */
static bool is_filler(uintptr_t at, const struct wcm_unwind_table *table)
{
	struct wcm_cursor cursor;

	wcm__cursor_init(&cursor, at, table->hi, table->held);
	return table->is_debug && wcm__cursor_u32(&cursor) == 0 && !cursor.bad;
}

/* read_fde() moves the cursor within the entry; the next entry begins at its end.  An entry that
 * cannot be understood is stepped over by its length. */
bool wcm__fde_next(struct wcm_fde *fde, uintptr_t *at, const struct wcm_unwind_table *table)
{
	struct entry entry;

	if (*at < table->lo || *at >= table->hi)
		return false;
	if (is_filler(*at, table)) {
		*at += sizeof(uint32_t);
		fde->start = fde->end = 0;
		return true;
	}
	if (!read_entry(&entry, *at, table))
		return false;
	*at = entry.cursor.end;
	if (!read_fde(fde, &entry, table))
		fde->start = fde->end = 0;
	return true;
}

/* By entries in their order.  Each is bounded by the table, and each takes at least its length
 * field, so that a damaged one ends the search in time. */
static bool find_linear(struct wcm_fde *fde, uintptr_t at,
			const struct wcm_unwind_table *table, uintptr_t pc)
{
	while (wcm__fde_next(fde, &at, table))
		if (holds(fde, pc))
			return true;
	return false;
}

/* The search table of .eh_frame_hdr, or an index of ours. */
struct search_table {
	uintptr_t at, end;
	bool held;
	uint64_t count;
	uint8_t encoding;
	unsigned size; /* of an entry: a start of code, an FDE's address */
};

/* A pair that cannot be read is of zeros: the search goes on to the right of it, and ends at an
 * FDE that is not in the table or does not hold the pc. */
static void read_pair(const struct search_table *search,
		      const struct wcm_unwind_table *table, uint64_t index,
		      uintptr_t *start, uintptr_t *fde_at)
{
	const struct wcm_pointer_bases bases = { .data = table->hdr };
	struct wcm_cursor cursor;

	wcm__cursor_init(&cursor, search->at + index * search->size, search->end,
			 search->held);
	*start = wcm__cursor_pointer(&cursor, search->encoding, &bases);
	*fde_at = wcm__cursor_pointer(&cursor, search->encoding, &bases);
}

/* How many entries of the search table start at or below PC. */
static uint64_t count_below(const struct search_table *search,
			    const struct wcm_unwind_table *table, uintptr_t pc)
{
	uint64_t lo = 0, hi = search->count;
	uintptr_t start, at;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		read_pair(search, table, mid, &start, &at);
		if (start <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The nearest start is not always what holds PC: code with an FDE of its own may
 * lie within that of another, and a linker lists but one FDE for each start,
 * which may be that of a function without any code.  The other one then follows
 * in .eh_frame. */
static bool find_sorted(struct wcm_fde *fde, const struct search_table *search,
			const struct wcm_unwind_table *table, uintptr_t pc)
{
	enum { MOST_NESTED = 4 };
	uint64_t below = count_below(search, table, pc);
	uintptr_t start, at;

	for (uint64_t i = below; i > 0 && below - i < MOST_NESTED; i--) {
		read_pair(search, table, i - 1, &start, &at);
		if (!read_fde_at(fde, at, table))
			return false;
		if (holds(fde, pc))
			return true;
		if (i == below && fde->start == fde->end &&
		    find_linear(fde, at, table, pc))
			return true;
	}
	return false;
}

/* The header says of itself how the table behind it is written (LSB, ".eh_frame_hdr").  Where it
 * has none, or one that cannot be searched or is longer than its segment, .eh_frame is gone
 * through from its start: slowly, and as rightly. */
bool wcm__fde_find(struct wcm_fde *fde, const struct wcm_unwind_table *table,
		   uintptr_t pc)
{
	const struct wcm_pointer_bases bases = { .data = table->hdr };
	struct search_table search;
	struct wcm_cursor cursor;
	uint8_t version, frame_encoding, count_encoding;
	uintptr_t eh_frame;

	if (table->index) {
		search = (struct search_table){ .at = (uintptr_t)table->index,
						.end = (uintptr_t)(table->index + table->indexed),
						.held = true, .count = table->indexed,
						.encoding = WORDS, .size = sizeof(*table->index) };
		return find_sorted(fde, &search, table, pc);
	}
	if (!table->hdr)
		return find_linear(fde, table->frames, table, pc);
	wcm__cursor_init(&cursor, table->hdr, table->hi, table->held);
	version = wcm__cursor_byte(&cursor);
	frame_encoding = wcm__cursor_byte(&cursor);
	count_encoding = wcm__cursor_byte(&cursor);
	search.encoding = wcm__cursor_byte(&cursor);
	eh_frame = wcm__cursor_pointer(&cursor, frame_encoding, &bases);
	search.count = wcm__cursor_pointer(&cursor, count_encoding, &bases);
	search.at = cursor.at;
	search.end = table->hi;
	search.held = table->held;
	search.size = 2 * wcm__cursor_pointer_size(search.encoding);
	if (cursor.bad || version != HDR_VERSION)
		return false;
	if (search.encoding != WCM_EH_PE_OMIT && search.size > 0 &&
	    search.count > 0 &&
	    search.count <= (table->hi - search.at) / search.size)
		return find_sorted(fde, &search, table, pc);
	return find_linear(fde, eh_frame, table, pc);
}
