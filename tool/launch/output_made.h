/* SPDX-License-Identifier: MIT */
/* output_made.h - makes what a process that runs is to write to.
 *
 * Whatever the process keeps open, or may write to later, is no part of the output in the end: the
 * file of a graph is in memory, and a recording of another user's process is in a folder apart,
 * until they are copied.
 */
#ifndef WCM_TOOL_OUTPUT_MADE_H
#define WCM_TOOL_OUTPUT_MADE_H

#include <stdbool.h>

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
