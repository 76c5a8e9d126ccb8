/* SPDX-License-Identifier: MIT */
/* read.h - the one seam through which memory that is not ours is read.
 *
 * A read either gives the bytes or says that it cannot; it never faults.
 * Memory in a span is loaded directly, everything else is asked of the kernel.
 */
#ifndef WCM_UNWIND_READ_H
#define WCM_UNWIND_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is mapped for as long as the span is used: [lo, hi). */
struct wcm_span {
	uintptr_t lo, hi;
};

static inline bool wcm__span_holds(const struct wcm_span *span, uintptr_t addr,
				   size_t size)
{
	return addr >= span->lo && addr < span->hi && span->hi - addr >= size;
}

/* Copy SIZE bytes at ADDR to BUF through the kernel.  False, with BUF
 * unspecified, unless all of them can be read. */
bool wcm__read_memory(uintptr_t addr, void *buf, size_t size);

/* The same for code: what a loaded module has mapped is read directly. */
bool wcm__read_code(uintptr_t addr, void *buf, size_t size);

/* The same for tables such as .eh_frame. */
bool wcm__read_table(uintptr_t addr, void *buf, size_t size);

/* Whether the word at ADDR can be loaded at this moment. */
bool wcm__can_read_word(uintptr_t addr);

/* How many of the pages from START up to END, one after the other, are
 * readable.  START and END are page-aligned. */
size_t wcm__count_readable_pages(uintptr_t start, uintptr_t end);

/* A word at any address: what a damaged frame points at need not be aligned. */
struct wcm_any_word {
	uintptr_t value;
} __attribute__((packed, may_alias));

/* Read the word at ADDR of a stack. */
__attribute__((no_sanitize("address"))) static inline bool
wcm__read_word(const struct wcm_span *stack, uintptr_t addr, uintptr_t *word)
{
	if (__builtin_expect(wcm__span_holds(stack, addr, sizeof(*word)), 1)) {
		*word = ((const struct wcm_any_word *)addr)->value;
		return true;
	}
	return wcm__read_memory(addr, word, sizeof(*word));
}

#define WCM_PAGE ((uintptr_t)4096) /* no Linux page is smaller */

#endif
