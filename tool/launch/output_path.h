/* SPDX-License-Identifier: MIT */
/* output_path.h - checks, before a program starts, that what it is to write can be written.
 *
 * What cannot is said before the program starts, not when it is too late.  In PATTERN
 * %p is the process, which is this one before it becomes the program, or another that runs.
 */
#ifndef WCM_TOOL_OUTPUT_PATH_H
#define WCM_TOOL_OUTPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "format/path.h"

enum { OUTPUT_SINCE = 32 };

/* From now on the process is PID. */
void output_is_of(long pid);

/* A file that lines are added to: make it, and, unless APPENDS, empty it.  SINCE gets
 * the time of that in nanoseconds, by the clock of its file system; empty where that is
 * no matter.  False, after a line on stderr, where it cannot be written. */
bool output_begin(const char *pattern, bool appends, char since[static OUTPUT_SINCE]);

/* Open NAME, a file that is made or emptied, a pipe or a device, to be written to.  Returns
 * -1, after a line on stderr, where that cannot be, or leads to another user's. */
int output_open(const char *name);

/* Where lines go that this command writes. */
struct output_lines {
	char *path;
	bool appends; /* what is in a file stays */
	int fd; /* -1: it is not there yet */
};

/* Find LINES where PATTERN leads, and open what is there; a file is neither made nor emptied.
 * False, after a line on stderr, where it cannot be written, or leads to another user's.  In
 * either case it is to be left. */
bool output_find_lines(struct output_lines *lines, const char *pattern, bool appends);

/* Make or empty the file.  False, after a line on stderr, where that cannot be. */
bool output_begin_lines(struct output_lines *lines);

/* False, after a line on stderr, where what was written is not all there. */
bool output_leave_lines(struct output_lines *lines);

/* A file that will be made: whether its folder is there and can be written to. */
bool output_can_be_made(const char *pattern);

/* The file of a crash report: a new one, or, APPENDS, one that is there. */
bool output_can_report(const char *pattern, bool appends);

/* The same of one that is replaced, or a pipe or a device, and leads to no other user's. */
bool output_can_replace(const char *pattern);

/* The same of one that output_open() empties later. */
bool output_can_write(const char *name);

/* False, after a line on stderr, where PATTERN leads to the file of PROGRAM. */
bool output_is_other(const char *pattern, const char *program);

/* The directory of a recording, which takes the place of another recording alone, and of
 * that only if REPLACE or by the default name. */
bool output_can_record(const char *pattern, bool replace);

/* What PATTERN, an absolute name, is for the process; the caller's to free.  NULL: only
 * the program will know, for a letter of LATER is in it. */
char *output_expand(const char *pattern, const char *later);

/* Where PATH leads, for wcm__path_leave().  False, after a line on stderr. */
bool output_find(struct wcm_path *entry, const char *path, bool follow);

/* Say WHY nothing can go to PATH.  Returns false. */
bool output_refuse(const char *path, const char *why);

/* output_made.c: makes what a process that runs is to write to.  Whatever the process keeps
 * open, or may write to later, is no part of the output in the end: the file of a graph is in
 * memory, and a recording of another user's process is in a folder apart, until they are copied. */

/* A file that takes the place of another one in the end, or
 * the folder of a recording, with its marker. */
struct output_made {
	char *path;     /* without links; the name of the process's, where % is doubled */
	char *apart;    /* the folder that the process writes to instead; or NULL */
	int folder;     /* of a recording itself, else the one that the file is in; or -1 */
	int file;       /* the marker in FOLDER, or the file; or -1 */
	int handed;     /* to the process: a file in memory, or a marker; or -1 */
	char other[64]; /* the name of the file until then */
	bool is_new;    /* the folder is */
};

/* Make the file, of another name, or the folder; USER is whom the process belongs to.  False,
 * after a line on stderr, where that cannot be.  In either case it is to be left. */
bool output_make_file(struct output_made *made, const char *pattern);
bool output_make_recording(struct output_made *made, const char *pattern, bool replace, long user);

/* Copy the recording, if it is of another user's process, to where it is to be.  False, after a
 * line on stderr, where not all of it is there. */
bool output_take_recording(const struct output_made *made);

/* Have the file take the place of the one before.  False, after a line on stderr, where it cannot,
 * or is not whole, which its last bytes, END, show. */
bool output_replace(const struct output_made *made, const char *end);

/* Remove what was made, if it is not USED, and forget it. */
void output_leave_made(struct output_made *made, bool used);

#endif
