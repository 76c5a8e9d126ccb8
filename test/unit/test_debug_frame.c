/* SPDX-License-Identifier: MIT */
/* test_debug_frame.c - sections made by hand: which descriptions are published, in any order and
 * of any kind, and what damaged ones do. */
#include "core/unwind/debug_frame.h"

#include <stdlib.h>
#include <string.h>

#include "core/cfi/cfi.h"
#include "core/modules/modules.h"
#include "support/check.h"

enum {
	ROOM = 4096, SIZE = 16, /* of a function */
	DEF_CFA = 0x0c, SP = WCM_COLUMN_SP, RA = WCM_COLUMN_RA, RA_SAVED = 0x80 | RA,
	W = sizeof(uintptr_t)
};

static unsigned char bytes[ROOM];
static size_t used;

static void put(uint64_t value, unsigned size)
{
	CHECK(used + size <= ROOM);
	memcpy(bytes + used, &value, size);
	used += size;
}

static size_t begin_entry(bool is_long, uint64_t id)
{
	if (is_long)
		put(UINT32_MAX, 4);
	put(0, is_long ? 8 : 4);
	put(id, is_long ? 8 : 4);
	return used;
}

static void end_entry(bool is_long, size_t begun)
{
	const unsigned width = is_long ? 8 : 4;
	uint64_t length;

	while (used % 8)
		put(0, 1);
	length = used - begun + width;
	memcpy(bytes + begun - 2 * (size_t)width, &length, width);
}

/* Returns its offset.  The CFA is sp + W, with the return address below. */
static size_t put_cie(unsigned version, bool is_long, unsigned address_size)
{
	const size_t at = used, begun = begin_entry(is_long, is_long ? UINT64_MAX : UINT32_MAX);

	put(version, 1);
	put(0, 1);
	if (version == 4) {
		put(address_size, 1);
		put(0, 1);
	}
	put(1, 1);
	put(0x80 - W, 1);
	put(RA, 1);
	put(DEF_CFA, 1);
	put(SP, 1);
	put(W, 1);
	put(RA_SAVED, 1);
	put(1, 1);
	end_entry(is_long, begun);
	return at;
}

/* At START, as the file has it; the CFA is sp + OFFSET. */
static void put_fde(size_t cie, bool is_long, uintptr_t start, uintptr_t size, unsigned offset)
{
	const size_t begun = begin_entry(is_long, cie);

	put(start, W);
	put(size, W);
	put(DEF_CFA, 1);
	put(SP, 1);
	put(offset, 1);
	end_entry(is_long, begun);
}

/* The module is this program, whose variables no .eh_frame describes. */
static unsigned char code[64 * SIZE];
static struct wcm_module module;

static uintptr_t in_file(size_t function)
{
	return (uintptr_t)code + function * SIZE - module.bias;
}

static void begin(void)
{
	used = 0;
	CHECK(wcm__module_find_live(&module, (uintptr_t)code));
}

static void publish(void)
{
	uint8_t *to;
	struct wcm_debug_frame *frame = wcm__debug_frame_new(used, &to);

	CHECK(frame != NULL);
	memcpy(to, bytes, used);
	wcm__debug_frame_publish(frame, &module);
}

/* CFA - sp in the middle of FUNCTION; 0 where nothing describes it. */
static int64_t row_of(size_t function)
{
	const uintptr_t pc = (uintptr_t)code + function * SIZE + SIZE / 2;
	struct wcm_unwind_table table;
	struct wcm_row row;
	struct wcm_fde fde;
	bool permanent;

	if (!wcm__debug_frame_find(&table, pc, &permanent) ||
	    !wcm__fde_find(&fde, &table, pc))
		return 0;
	CHECK(pc >= fde.start && pc < fde.end);
	CHECK(wcm__cfi_row(&row, &fde, pc));
	CHECK_EQ(row.saved[RA].offset, -W);
	return row.cfa.offset;
}

TEST(nothing_is_published_that_describes_nothing)
{
	begin();
	publish();
	put_fde(put_cie(1, false, W), false, 0, SIZE, 16);
	publish();
	CHECK_EQ(row_of(0), 0);
	CHECK(!wcm__debug_frame_is_known(&module));
}

TEST(every_kind_of_entry)
{
	size_t cie[4], other;

	begin();
	cie[0] = put_cie(1, false, W);
	cie[1] = put_cie(3, false, W);
	cie[2] = put_cie(4, false, W);
	cie[3] = put_cie(4, true, W);
	other = put_cie(4, false, W / 2);
	/* From the last to the first: linkers do not sort them. */
	for (size_t i = 40; i-- > 0;) {
		put_fde(cie[i % 4], i % 4 == 3, in_file(i), SIZE, 16 + 8 * (i % 8));
		if (i % 5 == 0)
			put(0, 4); /* between files */
	}
	put_fde(other, false, in_file(41), SIZE, 16); /* of another address size */
	put_fde(cie[0] + 4, false, in_file(42), SIZE, 16); /* within an entry */
	put_fde(ROOM, false, in_file(43), SIZE, 16);       /* outside */
	put_fde(used, false, in_file(44), SIZE, 16);       /* itself */
	put_fde(cie[0], false, 0, SIZE, 16);               /* left out by the linker */
	put_fde(cie[0], false, in_file(45), UINTPTR_MAX, 16);
	put_fde(cie[0], false, in_file(46), 0, 16);
	put_fde(cie[1], false, in_file(47), SIZE, 64);
	publish();
	for (size_t i = 0; i < 40; i++)
		CHECK_EQ(row_of(i), 16 + 8 * (i % 8));
	for (size_t i = 40; i < 47; i++)
		CHECK_EQ(row_of(i), 0);
	CHECK_EQ(row_of(47), 64);
	CHECK_EQ(row_of(48), 0);
	CHECK(wcm__debug_frame_is_known(&module));
}

TEST(damaged_ones)
{
	unsigned char whole[ROOM];
	struct wcm_fde fde;
	struct wcm_row row;
	size_t cie;

	begin();
	cie = put_cie(4, false, W);
	for (size_t i = 0; i < 8; i++)
		put_fde(cie, false, in_file(i), SIZE, 16);
	memcpy(whole, bytes, used);
	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		struct wcm_unwind_table table = {
			.frames = (uintptr_t)bytes, .lo = (uintptr_t)bytes,
			.hi = (uintptr_t)bytes + used - (size_t)rand() % used,
			.held = true, .is_debug = true, .bias = module.bias,
		};
		const uintptr_t pc = (uintptr_t)code + (size_t)rand() % sizeof(code);

		memcpy(bytes, whole, used);
		for (int i = rand() % 8; i >= 0; i--)
			bytes[(size_t)rand() % used] = (unsigned char)rand();
		if (wcm__fde_find(&fde, &table, pc)) {
			CHECK(pc >= fde.start && pc < fde.end);
			wcm__cfi_row(&row, &fde, pc);
		}
	}
}

TEST(more_than_there_is_memory_for)
{
	uint8_t *to;

	CHECK(wcm__debug_frame_new(UINT64_MAX, &to) == NULL);
	CHECK(wcm__debug_frame_new(UINT64_C(1) << 40, &to) == NULL);
}

RUN(nothing_is_published_that_describes_nothing, every_kind_of_entry, damaged_ones,
    more_than_there_is_memory_for)
