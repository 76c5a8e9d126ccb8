/* SPDX-License-Identifier: MIT */
/* cursor.h (SAFE) - bytes of a table in mapped memory, read in order and in bounds.
 *
 * A cursor never leaves [at, end) and never faults: what cannot be read makes it
 * bad, and a bad cursor answers 0 from then on, so that a decoder checks once,
 * at its end.  A table that is held, which stays mapped meanwhile, is read where it
 * lies; of any other some bytes are copied at a time.
 */
#ifndef WCM_CFI_CURSOR_H
#define WCM_CFI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/modules/eh_pe.h"

enum { WCM_CURSOR_WINDOW = 64 };

struct wcm_cursor {
	uintptr_t at, end;
	bool bad, held;
	unsigned copied;  /* how many of the bytes below there are */
	uintptr_t window; /* where they were read from */
	unsigned char bytes[WCM_CURSOR_WINDOW];
};

static inline void wcm__cursor_init(struct wcm_cursor *cursor, uintptr_t at,
				    uintptr_t end, bool held)
{
	cursor->at = at;
	cursor->end = end;
	cursor->bad = end < at;
	cursor->held = held;
	cursor->copied = 0;
	cursor->window = 0;
}

/* What stands where CURSOR does, and goes on by itself.  The window is not copied where there is
 * none: it is most of the struct. */
static inline void wcm__cursor_fork(struct wcm_cursor *other,
				    const struct wcm_cursor *cursor)
{
	if (cursor->held) {
		wcm__cursor_init(other, cursor->at, cursor->end, true);
		other->bad = cursor->bad;
	} else {
		*other = *cursor;
	}
}

static inline bool wcm__cursor_is_done(const struct wcm_cursor *cursor)
{
	return cursor->bad || cursor->at >= cursor->end;
}

/* Whether SIZE bytes can be read where they lie, as nearly always. */
static inline bool wcm__cursor_holds(const struct wcm_cursor *cursor, size_t size)
{
	return __builtin_expect(cursor->held && !cursor->bad &&
					cursor->end - cursor->at >= size,
				1);
}

/* Numbers of 1, 2, 4 or 8 bytes in the machine's own order. */
uint64_t wcm__cursor_unsigned(struct wcm_cursor *cursor, unsigned size);
int64_t wcm__cursor_signed(struct wcm_cursor *cursor, unsigned size);

static inline uint8_t wcm__cursor_byte(struct wcm_cursor *cursor)
{
	if (wcm__cursor_holds(cursor, 1))
		return *(const uint8_t *)cursor->at++;
	return (uint8_t)wcm__cursor_unsigned(cursor, 1);
}

static inline uint32_t wcm__cursor_u32(struct wcm_cursor *cursor)
{
	uint32_t value;

	if (!wcm__cursor_holds(cursor, sizeof(value)))
		return (uint32_t)wcm__cursor_unsigned(cursor, sizeof(value));
	memcpy(&value, (const void *)cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return value;
}

/* LEB128 (DWARF 5, section 7.6). */
uint64_t wcm__cursor_long_uleb(struct wcm_cursor *cursor);

static inline uint64_t wcm__cursor_uleb(struct wcm_cursor *cursor)
{
	if (wcm__cursor_holds(cursor, 1) && *(const uint8_t *)cursor->at < 0x80)
		return *(const uint8_t *)cursor->at++;
	return wcm__cursor_long_uleb(cursor);
}

int64_t wcm__cursor_sleb(struct wcm_cursor *cursor);

void wcm__cursor_skip(struct wcm_cursor *cursor, uint64_t size);

/* What an encoded pointer (LSB, "DWARF Exception Header Encoding") may be
 * relative to. */
struct wcm_pointer_bases {
	uintptr_t text, data, func;
};

/* A pointer in ENCODING; DW_EH_PE_omit gives 0. */
uintptr_t wcm__cursor_any_pointer(struct wcm_cursor *cursor, uint8_t encoding,
				  const struct wcm_pointer_bases *bases);

/* The three encodings that linkers and compilers write for nearly all tables are inline. */
static inline uintptr_t wcm__cursor_pointer(struct wcm_cursor *cursor, uint8_t encoding,
					    const struct wcm_pointer_bases *bases)
{
	const uintptr_t field = cursor->at;
	uint32_t value;

	if (!wcm__cursor_holds(cursor, sizeof(value)))
		return wcm__cursor_any_pointer(cursor, encoding, bases);
	switch (encoding) {
	case WCM_EH_PE_UDATA4:
		return wcm__cursor_u32(cursor);
	case WCM_EH_PE_SDATA4:
		return (uintptr_t)(int32_t)wcm__cursor_u32(cursor);
	case WCM_EH_PE_PCREL_SDATA4:
		value = wcm__cursor_u32(cursor);
		return value != 0 ? field + (uintptr_t)(int32_t)value : 0;
	}
	return wcm__cursor_any_pointer(cursor, encoding, bases);
}

/* How many bytes a value of ENCODING takes; 0 where that varies. */
unsigned wcm__cursor_pointer_size(uint8_t encoding);

#endif
