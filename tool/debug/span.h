/* SPDX-License-Identifier: MIT */
/* span.h - finds which of many ranges of addresses holds one. */
#ifndef WCM_TOOL_SPAN_H
#define WCM_TOOL_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t low, high; /* high is the first address behind it */
	uint64_t value;     /* whose it is */
};

/* Zeroed: none.  Ranges are added, settled once, then asked for. */
struct spans {
	struct span *span;
	size_t count, room;
};

/* Damaged debug data may claim any number of ranges; more are not taken. */
enum { SPANS_MOST = 1 << 22 };

/* False, and nothing is added, when out of memory or above SPANS_MOST; an empty
 * range is left out. */
bool spans_add(struct spans *spans, uint64_t low, uint64_t high,
	       uint64_t value);

/* Make them ready for spans_find().  Where some overlap, the greatest value has
 * the address.  False, and there are none, when out of memory. */
bool spans_settle(struct spans *spans);

/* The one that holds ADDRESS, or NULL. */
const struct span *spans_find(const struct spans *spans, uint64_t address);

void spans_free(struct spans *spans);

#endif
