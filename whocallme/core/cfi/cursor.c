/* SPDX-License-Identifier: MIT */
/* cursor.c (SAFE) - bytes of a table in mapped memory, read in order and in bounds. */
#include "core/cfi/cursor.h"

#include "core/modules/module_read.h"
#include "core/os/read.h"

/* DWARF Exception Header Encoding: the low half says how a value is stored, the
 * high half what it is relative to. */
enum {
	PE_ABSPTR = 0x00, PE_ULEB128 = 0x01, PE_UDATA2 = 0x02, PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04, PE_SLEB128 = 0x09, PE_SDATA2 = 0x0a, PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c, PE_FORMAT = 0x0f,
	PE_PCREL = 0x10, PE_TEXTREL = 0x20, PE_DATAREL = 0x30, PE_FUNCREL = 0x40,
	PE_ALIGNED = 0x50, PE_RELATION = 0x70, PE_INDIRECT = 0x80,
};

/* Read what fits of the bytes from here on.  Some bytes at a time, since each read of a table
 * that is not held is a system call.  More than the entry needs may be unreadable, where the
 * last page of the mapping ends: then only what is asked for is read. */
static bool fill(struct wcm_cursor *cursor, size_t needed)
{
	size_t left = cursor->end - cursor->at;
	size_t size = left < WCM_CURSOR_WINDOW ? left : WCM_CURSOR_WINDOW;

	if (!wcm__read_table(cursor->at, cursor->bytes, size)) {
		size = needed; /* the table may end before the page does */
		if (!wcm__read_table(cursor->at, cursor->bytes, size))
			return false;
	}
	cursor->window = cursor->at;
	cursor->copied = (unsigned)size;
	return true;
}

/* The next SIZE bytes, at most 8; NULL makes the cursor bad.  OFFSET is large where the cursor
 * has been moved behind the window, or in front of it, and where nothing has been copied yet:
 * then the window is read anew. */
static const unsigned char *take(struct wcm_cursor *cursor, size_t size)
{
	size_t offset = cursor->at - cursor->window;

	if (cursor->bad || cursor->end - cursor->at < size)
		goto bad;
	if (cursor->held) {
		cursor->at += size;
		return (const unsigned char *)cursor->at - size;
	}
	if (offset > cursor->copied || cursor->copied - offset < size) {
		if (!fill(cursor, size))
			goto bad;
		offset = 0;
	}
	cursor->at += size;
	return cursor->bytes + offset;
bad:
	cursor->bad = true;
	return NULL;
}

/* The copies are by memcpy() of a constant size, as numbers of a table are not aligned; the
 * compiler makes one load of each. */
uint64_t wcm__cursor_unsigned(struct wcm_cursor *cursor, unsigned size)
{
	const unsigned char *bytes = take(cursor, size);
	uint32_t four;
	uint16_t two;
	uint64_t eight;

	if (!bytes)
		return 0;
	switch (size) {
	case sizeof(two):
		memcpy(&two, bytes, sizeof(two));
		return two;
	case sizeof(four):
		memcpy(&four, bytes, sizeof(four));
		return four;
	case sizeof(eight):
		memcpy(&eight, bytes, sizeof(eight));
		return eight;
	}
	return *bytes;
}

/* The shift to the right of a negative number keeps the sign with all compilers here. */
int64_t wcm__cursor_signed(struct wcm_cursor *cursor, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(wcm__cursor_unsigned(cursor, size) << unused) >> unused;
}

/* Padding makes a number longer than it need be, but not without end.  DWARF 5, 7.6, allows any
 * number of bytes that add nothing.  Some assemblers pad a number to the width of a relocation;
 * a table of nothing else would make each look-up as long as the table is. */
static uint64_t leb(struct wcm_cursor *cursor, bool is_signed)
{
	enum { MOST_BITS = 16 * 7 };
	uint64_t value = 0;
	unsigned shift = 0;

	for (;;) {
		const unsigned char *byte = take(cursor, 1);

		if (!byte)
			return 0;
		if (shift == MOST_BITS) {
			cursor->bad = true;
			return 0;
		}
		if (shift < 64)
			value |= (uint64_t)(*byte & 0x7f) << shift;
		shift += 7;
		if (*byte & 0x80)
			continue;
		if (is_signed && (*byte & 0x40) && shift < 64)
			value |= ~UINT64_C(0) << shift;
		return value;
	}
}

/* The inline part has seen that it is more than a byte, or that the table is not held. */
uint64_t wcm__cursor_long_uleb(struct wcm_cursor *cursor)
{
	return leb(cursor, false);
}

int64_t wcm__cursor_sleb(struct wcm_cursor *cursor)
{
	return (int64_t)leb(cursor, true);
}

/* By any number that a damaged table may hold: compared before it is added, so that nothing
 * wraps. */
void wcm__cursor_skip(struct wcm_cursor *cursor, uint64_t size)
{
	if (cursor->bad || cursor->end - cursor->at < size)
		cursor->bad = true;
	else
		cursor->at += size;
}

/* A signed value is extended to the width of an address, so that to add it goes backwards. */
static uintptr_t stored_value(struct wcm_cursor *cursor, uint8_t format)
{
	switch (format) {
	case PE_ABSPTR:
		return wcm__cursor_unsigned(cursor, sizeof(uintptr_t));
	case PE_ULEB128:
		return wcm__cursor_uleb(cursor);
	case PE_UDATA2:
		return wcm__cursor_unsigned(cursor, 2);
	case PE_UDATA4:
		return wcm__cursor_u32(cursor);
	case PE_UDATA8:
		return wcm__cursor_unsigned(cursor, 8);
	case PE_SLEB128:
		return (uintptr_t)wcm__cursor_sleb(cursor);
	case PE_SDATA2:
		return (uintptr_t)wcm__cursor_signed(cursor, 2);
	case PE_SDATA4:
		return (uintptr_t)(int32_t)wcm__cursor_u32(cursor);
	case PE_SDATA8:
		return (uintptr_t)wcm__cursor_signed(cursor, 8);
	}
	cursor->bad = true;
	return 0;
}

/* A base that is not known is 0, and the pointer then leads nowhere: .text and .data bases are
 * used on a few architectures alone, none of them here but for the data base of .eh_frame_hdr. */
static uintptr_t base_of(struct wcm_cursor *cursor, uint8_t relation,
			 uintptr_t field, const struct wcm_pointer_bases *bases)
{
	switch (relation) {
	case 0:
		return 0;
	case PE_PCREL:
		return field;
	case PE_TEXTREL:
		return bases->text;
	case PE_DATAREL:
		return bases->data;
	case PE_FUNCREL:
		return bases->func;
	}
	cursor->bad = true;
	return 0;
}

/* DW_EH_PE_aligned: from the next multiple of the pointer's size on, a plain address. */
static void align(struct wcm_cursor *cursor)
{
	cursor->at = (cursor->at + sizeof(uintptr_t) - 1) &
		     ~(sizeof(uintptr_t) - 1);
	if (cursor->at > cursor->end)
		cursor->bad = true;
}

/* All encodings of the LSB.  The address of the pointer itself counts, not where the cursor
 * stands after it. */
uintptr_t wcm__cursor_any_pointer(struct wcm_cursor *cursor, uint8_t encoding,
				  const struct wcm_pointer_bases *bases)
{
	uintptr_t field, value;

	if (encoding == WCM_EH_PE_OMIT)
		return 0;
	if (encoding == PE_ALIGNED) {
		align(cursor);
		return wcm__cursor_unsigned(cursor, sizeof(uintptr_t));
	}
	field = cursor->at;
	value = stored_value(cursor, encoding & PE_FORMAT);
	if (value == 0) /* a null pointer is relative to nothing */
		return 0;
	value += base_of(cursor, encoding & PE_RELATION, field, bases);
	/* The pointer is in the GOT, say, which is not part of the table: it is read with care
	 * even where the table is held. */
	if ((encoding & PE_INDIRECT) &&
	    !wcm__read_table(value, &value, sizeof(value)))
		cursor->bad = true;
	return cursor->bad ? 0 : value;
}

/* Signed and unsigned formats differ in one bit only, 0x08. */
unsigned wcm__cursor_pointer_size(uint8_t encoding)
{
	switch (encoding & 0x07) {
	case 0x00:
		return sizeof(uintptr_t);
	case 0x02:
		return 2;
	case 0x03:
		return 4;
	case 0x04:
		return 8;
	}
	return 0;
}
