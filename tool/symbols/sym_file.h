/* SPDX-License-Identifier: MIT */
/* sym_file.h - finds the function at an offset of a module, from the recording's table. */
#ifndef WCM_TOOL_SYM_FILE_H
#define WCM_TOOL_SYM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_functions;

struct symbol {
	uint64_t address; /* from where the module's first mapping starts */
	uint64_t size;    /* 0: up to the next one */
	const char *name; /* as the linker has it */
	char type;        /* that of nm(1), P for a linkage stub, ? for an end */
};

/* Sorted by address. */
struct sym_file {
	struct symbol *symbols;
	size_t count, room;
	char *text; /* what the names point into, or */
	struct wcm_functions *functions; /* whose they are */
	char *path, *build_id; /* as the text has it; NULL: it has not */
	bool parsed;
};

/* Read the text of file NAME in DIR, without its symbols; parse these, once. */
bool sym_file_load(struct sym_file *file, const char *dir, const char *name);
void sym_file_parse(struct sym_file *file);

/* How well what the text says of its module fits PATH and BUILD_ID, in hexadecimal or
 * empty; 0: it is another one's. */
int sym_file_fit(const struct sym_file *file, const char *path, const char *build_id);

void sym_file_free(struct sym_file *file);

/* Where the last of them ends, as an offset; 0: there is none. */
uint64_t sym_file_size(const struct sym_file *file);

/* NULL where no function is known to hold OFFSET. */
const struct symbol *sym_file_find(const struct sym_file *file, uint64_t offset);

#endif
