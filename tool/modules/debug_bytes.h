/* SPDX-License-Identifier: MIT */
/* debug_bytes.h - reads the next number of a section of debug data, in bounds. */
#ifndef WCM_TOOL_DEBUG_BYTES_H
#define WCM_TOOL_DEBUG_BYTES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a section.  Behind the end all numbers are 0, and AT stays. */
struct debug_bytes {
	const uint8_t *at, *end;
	bool big_endian;
};

/* The section of ELF whose name IS_WANTED says is NAME, decompressed.  Empty where there is none
 * that can be read. */
typedef bool debug_name_test(const char *section, const char *name);
struct debug_bytes debug_elf_section(Elf *elf, debug_name_test *is_wanted, const char *name);

/* The section of DWARF called .debug_NAME, or .debug_NAME.dwo, as libdw has it:
 * decompressed and relocated.  Empty where there is none. */
struct debug_bytes debug_section(Dwarf *dwarf, const char *name);

/* Why a section of ELF that is compressed by zstd cannot be decompressed, in libelf's
 * words; NULL: all can be.  libelf may be older than zstd, or built without. */
const char *zstd_fault(Elf *elf);

/* The same, said of a file that is needed. */
const char *zstd_lack(Elf *elf);

/* SIZE bytes, at most 8, as a number. */
uint64_t debug_fixed(struct debug_bytes *bytes, size_t size);

/* LEB128 (DWARF 5, 7.6). */
uint64_t debug_uleb(struct debug_bytes *bytes);
int64_t debug_sleb(struct debug_bytes *bytes);

/* A string that ends within, or NULL and the end is reached. */
const char *debug_text(struct debug_bytes *bytes);

/* False where there are not SIZE more. */
bool debug_skip(struct debug_bytes *bytes, uint64_t size);

static inline size_t debug_left(const struct debug_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

#endif
