/* SPDX-License-Identifier: MIT */
/* read.h (SAFE) - the one seam through which memory that is not ours is read.
 *
 * A read either gives the bytes or says that it cannot; it never faults.
 * Memory in a span is loaded directly, everything else is asked of the kernel.
 */
#ifndef WCM_OS_READ_H
#define WCM_OS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is mapped for as long as the span is used: [lo, hi). */
struct wcm_span {
	uintptr_t lo, hi;
};

static const struct wcm_span wcm__no_span = { 0, 0 };

static inline bool wcm__span_holds(const struct wcm_span *span, uintptr_t addr,
				   size_t size)
{
	return addr >= span->lo && addr < span->hi && span->hi - addr >= size;
}

/* Copy SIZE bytes at ADDR to BUF through the kernel.  False, with BUF
 * unspecified, unless all of them can be read. */
bool wcm__read_memory(uintptr_t addr, void *buf, size_t size);

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

/* Copy the string at ADDR to TEXT, as far as READ can read it and it fits in ROOM; *LENGTH is
 * that of the copy.  False where that is not all of it. */
static inline bool
wcm__read_string_by(bool (*read)(uintptr_t addr, void *buf, size_t size), uintptr_t addr,
		    char *text, size_t room, size_t *length)
{
	size_t used = 0;

	while (used < room) {
		const size_t left = WCM_PAGE - (addr + used) % WCM_PAGE;
		const size_t size = left < room - used ? left : room - used;

		if (!read(addr + used, text + used, size))
			break;
		for (size_t end = used + size; used < end; used++)
			if (text[used] == '\0')
				return *length = used, true;
	}
	*length = used < room ? used : room - 1;
	text[*length] = '\0';
	return false;
}

static inline bool wcm__read_string(uintptr_t addr, char *text, size_t room,
				    size_t *length)
{
	return wcm__read_string_by(wcm__read_memory, addr, text, room, length);
}

/* Whether a string is at TEXT, no longer than a path. */
static inline bool wcm__is_string(const char *text)
{
	const char *const end = text + WCM_PAGE;
	char copy[256];
	size_t length;

	for (; text < end; text += length)
		if (wcm__read_string((uintptr_t)text, copy, sizeof(copy), &length))
			return true;
		else if (length < sizeof(copy) - 1)
			return false;
	return false;
}

#endif
