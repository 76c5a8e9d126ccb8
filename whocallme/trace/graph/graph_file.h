/* SPDX-License-Identifier: MIT */
/* graph_file.h - replaces the file of a graph as a whole, or not at all. */
#ifndef WCM_GRAPH_GRAPH_FILE_H
#define WCM_GRAPH_GRAPH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/path.h"

/* Graphs go to PATH, which is absolute: %p in it is the process, %% a %.  Without %p,
 * a child of the process that asks for this adds its number, and so does one that finds
 * another program's graph there, written since SINCE, in nanoseconds since 1970; 0: all
 * may be replaced.  False: PATH is too long. */
bool wcm__graph_file_set(const char *path, uint64_t since);

/* The same, but graphs go to FD, a file of which PATH is only told. */
bool wcm__graph_file_set_open(const char *path, int fd);

/* Whether the calling process is the one that did. */
bool wcm__graph_file_is_ours(void);

struct wcm_graph_file {
	int fd, error; /* an errno, or 0 */
	uint32_t number;
	bool renamed;  /* it is written under another name first */
	bool told;     /* its name is that of this process alone */
	bool is_empty; /* nobody misses it where another program's is; the writer says so */
	uint64_t mask; /* of signals, before; what ends the process waits so long */
	size_t used;
	char path[4096]; /* as it was asked for */
	struct wcm_path entry;
	char other[256]; /* a name in the same folder; */
	char apart[256]; /* another, where the file is somebody else's */
	char buffer[32 * 1024];
};

/* Begin a file, in memory of the caller's. */
void wcm__graph_file_open(struct wcm_graph_file *file);

void wcm__graph_file_put(struct wcm_graph_file *file, const char *text, size_t size);

/* Have the file take the place of the one before; or say why not, on stderr.
 * Returns whether it did. */
bool wcm__graph_file_close(struct wcm_graph_file *file);

#endif
