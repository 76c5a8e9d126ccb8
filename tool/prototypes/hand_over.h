/* SPDX-License-Identifier: MIT */
/* hand_over.h - hands prototypes over to a program. */
#ifndef WCM_TOOL_HAND_OVER_H
#define WCM_TOOL_HAND_OVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "modules/build_id.h"
#include "prototypes/enums.h"

/* Have the program at PATH know the prototypes of its functions with sleds whose names are of
 * GLOBS, and those of the libraries that it needs. */
void prototypes_hand_over(const char *path, const char *globs);

/* Such a list of the files that process PID has mapped, which nobody can change; -1: there is none,
 * or it cannot be read. */
int prototypes_of_process(long pid, const char *globs);

/* list_module.c: lists the prototypes of a module's functions with sleds, by its debug data. */

/* imports.c: the functions of a library that a program calls by name. */

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

/* Write lines into LIST, as the library reads them: of the functions of the module at PATH that
 * have sleds or that are WANTED by name, and whose names are of GLOBS.  What is wrong with its
 * debug data is complained of. */
void prototypes_list(FILE *list, struct enums *enums, const char *path, const char *globs,
		     const struct wanted_names *wanted);

#endif
