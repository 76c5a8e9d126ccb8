/* SPDX-License-Identifier: MIT */
/* binary.h - finds the functions and source lines at an address of a module.
 *
 * A module is known by its path, its build-id, or both.  What is found once stays
 * open, so that the second request about a module costs little.
 */
#ifndef WCM_TOOL_BINARY_H
#define WCM_TOOL_BINARY_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/location.h"
#include "debug/span.h"
#include "modules/split_file.h"

struct binaries;
struct binary;

/* No more than MOST are kept open, the least recently used being closed; 0: all.
 * DEBUG_DIRS: folders of separate debug files, with colons in between, or NULL for
 * the one that was configured.  It limits the process's data (RLIMIT_DATA) to half of
 * the machine's memory.  NULL when out of memory. */
struct binaries *binaries_new(const char *debug_dirs, size_t most);
void binaries_free(struct binaries *binaries);

/* The file of the program that asks, however it is called now: /proc/PID/exe.  Where
 * the file at a module's path is not of its build, this one may be. */
void binaries_set_running(struct binaries *binaries, const char *file);

/* Open the module at PATH with BUILD_ID of SIZE bytes; either may be NULL.  It is
 * never NULL: a module without any file answers every address with nothing.  It
 * lives until the next call. */
struct binary *binaries_open(struct binaries *binaries, const char *path,
			     const uint8_t *build_id, size_t size);

/* The same of the module that is mapped from the file at PATH, as TAG tells (file_tag.h). */
struct binary *binaries_open_tagged(struct binaries *binaries, const char *path, uint64_t tag);

/* What is wrong with its files, in a line without a newline; NULL: nothing.  A file
 * of another build (a stale executable, a debug file with another build-id) is not
 * used, and said here.  binary_find() and binary_may_begin() may add to it: ask after
 * them. */
const char *binary_complaint(const struct binary *binary);

/* Why it has no debug data and what to do about that, likewise; NULL: it has some. */
const char *binary_missing(const struct binary *binary);

/* Whether there is any file of it. */
bool binary_has_file(const struct binary *binary);

/* Put the functions at ADDRESS into LOCATIONS, innermost first.  ADDRESS is numbered as in
 * the file.  There is at least one location, unless memory is out: the symbol table answers
 * where debug data does not.  BINARY owns the strings. */
void binary_find(struct binary *binary, uint64_t address, struct locations *locations);

/* Whether a function may begin at ADDRESS.  False where it lies within one: then the
 * address is of another build. */
bool binary_may_begin(struct binary *binary, uint64_t address);

/* Its build-id as it was found in its files; *SIZE is 0 where there is none. */
const uint8_t *binary_build_id(const struct binary *binary, size_t *size);

/* unit.c: finds the compilation unit of an address and what it says.  Addresses are those of the
 * file that the debug data is in. */

struct units;

/* Of DWARF, which lives as long, as TEXT does: the addresses of code; and HOME, where split debug
 * data is. */
struct units *units_new(Dwarf *dwarf, const struct spans *text, struct split_home *home);
void units_free(struct units *units);

/* Add the functions at ADDRESS to LOCATIONS, innermost first.  False where debug data
 * knows nothing.  A function is NULL where only the line is known. */
bool units_find(struct units *units, uint64_t address, struct locations *locations);

/* Whether the linker's names of functions at the last address found are mangled, so
 * that the source's name tells less. */
bool units_mangled(const struct units *units);

/* Which file of split debug data an address needed that was not found or not used, and why;
 * NULL: none. */
const char *units_missing(const struct units *units);

/* line_table.c: finds the source line of an address.  libdw sorts all rows of a unit by address
 * and forgets which belong together.  What the linker threw away (--gc-sections) has rows at
 * addresses from 0 on, among which those of the first pages of a program would be lost, so that
 * the table is read here. That is quicker, too: sorting takes libdw 0.188 13 ms for 130,000
 * rows. */

struct line_table;

/* That of the unit whose first entry is UNIT, compiled in FOLDER, or NULL; TEXT has the addresses
 * of code.  *ROWS counts down those that are read.  NULL where there is none. */
struct line_table *line_table_read(Dwarf_Die *unit, const char *folder, const struct spans *text,
				   size_t *rows);
void line_table_free(struct line_table *table);

/* Fill in LOCATION's file, line and column.  False where no row holds ADDRESS. */
bool line_table_find(struct line_table *table, uint64_t address,
		     struct location *location);

/* Fill in LOCATION's file, that of the number INDEX, and its facts, which live as long as TABLE. */
void line_table_file(struct line_table *table, uint64_t index, struct location *location);

#endif
