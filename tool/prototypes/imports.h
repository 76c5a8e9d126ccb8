/* SPDX-License-Identifier: MIT */
/* imports.h - the functions of a library that a program calls by name. */
#ifndef WCM_TOOL_IMPORTS_H
#define WCM_TOOL_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "modules/build_id.h"

/* Names that a program leaves to others, ascending.  They last as long as its file is open. */
struct wanted_names {
	const char **name;
	size_t count, room;
};

void wanted_names_read(struct wanted_names *wanted, const struct elf_file *program);
void wanted_names_free(struct wanted_names *wanted);

struct import {
	uint64_t at; /* in the file */
	const char *name;
};

/* Those that a library has, by address. */
struct imports {
	struct import *import;
	size_t count, room;
};

void imports_read(struct imports *imports, const struct elf_file *library,
		  const struct wanted_names *wanted);
void imports_free(struct imports *imports);

/* The first of those AT an address; the others follow.  NULL: there is none. */
const struct import *imports_at(const struct imports *imports, uint64_t at);

#endif
