/* SPDX-License-Identifier: MIT */
/* graph_file.h (SAFE) - replaces the file of a graph as a whole, or not at all. */
#ifndef WCM_GRAPH_GRAPH_FILE_H
#define WCM_GRAPH_GRAPH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text.h"
#include "format/path.h"
#include "format/words.h"
#include "trace/engine/sink.h"

/* Graphs go to PATH, which is absolute: %p in it is the process, %% a %.  Without %p,
 * a child of the process that asks for this adds its number, and so does one that finds
 * another program's graph there, written since SINCE, in nanoseconds since 1970; 0: all
 * may be replaced.  False: PATH is too long. */
bool wcm__graph_file_set(const char *path, uint64_t since);

/* The same, but graphs go to FD, a file of which PATH is only told. */
bool wcm__graph_file_set_open(const char *path, int fd);

/* Whether the calling process is the one that has set it. */
bool wcm__graph_file_is_ours(void);

/* Note where the path leads, which is WHERE: the program may change its root directory, and it
 * leads elsewhere then.  OPEN: keep the folder open until wcm__graph_file_release(). */
void wcm__graph_file_keep(const struct wcm_path *where, bool open);

/* The program is about to give up WHAT: open the file now, if it may not be able to at the end.  A
 * graph goes into it if it cannot be replaced as a whole. */
void wcm__graph_file_reserve(enum wcm_gives_up what);

/* Another program is about to take this one's place, and the file is no graph yet: remove it. */
void wcm__graph_file_unreserve(void);

/* Close the folder: whoever takes the program over could leave its root directory by that. */
void wcm__graph_file_release(void);

struct wcm_graph_file {
	struct wcm_words out; /* the first member: what goes into the file */
	int fd, error;        /* an errno, or 0 */
	uint32_t number;
	bool renamed;  /* it is written under another name first */
	bool told;     /* its name is that of this process alone */
	bool is_empty; /* nobody misses it where another program's is; the writer says so */
	uint64_t mask; /* of signals, before; what ends the process waits so long */
	char path[4096]; /* as it was asked for */
	struct wcm_path entry;
	char other[256]; /* a name in the same folder; */
	char apart[256]; /* another, where the file is somebody else's */
	char buffer[32 * 1024];
};

/* Begin a file, in memory of the caller's. */
void wcm__graph_file_open(struct wcm_graph_file *file);

/* Have the file take the place of the one before; or say why not, on stderr.
 * Returns whether it did. */
bool wcm__graph_file_close(struct wcm_graph_file *file);

/* graph_dot.c: writes a graph of calls in Graphviz' language. */

/* Write what has been counted so far to the file, names as WRITE_NAME shows them.
 * False, after a line on stderr: it cannot be written. */
bool wcm__graph_write(wcm_name_writer *write_name);

#endif
