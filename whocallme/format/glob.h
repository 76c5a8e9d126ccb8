/* SPDX-License-Identifier: MIT */
/* glob.h (SAFE) - matches a name with a pattern, in a hook. */
#ifndef WCM_FORMAT_GLOB_H
#define WCM_FORMAT_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether all of TEXT, of TEXT_SIZE bytes, is of the pattern GLOB, of SIZE bytes: as
 * fnmatch(3) without flags has it, by bytes and without [:classes:]. */
bool wcm__glob_matches(const char *glob, size_t size, const char *text,
		       size_t text_size);

/* Whether one of LIST does, globs with commas in between; a backslash takes a comma's
 * meaning away, and spaces behind a comma have none. */
bool wcm__globs_match(const char *list, const char *text, size_t text_size);

/* The same, for all of LIST: *SEEN, of which each glob has a bit, up to the 64th, gets
 * those that match. */
bool wcm__globs_note(const char *list, const char *text, size_t text_size,
		     uint64_t *seen);

/* The same of a list that may also leave out: a glob behind a ! drops what it matches, though
 * another has it, and a ! before the first glob is that of each.  What drops alone has all else.
 * One that begins with % is of the names of CLASSES, with blanks in between, that TEXT is in. */
bool wcm__globs_choose(const char *list, const char *text, size_t text_size,
		       const char *classes, uint64_t *seen);

/* Which globs of such a list drop, a bit each. */
uint64_t wcm__globs_drop(const char *list);

/* The first glob of LIST is at *START; returns its size, and 0 where LIST is at its
 * end. */
size_t wcm__globs_first(const char *list, const char **start);

/* The same for PATH or what of it is behind one of its slashes. */
bool wcm__globs_note_path(const char *list, const char *path, uint64_t *seen);

#endif
