/* SPDX-License-Identifier: MIT */
/* resolver.h - what is at an address, and how does it read? */
#ifndef WCM_TOOL_RESOLVER_H
#define WCM_TOOL_RESOLVER_H

#include <stdbool.h>
#include <stdio.h>

#include "address.h"
#include "binary.h"

struct resolver {
	struct binaries *binaries;
	bool demangle, colour;
	unsigned around; /* lines of source text on either side of one; 0: no text */
	struct places places; /* of the last address */
	uint64_t said[1024];  /* hashes of complaints that were written */
	size_t said_count;
};

enum { MOST_NAME = 8192 /* bytes written of one: those of templates have no limit */ };

/* Look ADDRESS up.  The complaint about its module, the first time, or NULL; what was
 * found is in RESOLVER's places, whose strings live until the next call. */
const char *resolver_find(struct resolver *resolver, const struct address *address);

/* FUNCTION as RESOLVER's options want it; *MEMORY is the caller's to free. */
const char *resolver_name(const struct resolver *resolver, const char *function,
			  char **memory);

/* The functions of the last address, a line each, with source text below. */
void resolver_print(const struct resolver *resolver, FILE *file);

/* The source text around PLACE's line; EDGE is above 0 where lines around it are
 * wanted. */
void print_source(FILE *file, const struct place *place, unsigned around, bool colour);

/* "   (PATH: COMPLAINT)" */
void print_complaint(FILE *file, const struct address *address, const char *complaint);

#endif
