/* SPDX-License-Identifier: MIT */
/* flame_page.h - a flame graph as a page of HTML, or a drawing in SVG, that needs nothing else. */
#ifndef WCM_TOOL_FLAME_PAGE_H
#define WCM_TOOL_FLAME_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack: its last function, below the stack that is its PARENT, which comes before it. */
struct flame_frame {
	size_t parent;  /* 0: none; the first frame is none itself */
	char *name;     /* as it is shown, the caller's to free; NULL: of the first */
	uint64_t value; /* of its own; later of those below it, too */
	double at;      /* where it begins, of the whole; the page's own */
	unsigned depth;
};

struct flame_page {
	const char *title;
	bool is_html, has_times; /* values are nanoseconds, or calls */
	size_t left_out;         /* frames that were not written: an answer */
};

/* Write the COUNT frames to stdout, as far as they are wide enough to be seen. */
void flame_page_write(struct flame_page *page, struct flame_frame *frames, size_t count);

#endif
