/* SPDX-License-Identifier: MIT */
/* frame_lines.h - looks an address up and writes its functions and source lines. */
#ifndef WCM_TOOL_FRAME_LINES_H
#define WCM_TOOL_FRAME_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "debug/binary.h"
#include "resolve/module_offset.h"

struct resolver {
	struct binaries *binaries;
	bool demangle, colour;
	bool says_missing; /* that there is no debug data */
	unsigned around; /* lines of source text on either side of one; 0: no text */
	struct locations locations; /* of the last address */
	char *doubt;          /* about a source of the last address, or NULL */
	bool has_file;        /* its module has */
	uint64_t said[1024];  /* hashes of complaints that were written */
	size_t said_count;
};

enum { MOST_NAME = 8192 /* bytes written of one: those of templates have no limit */ };

/* Look ADDRESS up.  The complaint about its module, the first time, or NULL; what was
 * found is in RESOLVER's locations, whose strings live until the next call: nothing where
 * the file has no function that begins where ADDRESS's does. */
const char *resolver_find(struct resolver *resolver, const struct address *address);

/* The same complaint alone. */
const char *resolver_complaint(struct resolver *resolver, const struct address *address);

/* FUNCTION as RESOLVER's options want it; *MEMORY is the caller's to free. */
const char *resolver_name(const struct resolver *resolver, const char *function,
			  char **memory);

/* The functions of the last address, a line each, with source text below. */
void resolver_print(const struct resolver *resolver, FILE *file);

/* The source text of LOCATION's line and of those AROUND it; 0: none at all. */
void print_source(FILE *file, const struct location *location, unsigned around, bool colour);

/* One of those lines, of LENGTH bytes; IS_IT: the one that is meant. */
void print_source_line(FILE *file, unsigned number, bool is_it, const char *text,
		       size_t length, bool colour);

/* "PATH: COMPLAINT", where COMPLAINT does not begin with its path. */
void write_complaint(FILE *file, const struct address *address, const char *complaint);

/* The same as a line below a frame. */
void print_complaint(FILE *file, const struct address *address, const char *complaint);

/* serve.c: a conversation with a program that asks for lines. */

/* Answer the requests on stdin, on stdout, as format/lines_protocol.h has them,
 * until there are no more or nobody reads the answers.  Returns the exit status. */
int serve(struct resolver *resolver);

#endif
