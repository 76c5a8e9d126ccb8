/* SPDX-License-Identifier: MIT */
/* solid.h - checks that a file has the bytes that it claims to have. */
#ifndef WCM_OBJECTS_SOLID_H
#define WCM_OBJECTS_SOLID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read SIZE bytes of the file FD from OFFSET on.  Returns how many were read: 0 where SIZE is
 * larger than any table, or a hole of the file is among them. */
size_t wcm__solid_read(int fd, void *to, size_t size, uint64_t offset);

/* Whether the file at PATH can be read as a whole: it is regular, and not sparse.  True where there
 * is none: who opens it says so. */
bool wcm__solid_file(const char *path);

#endif
