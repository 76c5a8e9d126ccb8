/* SPDX-License-Identifier: MIT */
/* dynamic.c (SAFE) - finds an object's dynamic symbols, and counts them.
 *
 * Nothing gives their number but the hash tables.  The GNU one counts those that the
 * object defines, which are the last; where there are none it is empty.
 */
#include "core/modules/module.h"

/* The tables that a dynamic section gives the addresses of, in no order. */
enum table {
	SYMTAB, STRTAB, HASH, GNU_HASH, VERSYM, VERDEF, VERNEED, RELA, JMPREL,
	TABLES
};

struct dynamic {
	uintptr_t bias, lo, hi; /* of the object */
	uintptr_t at[TABLES]; /* 0: there is none */
	size_t strsz;
};

/* The dynamic linker relocates these values in some objects and leaves them as
 * they are in others, the vdso among them. */
static uintptr_t relocated(const struct dynamic *object, uintptr_t value)
{
	return value >= object->lo && value < object->hi ? value
							 : value + object->bias;
}

static enum table table_of(ElfW(Sxword) tag)
{
	switch (tag) {
	case DT_SYMTAB:
		return SYMTAB;
	case DT_STRTAB:
		return STRTAB;
	case DT_HASH:
		return HASH;
	case DT_GNU_HASH:
		return GNU_HASH;
	case DT_VERSYM:
		return VERSYM;
	case DT_VERDEF:
		return VERDEF;
	case DT_VERNEED:
		return VERNEED;
	case DT_RELA:
		return RELA;
	case DT_JMPREL:
		return JMPREL;
	default:
		return TABLES;
	}
}

static void note_dynamic_entry(struct dynamic *dynamic, const ElfW(Dyn) *entry)
{
	const enum table table = table_of(entry->d_tag);

	if (table < TABLES)
		dynamic->at[table] = relocated(dynamic, entry->d_un.d_ptr);
	else if (entry->d_tag == DT_STRSZ)
		dynamic->strsz = entry->d_un.d_val;
}

static bool read_dynamic(struct dynamic *dynamic, const struct wcm_headers *headers)
{
	const ElfW(Phdr) *phdr = wcm__headers_find(headers, PT_DYNAMIC);
	ElfW(Dyn) entry[16];
	size_t count, part;

	if (!phdr)
		return false;
	count = phdr->p_memsz / sizeof(*entry);
	for (size_t i = 0; i < count; i += part) {
		uintptr_t at = dynamic->bias + phdr->p_vaddr +
			       i * sizeof(*entry);

		part = count - i < 16 ? count - i : 16;
		if (!wcm__headers_copy(headers, at, entry,
				       part * sizeof(*entry)))
			break;
		for (size_t j = 0; j < part; j++) {
			if (entry[j].d_tag == DT_NULL)
				return dynamic->at[SYMTAB] &&
				       dynamic->at[STRTAB];
			note_dynamic_entry(dynamic, &entry[j]);
		}
	}
	return dynamic->at[SYMTAB] && dynamic->at[STRTAB];
}

static size_t count_by_hash(const struct wcm_headers *headers, uintptr_t hash)
{
	uint32_t head[2]; /* nbucket, nchain: one chain entry a symbol */

	if (wcm__headers_readable(headers, hash) < sizeof(head) ||
	    !wcm__headers_copy(headers, hash, head, sizeof(head)))
		return 0;
	return head[1];
}

/* The highest of COUNT words at AT; 0 where they cannot be read. */
static uint32_t highest_word(const struct wcm_headers *headers, uintptr_t at,
			     size_t count)
{
	enum { CHUNK = 256 };
	uint32_t chunk[CHUNK], highest = 0;

	while (count > 0) {
		size_t part = count < CHUNK ? count : CHUNK;

		if (!wcm__headers_copy(headers, at, chunk,
				       part * sizeof(*chunk)))
			return 0;
		for (size_t i = 0; i < part; i++)
			if (chunk[i] > highest)
				highest = chunk[i];
		at += part * sizeof(*chunk);
		count -= part;
	}
	return highest;
}

/* The last symbol ends the chain of the highest bucket.  0: the table is empty and
 * says nothing of the symbols that it leaves out, undefined ones among them. */
static size_t count_by_gnu_hash(const struct wcm_headers *headers,
				uintptr_t hash)
{
	struct {
		uint32_t buckets, first, bloom_words, bloom_shift;
	} head;
	size_t left = wcm__headers_readable(headers, hash), last;
	uintptr_t bucket, chain, end = hash + left / 4 * 4;
	uint32_t link = 0;

	if (left < sizeof(head) ||
	    !wcm__headers_copy(headers, hash, &head, sizeof(head)))
		return 0;
	bucket = hash + sizeof(head) +
		 (uintptr_t)head.bloom_words * sizeof(ElfW(Addr));
	if (bucket > end || (end - bucket) / sizeof(link) < head.buckets)
		return 0;
	chain = bucket + head.buckets * sizeof(link);
	last = highest_word(headers, bucket, head.buckets);
	if (last == 0 || last < head.first)
		return 0;
	for (; last - head.first < (end - chain) / sizeof(link); last++)
		if (!wcm__headers_copy(
			    headers, chain + (last - head.first) * sizeof(link),
			    &link, sizeof(link)) ||
		    (link & 1))
			break;
	return last + 1;
}

/* How many symbols there is room for: up to the next table or the segment's end. */
static size_t room_for_symbols(const struct wcm_headers *headers,
			       const struct dynamic *dynamic)
{
	const uintptr_t at = dynamic->at[SYMTAB];
	size_t room = wcm__headers_readable(headers, at);

	for (int i = 0; i < TABLES; i++)
		if (dynamic->at[i] > at && dynamic->at[i] - at < room)
			room = dynamic->at[i] - at;
	return room / sizeof(ElfW(Sym));
}

/* The symbols, ROOM at most, up to the first whose name is not among the strings: no
 * table counts them, and what follows them may be none that is known. */
static size_t count_named(const struct wcm_headers *headers,
			  const struct wcm_dynsym *dynsym, size_t room)
{
	ElfW(Sym) symbol;
	size_t count = 0;

	while (count < room &&
	       wcm__headers_copy(headers, (uintptr_t)(dynsym->symbols + count),
				 &symbol, sizeof(symbol)) &&
	       symbol.st_name < dynsym->strings_size)
		count++;
	return count;
}

void wcm__dynamic_symbols(struct wcm_dynsym *dynsym, const struct wcm_headers *headers,
			  uintptr_t lo, uintptr_t hi)
{
	struct dynamic dynamic = { .bias = headers->bias, .lo = lo, .hi = hi };
	size_t room, strings;

	if (!read_dynamic(&dynamic, headers))
		return;
	room = room_for_symbols(headers, &dynamic);
	strings = wcm__headers_readable(headers, dynamic.at[STRTAB]);
	*dynsym = (struct wcm_dynsym){
		.symbols = (const ElfW(Sym) *)dynamic.at[SYMTAB],
		.strings = (const char *)dynamic.at[STRTAB],
		.strings_size = dynamic.strsz < strings ? dynamic.strsz
							: strings,
	};
	if (dynamic.at[HASH])
		dynsym->count = count_by_hash(headers, dynamic.at[HASH]);
	else if (dynamic.at[GNU_HASH])
		dynsym->count = count_by_gnu_hash(headers,
						  dynamic.at[GNU_HASH]);
	if (dynsym->count == 0)
		dynsym->count = count_named(headers, dynsym, room);
	if (dynsym->count > room)
		dynsym->count = room;
}
