/* SPDX-License-Identifier: MIT */
/* build_table.c - makes a function table from raw symbols: sorts them, and chooses the
 * best alias.
 *
 * Sorting cost more than reading the file once did.  A radix sort of the addresses is
 * linear in any order; names are compared only for the few symbols that share an
 * address.
 */
#include "load/objects/build_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/symbols/symbol_name.h"
#include "whocallme/symbol.h"

enum { RADIX_BITS = 11, BUCKETS = 1 << RADIX_BITS };

static bool is_sorted(const struct wcm_raw_symbols *symbols)
{
	for (size_t i = 1; i < symbols->count; i++)
		if (symbols->symbol[i].offset < symbols->symbol[i - 1].offset)
			return false;
	return true;
}

/* Distribute FROM to TO by one digit of the offset, keeping the order of equals. */
static void distribute(const struct wcm_raw_symbol *from,
		       struct wcm_raw_symbol *to, size_t count, unsigned shift)
{
	size_t next[BUCKETS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		next[from[i].offset >> shift & (BUCKETS - 1)]++;
	for (size_t b = 0; b < BUCKETS; b++) {
		size_t size = next[b];

		next[b] = sum;
		sum += size;
	}
	for (size_t i = 0; i < count; i++)
		to[next[from[i].offset >> shift & (BUCKETS - 1)]++] = from[i];
}

static bool sort_by_offset(struct wcm_raw_symbols *symbols)
{
	struct wcm_raw_symbol *from = symbols->symbol, *to;
	uint32_t highest = 0;

	if (is_sorted(symbols))
		return true;
	to = malloc(symbols->count * sizeof(*to));
	if (!to)
		return false;
	for (size_t i = 0; i < symbols->count; i++)
		highest |= from[i].offset;
	for (unsigned shift = 0; shift < 32 && highest >> shift;
	     shift += RADIX_BITS) {
		struct wcm_raw_symbol *swap = to;

		distribute(from, to, symbols->count, shift);
		to = from;
		from = swap;
	}
	free(to);
	symbols->symbol = from;
	symbols->room = symbols->count;
	return true;
}

/* As they are shown: a symbol version decides nothing. */
static int compare_names(const struct wcm_raw_symbol *a,
			 const struct wcm_raw_symbol *b)
{
	size_t under_a = strspn(a->name, "_"), under_b = strspn(b->name, "_");
	size_t size_a = wcm__name_length(a->name, a->flags);
	size_t size_b = wcm__name_length(b->name, b->flags);
	int order;

	if (under_a != under_b)
		return under_a < under_b ? -1 : 1;
	order = memcmp(a->name, b->name, size_a < size_b ? size_a : size_b);
	return order ? order : (size_a > size_b) - (size_a < size_b);
}

static int compare_aliases(const void *left, const void *right)
{
	const struct wcm_raw_symbol *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return compare_names(a, b);
}

/* Nearly always two, which qsort(3) would take ten times as long for. */
static void sort_aliases(struct wcm_raw_symbol *symbol, size_t count)
{
	if (count > 2) {
		qsort(symbol, count, sizeof(*symbol), compare_aliases);
	} else if (compare_aliases(&symbol[0], &symbol[1]) > 0) {
		const struct wcm_raw_symbol first = symbol[0];

		symbol[0] = symbol[1];
		symbol[1] = first;
	}
}

static size_t group_end(const struct wcm_raw_symbols *symbols, size_t start)
{
	size_t end = start + 1;

	while (end < symbols->count &&
	       symbols->symbol[end].offset == symbols->symbol[start].offset)
		end++;
	return end;
}

/* Data shares its offset with no function that has a better rank. */
static void leave_out_data(struct wcm_raw_symbols *symbols)
{
	struct wcm_raw_symbol *kept = symbols->symbol, *last = NULL;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct wcm_raw_symbol symbol = symbols->symbol[i];
		const bool is_data = symbol.rank & WCM_RANK_DATA;

		if (is_data && last && last->offset != symbol.offset &&
		    last->limit > symbol.offset - last->offset)
			last->limit = symbol.offset - last->offset;
		if (is_data)
			continue;
		*kept = symbol;
		if (!last || last->offset != symbol.offset)
			last = kept; /* the best of its offset */
		kept++;
	}
	symbols->count = (size_t)(kept - symbols->symbol);
}

bool wcm__sort_before_doubles(struct wcm_raw_symbols *symbols)
{
	if (!sort_by_offset(symbols))
		return false;
	symbols->sorted = symbols->count;
	return true;
}

bool wcm__sort_symbols(struct wcm_raw_symbols *symbols)
{
	if (!sort_by_offset(symbols))
		return false;
	for (size_t i = 0; i < symbols->count;) {
		size_t end = group_end(symbols, i);

		if (end - i > 1)
			sort_aliases(&symbols->symbol[i], end - i);
		i = end;
	}
	leave_out_data(symbols);
	return true;
}

size_t wcm__name_length(const char *name, uint8_t flags)
{
	const char *at = strchr(name, '@');

	if (!at || at == name || (flags & WCM_SYMBOL_PLT))
		return wcm__raw_name_size(name);
	return (size_t)(at - name);
}

/* A table under construction. */
struct builder {
	struct wcm_function_entry *entry;
	uint32_t *bucket;
	uint8_t *flags;
	char *names;
	size_t names_size;
	uint32_t count;
};

/* Append the name of SYMBOL, noting in *FLAGS whether it is a part. */
static uint32_t add_name(struct builder *builder,
			 const struct wcm_raw_symbol *symbol, uint8_t *flags)
{
	size_t length = wcm__name_length(symbol->name, symbol->flags);
	uint8_t part = 0;
	size_t base = wcm__part_suffix(symbol->name, length, &part);
	char *to = builder->names + builder->names_size;
	uint32_t name = (uint32_t)builder->names_size;

	to = mempcpy(to, symbol->name, base);
	*to++ = '\0';
	if (base < length) {
		*flags |= part;
		to = mempcpy(to, symbol->name + base, length - base);
		*to++ = '\0';
	}
	builder->names_size = (size_t)(to - builder->names);
	return name;
}

static void add_symbol(struct builder *builder,
		       const struct wcm_raw_symbol *symbol, uint32_t size)
{
	uint8_t flags = symbol->flags;

	builder->entry[builder->count] = (struct wcm_function_entry){
		.start = symbol->offset,
		.size = size,
		.name = add_name(builder, symbol, &flags),
	};
	builder->flags[builder->count++] = flags;
}

/* Functions that have begun and not ended, outermost first: normally one. */
struct open_ranges {
	uint32_t *index;
	size_t count;
};

static uint64_t end_of(const struct builder *builder, uint32_t index)
{
	return (uint64_t)builder->entry[index].start + builder->entry[index].size;
}

/* Close what ends at or before OFFSET.  The range around a closed one goes on
 * after it in an entry that points back. */
static void close_ranges(struct builder *builder, struct open_ranges *open,
			 uint64_t offset)
{
	while (open->count > 0) {
		uint64_t end = end_of(builder, open->index[open->count - 1]);
		uint32_t outer;

		if (end > offset)
			return;
		open->count--;
		while (open->count > 0 &&
		       end_of(builder, open->index[open->count - 1]) <= end)
			open->count--;
		if (open->count == 0 || end == offset)
			continue;
		outer = open->index[open->count - 1];
		builder->entry[builder->count] = (struct wcm_function_entry){
			.start = (uint32_t)end,
			.size = WCM_ENTRY_PART_OF | outer,
			.name = builder->entry[outer].name,
		};
		builder->flags[builder->count++] = builder->flags[outer];
	}
}

/* Add the best symbol of an offset; NEXT is where the next one stands. */
static void add_function(struct builder *builder, struct open_ranges *open,
			 const struct wcm_raw_symbol *symbol, uint64_t next)
{
	uint64_t room = next - symbol->offset;
	uint32_t size = symbol->size;

	close_ranges(builder, open, symbol->offset);
	if (size == 0 && open->count > 0) {
		add_symbol(builder, symbol,
			   WCM_ENTRY_PART_OF | open->index[open->count - 1]);
		return;
	}
	if (size == 0)
		size = room < symbol->limit ? (uint32_t)room : symbol->limit;
	if (size == 0)
		return;
	open->index[open->count++] = builder->count;
	add_symbol(builder, symbol, size);
}

/* Names lie in the order of the file, symbols in that of their offsets: asked for
 * ahead of time, a name is there when its turn comes. */
static void prefetch_name(const struct wcm_raw_symbols *symbols, size_t i)
{
	enum { AHEAD = 16 };

	if (i + AHEAD < symbols->count)
		__builtin_prefetch(symbols->symbol[i + AHEAD].name);
}

/* The most that a table takes. */
struct room {
	size_t entries, names;
};

static struct room measure(const struct wcm_raw_symbols *symbols)
{
	struct room room = { 1, 1 };
	uint64_t reach = 0;

	for (size_t i = 0; i < symbols->count; i = group_end(symbols, i)) {
		const struct wcm_raw_symbol *symbol = &symbols->symbol[i];
		uint64_t end = (uint64_t)symbol->offset + symbol->size;

		prefetch_name(symbols, i);
		/* The range around an inner one may go on after it. */
		room.entries += symbol->offset < reach ? 2 : 1;
		/* Two zero bytes. */
		room.names += wcm__raw_name_size(symbol->name) + 2;
		if (end > reach)
			reach = end;
	}
	return room;
}

static void add_all(struct builder *builder, struct open_ranges *open,
		    const struct wcm_raw_symbols *symbols)
{
	for (size_t i = 0, end; i < symbols->count; i = end) {
		end = group_end(symbols, i);
		prefetch_name(symbols, i);
		add_function(builder, open, &symbols->symbol[i],
			     end < symbols->count ? symbols->symbol[end].offset
						  : UINT64_MAX);
	}
	close_ranges(builder, open, UINT64_MAX);
}

/* The narrowest buckets that are no more than half the COUNT of functions, the
 * last of which starts at LAST. */
static uint32_t bucket_shift(uint32_t last, uint32_t count)
{
	uint32_t shift = 0;

	while (shift < 31 && last >> shift > count / 2)
		shift++;
	return shift;
}

static void fill_buckets(uint32_t *bucket, uint32_t buckets, uint32_t shift,
			 const struct wcm_function_entry *entry, uint32_t count)
{
	uint32_t below = 0;

	for (uint32_t b = 0; b < buckets; b++) {
		while (below < count && entry[below].start >> shift < b)
			below++;
		bucket[b] = below;
	}
	bucket[buckets] = count;
}

static void fill_table(struct wcm_function_table *table,
		       const struct builder *builder)
{
	uint32_t last = builder->count > 0
		? builder->entry[builder->count - 1].start
		: 0;
	uint32_t shift = bucket_shift(last, builder->count);
	uint32_t buckets = (last >> shift) + 1;

	fill_buckets(builder->bucket, buckets, shift, builder->entry,
		     builder->count);
	*table = (struct wcm_function_table){
		.entry = builder->entry,
		.flags = builder->flags,
		.bucket = builder->bucket,
		.names = builder->names,
		.names_size = builder->names_size,
		.count = builder->count,
		.buckets = buckets,
		.shift = shift,
	};
}

/* As many buckets as bucket_shift() can ask for, and the end of the last. */
static size_t most_buckets(size_t entries)
{
	return entries / 2 + 3;
}

/* The one block that a table is: header, entries, buckets, flags, names. */
static void lay_out(struct builder *builder, struct wcm_function_table *block,
		    size_t entries)
{
	builder->entry = (struct wcm_function_entry *)(block + 1);
	builder->bucket = (uint32_t *)(builder->entry + entries);
	builder->flags = (uint8_t *)(builder->bucket + most_buckets(entries));
	builder->names = (char *)(builder->flags + entries);
}

static size_t size_before_names(size_t entries)
{
	return sizeof(struct wcm_function_table) +
	       entries * sizeof(struct wcm_function_entry) +
	       most_buckets(entries) * sizeof(uint32_t) +
	       entries * sizeof(uint8_t);
}

struct wcm_function_table *
wcm__build_table(const struct wcm_raw_symbols *symbols)
{
	struct room room = measure(symbols);
	struct builder builder = { 0 };
	struct open_ranges open = {
		.index = calloc(room.entries, sizeof(*open.index)),
	};
	struct wcm_function_table *table, *cut;
	size_t fixed = size_before_names(room.entries);

	table = malloc(fixed + room.names);
	if (table && open.index) {
		lay_out(&builder, table, room.entries);
		add_all(&builder, &open, symbols);
		cut = realloc(table, fixed + builder.names_size);
		table = cut ? cut : table;
		lay_out(&builder, table, room.entries);
		fill_table(table, &builder);
		table->is_whole = symbols->is_whole;
	} else {
		free(table);
		table = NULL;
	}
	free(open.index);
	return table;
}
