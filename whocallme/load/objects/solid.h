/* SPDX-License-Identifier: MIT */
/* solid.h - checks that a file has the bytes that it claims to have. */
#ifndef WCM_OBJECTS_SOLID_H
#define WCM_OBJECTS_SOLID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read SIZE bytes of the file FD from OFFSET on.  Returns how many there are: none of
 * what is larger than any table, or is not written. */
size_t wcm__solid_read(int fd, void *to, size_t size, uint64_t offset);

/* Whether the file at PATH is one that can be read as a whole: regular, and no size that
 * is only claimed.  A name that leads to no file can be. */
bool wcm__solid_file(const char *path);

#endif
