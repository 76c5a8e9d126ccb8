/* SPDX-License-Identifier: MIT */
/* span.c - finds which of many ranges of addresses holds one.
 *
 * Overlaps are resolved once, by a sweep over the sorted ranges with a heap of those
 * that are open, so that a look-up is one binary search, and the worst input costs
 * n log n.
 */
#include "debug/span.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static bool add(struct spans *spans, uint64_t low, uint64_t high, uint64_t value)
{
	struct span *grown = grow(spans->span, spans->count, &spans->room,
				  sizeof(*grown));

	if (!grown)
		return false;
	spans->span = grown;
	spans->span[spans->count++] =
		(struct span){ .low = low, .high = high, .value = value };
	return true;
}

bool spans_add(struct spans *spans, uint64_t low, uint64_t high,
	       uint64_t value)
{
	return low >= high ||
	       (spans->count < SPANS_MOST && add(spans, low, high, value));
}

static int by_low(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

static bool is_sorted(const struct spans *spans)
{
	for (size_t i = 1; i < spans->count; i++) {
		if (spans->span[i - 1].low > spans->span[i].low)
			return false;
	}
	return true;
}

static bool overlap(const struct spans *spans)
{
	for (size_t i = 1; i < spans->count; i++) {
		if (spans->span[i - 1].high > spans->span[i].low)
			return true;
	}
	return false;
}

/* A heap of open ranges, the greatest value on top. */
struct heap {
	const struct span **open;
	size_t count;
};

static void heap_swap(struct heap *heap, size_t a, size_t b)
{
	const struct span *span = heap->open[a];

	heap->open[a] = heap->open[b];
	heap->open[b] = span;
}

static void heap_push(struct heap *heap, const struct span *span)
{
	size_t at = heap->count++;

	heap->open[at] = span;
	for (; at > 0; at = (at - 1) / 2) {
		size_t parent = (at - 1) / 2;

		if (heap->open[parent]->value >= heap->open[at]->value)
			break;
		heap_swap(heap, parent, at);
	}
}

static void heap_pop(struct heap *heap)
{
	size_t at = 0;

	heap->open[0] = heap->open[--heap->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    heap->open[child + 1]->value > heap->open[child]->value)
			child++;
		if (heap->open[at]->value >= heap->open[child]->value)
			break;
		heap_swap(heap, at, child);
		at = child;
	}
}

/* Append to FLAT, joined to its last where it goes on. */
static bool append(struct spans *flat, uint64_t low, uint64_t high,
		   uint64_t value)
{
	struct span *last = flat->count ? &flat->span[flat->count - 1] : NULL;

	if (last && last->high == low && last->value == value) {
		last->high = high;
		return true;
	}
	return add(flat, low, high, value);
}

/* From SPANS, sorted, to FLAT, whose ranges are apart. */
static bool flatten(const struct spans *spans, struct heap *heap,
		    struct spans *flat)
{
	uint64_t at = 0;
	size_t next = 0;

	while (next < spans->count || heap->count > 0) {
		const struct span *top;
		uint64_t end;

		if (heap->count == 0)
			at = spans->span[next].low;
		while (next < spans->count && spans->span[next].low <= at)
			heap_push(heap, &spans->span[next++]);
		while (heap->count > 0 && heap->open[0]->high <= at)
			heap_pop(heap);
		if (heap->count == 0)
			continue;
		top = heap->open[0];
		end = top->high;
		if (next < spans->count && spans->span[next].low < end)
			end = spans->span[next].low;
		if (!append(flat, at, end, top->value))
			return false;
		at = end;
	}
	return true;
}

bool spans_settle(struct spans *spans)
{
	struct spans flat = { 0 };
	struct heap heap = { 0 };
	bool done;

	if (!is_sorted(spans))
		qsort(spans->span, spans->count, sizeof(*spans->span), by_low);
	if (!overlap(spans))
		return true;
	heap.open = calloc(spans->count, sizeof(*heap.open));
	done = heap.open && flatten(spans, &heap, &flat);
	free(heap.open);
	spans_free(spans);
	if (done)
		*spans = flat;
	else
		spans_free(&flat);
	return done;
}

const struct span *spans_find(const struct spans *spans, uint64_t address)
{
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->span[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == spans->count || spans->span[low].low > address)
		return NULL;
	return &spans->span[low];
}

void spans_free(struct spans *spans)
{
	free(spans->span);
	memset(spans, 0, sizeof(*spans));
}
