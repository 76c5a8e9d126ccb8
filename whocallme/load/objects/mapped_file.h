/* SPDX-License-Identifier: MIT */
/* mapped_file.h - checks that a file is the one that a module was mapped from. */
#ifndef WCM_OBJECTS_MAPPED_FILE_H
#define WCM_OBJECTS_MAPPED_FILE_H

#include "core/modules/modules.h"

/* Open the file PATH, -1 unless it can be read. */
int wcm__open_file(const char *path);

/* Whether the file FD starts as ELF does. */
bool wcm__is_elf_file(int fd);

/* Whether the file FD is what MODULE is mapped from: it has its program headers and, unless
 * there is a build-id to compare, its tag. */
bool wcm__is_mapped_file(int fd, const struct wcm_module *module);

/* Whether the file PATH has the program headers that MODULE has mapped. */
bool wcm__is_mapped_path(const char *path, const struct wcm_module *module);

#endif
