/* SPDX-License-Identifier: MIT */
/* test_lsda.c - where exceptions land, by tables made by hand. */
#include "core/cfi/cfi.h"

#include "support/check.h"

enum { FUNCTION = 0x1000, SIZE = 0x80, ULEB = 1, ABSPTR = 0, UDATA4 = 3 };

/* A pointer to the table, as an FDE has it, and the table. */
static struct {
	uintptr_t pointer;
	uint8_t bytes[128];
} image;

static uint8_t *end;

static void add(const uint8_t *bytes, size_t size)
{
	memcpy(end, bytes, size);
	end += size;
}

#define ADD(...) add((const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

/* Type 1 is one, type 2 that of "catch (...)". */
static void begin(void)
{
	memset(&image, 0, sizeof(image));
	image.pointer = (uintptr_t)image.bytes;
	end = image.bytes;
	ADD(WCM_EH_PE_OMIT, UDATA4, 52, ULEB, 32);
	ADD(0x00, 0x10, 0x00, 0); /* start, size, pad, action */
	ADD(0x10, 0x10, 0x70, 1);
	ADD(0x20, 0x10, 0x68, 5);
	ADD(0x30, 0x08, 0x50, 0);
	ADD(0x40, 0x08, 0x60, 7);
	ADD(0x48, 0x08, 0x60, 9);
	ADD(0x50, 0x04, 0x00, 0);
	ADD(0x58, 0x04, 0x00, 0);
	ADD(1, 0); /* action 1: type 1 */
	ADD(0, 0); /* 3: clean-up */
	ADD(1, 0x7d); /* 5: type 1, and 3 bytes back */
	ADD(2, 0); /* 7: type 2 */
	ADD(0x7f, 0); /* 9: types that alone may pass */
	ADD(0, 0, 0, 0, 1, 0, 0, 0); /* types 2 and 1 */
}

static struct wcm_landing landing(uintptr_t offset)
{
	const struct wcm_unwind_table table = {
		.lo = (uintptr_t)&image, .hi = (uintptr_t)(&image + 1),
	};
	const struct wcm_fde fde = {
		.start = FUNCTION, .end = FUNCTION + SIZE,
		.lsda_at = (uintptr_t)&image.pointer, .lsda_encoding = ABSPTR,
	};

	return wcm__lsda_find(&fde, &table, FUNCTION + offset);
}

static void check(uintptr_t offset, enum wcm_landing_kind kind, uintptr_t pad,
		  uint32_t lands)
{
	const struct wcm_landing found = landing(offset);

	CHECK_EQ(found.kind, kind);
	CHECK_EQ(found.pad, pad ? FUNCTION + pad : 0);
	CHECK_EQ(found.lands, lands);
}

TEST(each_call_lands_where_the_table_says)
{
	begin();
	check(0x10, WCM_LANDING_PAD, 0x70, 1u << 1);
	check(0x1f, WCM_LANDING_PAD, 0x70, 1u << 1);
	check(0x20, WCM_LANDING_PAD, 0x68, 1u << 1 | WCM_LANDS_CLEANUP);
	check(0x30, WCM_LANDING_PAD, 0x50, WCM_LANDS_CLEANUP);
	check(0x40, WCM_LANDING_PAD, 0x60, WCM_LANDS_ANY);
	check(0x48, WCM_LANDING_PAD, 0x60, WCM_LANDS_ANY);
}

TEST(one_that_lands_nowhere_has_the_nearest_pad_before_it)
{
	begin();
	check(0x00, WCM_LANDING_NONE, 0, 0);
	check(0x52, WCM_LANDING_NONE, 0x50, WCM_LANDS_CLEANUP);
	check(0x58, WCM_LANDING_NONE, 0x50, WCM_LANDS_CLEANUP);
}

TEST(one_that_the_table_leaves_out_is_unknown)
{
	begin();
	CHECK_EQ(landing(0x38).kind, WCM_LANDING_UNKNOWN);
	CHECK_EQ(landing(0x7f).kind, WCM_LANDING_UNKNOWN);
	image.pointer = 0;
	CHECK_EQ(landing(0x10).kind, WCM_LANDING_UNKNOWN);
	image.pointer = (uintptr_t)(&image + 1);
	CHECK_EQ(landing(0x10).kind, WCM_LANDING_UNKNOWN);
}

/* Every byte, every value: an answer, and none from outside the image. */
TEST(damaged_tables_end)
{
	begin();
	for (size_t at = 0; at < 60; at++)
		for (int value = 0; value < 256; value++) {
			begin();
			image.bytes[at] = (uint8_t)value;
			for (uintptr_t offset = 0; offset < SIZE; offset += 8)
				CHECK(landing(offset).lands <= UINT16_MAX);
		}
	memset(image.bytes, 0xff, sizeof(image.bytes));
	CHECK_EQ(landing(0x10).kind, WCM_LANDING_UNKNOWN);
}

RUN(each_call_lands_where_the_table_says,
    one_that_lands_nowhere_has_the_nearest_pad_before_it,
    one_that_the_table_leaves_out_is_unknown, damaged_tables_end)
