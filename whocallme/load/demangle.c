/* SPDX-License-Identifier: MIT */
/* demangle.c - names as people write them, when they are written. */
#include "load/demangle.h"

#include <demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "whocallme/symbol.h"

enum {
	STYLE = DMGL_PARAMS | DMGL_ANSI,
	/* libiberty takes about 100 bytes of stack a character. */
	LONGEST_ON_ANY_STACK = 256,
};

char *wcm_name_demangle(const char *name)
{
	char *plain = cplus_demangle(name, STYLE | DMGL_AUTO);

	/* DMGL_AUTO takes D's names for nobody's. */
	return plain ? plain : cplus_demangle(name, STYLE | DMGL_DLANG);
}

/* Where a demangler's output goes. */
struct sink {
	char *text;
	size_t used, room;
	jmp_buf overrun; /* out of a demangler whose output would not end */
};

static void take(const char *text, size_t size, void *opaque)
{
	struct sink *sink = opaque;

	if (size >= sink->room - sink->used)
		longjmp(sink->overrun, 1);
	memcpy(sink->text + sink->used, text, size);
	sink->used += size;
	sink->text[sink->used] = '\0';
}

typedef int demangler(const char *name, int options,
		      demangle_callbackref callback, void *opaque);

static bool demangle(demangler *by, const char *name, struct sink *sink)
{
	sink->used = 0;
	if (setjmp(sink->overrun) != 0)
		return false;
	return by(name, STYLE, take, sink) && sink->used > 0 &&
	       wcm__format_printable(sink->text) == sink->used;
}

/* libiberty allocates to decode a Rust identifier that is not ASCII: "u", then
 * its length. */
static bool is_punycode(const char *name)
{
	for (const char *u = name; (u = strchr(u, 'u')); u++)
		if (u[1] >= '0' && u[1] <= '9')
			return name[1] == 'R';
	return false;
}

void wcm__line_demangled(struct wcm_line *line, const char *name)
{
	struct sink sink = { 0 };

	sink.text = wcm__line_room(line, &sink.room);
	if (name[0] == '_' && strlen(name) <= LONGEST_ON_ANY_STACK &&
	    sink.room > 0 && !is_punycode(name) &&
	    (demangle(rust_demangle_callback, name, &sink) ||
	     demangle(cplus_demangle_v3_callback, name, &sink)))
		wcm__line_use_room(line, sink.used);
	else
		wcm__line_name(line, name);
}
