/* SPDX-License-Identifier: MIT */
/* whole_tables.h - checks that an ELF file has the tables that its headers claim. */
#ifndef WCM_OBJECTS_WHOLE_TABLES_H
#define WCM_OBJECTS_WHOLE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read SIZE bytes of FROM, a file's, from OFFSET on; returns how many there were. */
typedef size_t wcm_bytes_reader(const void *from, void *to, size_t size, uint64_t offset);

/* Whether SIZE bytes of FROM from OFFSET on are written, as wcm__is_written() has it. */
typedef bool wcm_written_judge(const void *from, uint64_t offset, uint64_t size);

/* False if a table of symbols or relocations lies outside of the file's SIZE bytes, or if what
 * is read of it is not written.  True of what is no ELF file, or has no section headers that can
 * be read. */
bool wcm__has_whole_tables(wcm_bytes_reader *read, wcm_written_judge *is_written,
			   const void *from, uint64_t size);

#endif
