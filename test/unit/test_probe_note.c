/* SPDX-License-Identifier: MIT */
/* test_probe_note.c - notes of static probes, whole, cut and damaged, and the places of values.
 *
 * What is read ends where a page does that cannot be read.
 */
#include "format/probe_note.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/arch/arch.h"
#include "support/check.h"

enum { ROOM = 4096, DAMAGED = 300000 };

/* A note of size N, by hand: another's, and two probes. */
static const uint8_t whole[] = {
	4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 9, 9, 9, 9,
	8, 0, 0, 0, 36, 0, 0, 0, 3, 0, 0, 0, 's', 't', 'a', 'p', 's', 'd', 't', 0,
	0x34, 0x12, 0, 0, 0, 0, 0, 0, 0x78, 0x56, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0,
	's', 'h', 'o', 'p', 0, 's', 'o', 'l', 'd', 0, '4', 0,
	8, 0, 0, 0, 29, 0, 0, 0, 3, 0, 0, 0, 's', 't', 'a', 'p', 's', 'd', 't', 0,
	1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	'p', 0, 'n', 0, 0, 0, 0, 0,
};

/* SIZE writable bytes in front of a page that nobody reads. */
static uint8_t *at_end(size_t size)
{
	static uint8_t *pages;

	if (!pages) {
		pages = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
		mprotect(pages + ROOM, ROOM, PROT_NONE);
	}
	return pages + ROOM - size;
}

/* All texts are read to their ends. */
static size_t read_all(const uint8_t *notes, size_t size)
{
	struct wcm_probe_note note;
	size_t offset = 0, count = 0, bytes = 0;

	for (; wcm__probe_note_next(notes, size, 8, &offset, &note); count++) {
		struct wcm_probe_value value;
		const char *values = note.values;

		bytes += strlen(note.provider) + strlen(note.name) + strlen(note.values);
		while (wcm__probe_value_next(&values, &value)) {
			struct wcm_probe_place place;

			CHECK(value.place + value.length <= note.values + strlen(note.values));
			wcm__arch_probe_place(&place, value.place, value.length);
		}
	}
	CHECK(bytes <= size && offset <= size + 3);
	return count;
}

TEST(notes_have_addresses_and_texts)
{
	struct wcm_probe_note note;
	size_t offset = 0;

	CHECK(wcm__probe_note_next(whole, sizeof(whole), 8, &offset, &note));
	CHECK_EQ(note.at, 0x1234);
	CHECK_EQ(note.base, 0x5678);
	CHECK_EQ(note.semaphore, 7);
	CHECK(strcmp(note.provider, "shop") == 0 && strcmp(note.name, "sold") == 0);
	CHECK(strcmp(note.values, "4") == 0);
	CHECK(wcm__probe_note_next(whole, sizeof(whole), 8, &offset, &note));
	CHECK(strcmp(note.provider, "p") == 0 && strcmp(note.values, "") == 0);
	CHECK(!wcm__probe_note_next(whole, sizeof(whole), 8, &offset, &note));
}

TEST(what_is_cut_ends_the_reading)
{
	for (size_t size = 0; size <= sizeof(whole); size++) {
		uint8_t *notes = at_end(size);

		memcpy(notes, whole, size);
		/* The last note's last bytes are to fill up a word. */
		CHECK_EQ(read_all(notes, size), size < 76 ? 0 : size < 125 ? 1 : 2);
	}
}

TEST(what_is_damaged_is_read_in_bounds)
{
	uint8_t *notes = at_end(sizeof(whole));
	uint32_t random = 1;

	for (unsigned i = 0; i < DAMAGED; i++) {
		memcpy(notes, whole, sizeof(whole));
		for (unsigned j = 0; j <= i % 5; j++) {
			random = random * 1664525 + 1013904223;
			notes[(random >> 8) % sizeof(whole)] = (uint8_t)(random >> 24);
		}
		CHECK(read_all(notes, sizeof(whole)) <= 2);
	}
}

TEST(values_have_sizes_and_places)
{
	const char *values = "-4@$-5 8f@8(%x, 1) 2@[y, 3] 1@z", *end;
	struct wcm_probe_value value;

	CHECK(wcm__probe_value_next(&values, &value));
	CHECK(value.size == -4 && !value.is_float && value.length == 3);
	CHECK(wcm__probe_value_next(&values, &value));
	CHECK(value.size == 8 && value.is_float && memcmp(value.place, "8(%x, 1)", 8) == 0);
	CHECK_EQ(value.length, 8);
	CHECK(wcm__probe_value_next(&values, &value));
	CHECK(value.size == 2 && value.length == 6);
	CHECK(wcm__probe_value_next(&values, &value));
	CHECK(!wcm__probe_value_next(&values, &value));
	for (end = "x"; *end; end++)
		CHECK(!wcm__probe_value_next(&end, &value));
}

/* Any text that the characters of operands make. */
TEST(places_are_read_in_bounds)
{
	static const char letters[] = "$%(),-+0189xrabcdeilspwh *@[";
	uint32_t random = 7;

	for (unsigned i = 0; i < DAMAGED; i++) {
		const size_t size = i % 24;
		char *text = (char *)at_end(size);
		struct wcm_probe_place place = { 0 };
		struct wcm_probe_symbol symbol;

		for (size_t j = 0; j < size; j++) {
			random = random * 1664525 + 1013904223;
			text[j] = letters[(random >> 16) % (sizeof(letters) - 1)];
		}
		if (wcm__arch_probe_place(&place, text, size))
			CHECK(place.scale <= 8 && place.base.number < WCM_COLUMNS &&
			      place.index.number < WCM_COLUMNS);
		if (wcm__arch_probe_symbol(&symbol, text, size))
			CHECK(symbol.length > 0 && symbol.name + symbol.length <= text + size &&
			      symbol.rest + symbol.rest_length <= text + size);
	}
}

TEST(symbols_have_numbers_and_a_rest)
{
	static const struct {
		const char *operand, *name, *rest;
		int64_t added;
	} known[] = {
		{ "count(%rip)", "count", "", 0 },	{ "count", "count", "", 0 },
		{ "count+8(%rip)", "count", "", 8 },	{ "4+st.1(%rip)", "st.1", "", 4 },
		{ "-4+a-8+0x10(%rip)", "a", "", 4 },	{ "a(,%rdi,8)", "a", "(,%rdi,8)", 0 },
		{ "a-1(%rax)", "a", "(%rax)", -1 },
	};
	static const char *const none[] = { "", "8(%rsp)", "%rax", "$5", "a+b(%rip)", "-a", "16" };
	struct wcm_probe_symbol symbol;

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		CHECK(!wcm__arch_probe_symbol(&symbol, none[i], strlen(none[i])));
	if (!wcm__arch_probe_symbol(&symbol, "a", 1))
		return; /* there is no trap, either */
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		CHECK(wcm__arch_probe_symbol(&symbol, known[i].operand, strlen(known[i].operand)));
		CHECK_EQ(symbol.length, strlen(known[i].name));
		CHECK(memcmp(symbol.name, known[i].name, symbol.length) == 0);
		CHECK_EQ(symbol.rest_length, strlen(known[i].rest));
		CHECK(memcmp(symbol.rest, known[i].rest, symbol.rest_length) == 0);
		CHECK(symbol.added == known[i].added);
	}
}

RUN(notes_have_addresses_and_texts, what_is_cut_ends_the_reading,
    what_is_damaged_is_read_in_bounds, values_have_sizes_and_places, places_are_read_in_bounds,
    symbols_have_numbers_and_a_rest)
