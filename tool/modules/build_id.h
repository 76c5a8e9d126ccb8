/* SPDX-License-Identifier: MIT */
/* build_id.h - opens an ELF file that can be read safely, and reads its build-id. */
#ifndef WCM_TOOL_BUILD_ID_H
#define WCM_TOOL_BUILD_ID_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUILD_ID_MOST = 64 };

/* SIZE is 0 where there is none. */
struct build_id {
	uint8_t byte[BUILD_ID_MOST];
	size_t size;
};

/* An opened regular file with ELF in it, or neither. */
struct elf_file {
	int fd;
	Elf *elf;
};

/* False where PATH cannot be opened; errno says why, or is 0 where it is no ELF
 * file, and EFBIG where its sections are larger, or unpack to more, than what is written
 * of it can be. */
bool elf_file_open(struct elf_file *file, const char *path);

/* Whether FILE can be read as a whole: a sixteenth of it is written at least. */
bool elf_file_is_written(const struct elf_file *file);
void elf_file_close(struct elf_file *file);

struct build_id build_id_of(Elf *elf);

/* The bytes, less those that do not fit. */
struct build_id build_id_make(const void *bytes, size_t size);

/* Whether ID is what WANTED says, which may be only its first bytes. */
bool build_id_is(const struct build_id *id, const struct build_id *wanted);

enum { BUILD_ID_SHORT = 24 };

/* The first digits, for people: "build-id 0123abcd", or "no build-id". */
const char *build_id_short(const struct build_id *id,
			   char text[BUILD_ID_SHORT]);

#endif
