/* SPDX-License-Identifier: MIT */
/* cursor.h - bytes of a table in mapped memory, read in order and in bounds.
 *
 * A cursor never leaves [at, end) and never faults: what cannot be read makes it
 * bad, and a bad cursor answers 0 from then on, so that a decoder checks once,
 * at its end.
 */
#ifndef WCM_UNWIND_CURSOR_H
#define WCM_UNWIND_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WCM_CURSOR_WINDOW = 64 };

struct wcm_cursor {
	uintptr_t at, end;
	uintptr_t window; /* where the bytes below were read from */
	unsigned held;    /* how many of them there are */
	bool bad;
	unsigned char bytes[WCM_CURSOR_WINDOW];
};

void wcm__cursor_init(struct wcm_cursor *cursor, uintptr_t at, uintptr_t end);

static inline bool wcm__cursor_is_done(const struct wcm_cursor *cursor)
{
	return cursor->bad || cursor->at >= cursor->end;
}

/* Numbers of 1 to 8 bytes in the machine's own order. */
uint64_t wcm__cursor_unsigned(struct wcm_cursor *cursor, unsigned size);
int64_t wcm__cursor_signed(struct wcm_cursor *cursor, unsigned size);

/* LEB128 (DWARF 5, section 7.6). */
uint64_t wcm__cursor_uleb(struct wcm_cursor *cursor);
int64_t wcm__cursor_sleb(struct wcm_cursor *cursor);

void wcm__cursor_skip(struct wcm_cursor *cursor, uint64_t size);

/* What an encoded pointer (LSB, "DWARF Exception Header Encoding") may be
 * relative to. */
struct wcm_pointer_bases {
	uintptr_t text, data, func;
};

/* A pointer in ENCODING; DW_EH_PE_omit gives 0. */
uintptr_t wcm__cursor_pointer(struct wcm_cursor *cursor, uint8_t encoding,
			      const struct wcm_pointer_bases *bases);

#define WCM_EH_PE_OMIT 0xffu

/* How many bytes a value of ENCODING takes; 0 where that varies. */
unsigned wcm__cursor_pointer_size(uint8_t encoding);

#endif
