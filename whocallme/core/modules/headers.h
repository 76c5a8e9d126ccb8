/* SPDX-License-Identifier: MIT */
/* headers.h (SAFE) - reads an object's program headers, and tells what lies in its segments. */
#ifndef WCM_MODULES_HEADERS_H
#define WCM_MODULES_HEADERS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WCM_MAX_PHDRS = 64 };

/* An object's program headers, copied. */
struct wcm_headers {
	ElfW(Phdr) phdr[WCM_MAX_PHDRS];
	size_t count;
	uintptr_t bias;
	bool held; /* it stays mapped meanwhile */
};

/* Copy PHNUM headers from PHDR, those of an object with the load bias BIAS, which HELD
 * says to stay mapped.  False where they cannot be read. */
bool wcm__headers_read(struct wcm_headers *headers, uintptr_t bias, uintptr_t phdr,
		       size_t phnum, bool held);

/* The first header of TYPE, or NULL. */
const ElfW(Phdr) *wcm__headers_find(const struct wcm_headers *headers,
				    ElfW(Word) type);

/* The readable segment that holds ADDRESS, or NULL. */
const ElfW(Phdr) *wcm__headers_segment(const struct wcm_headers *headers,
				       uintptr_t address);

/* How many bytes from ADDRESS on one readable segment holds. */
size_t wcm__headers_readable(const struct wcm_headers *headers, uintptr_t address);

/* Whether the frame descriptions that the .eh_frame_hdr at HDR leads to begin in SEGMENT.
 * A linker puts them elsewhere if an input has writable ones. */
bool wcm__headers_hold_frames(const struct wcm_headers *headers, uintptr_t hdr,
			      const ElfW(Phdr) *segment);

/* Copy what the object has at ADDRESS.  False where it cannot be read. */
bool wcm__headers_copy(const struct wcm_headers *headers, uintptr_t address, void *buf,
		       size_t size);

#endif
