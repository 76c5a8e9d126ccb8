/* SPDX-License-Identifier: MIT */
/* test_fde.c - tables made by hand, of every kind that linkers and assemblers
 * write: what describes a pc, and which row it has there. */
#include "core/cfi/fde.h"

#include "core/cfi/cfi.h"
#include "support/check.h"

enum {
	ROOM = 4096, SIZE = 0x100, /* of a function */
	ABSPTR = 0x00, UDATA4 = 0x03, UDATA8 = 0x04, SDATA4 = 0x0b,
	SDATA8 = 0x0c, PCREL = 0x10, DATAREL = 0x30, ALIGNED = 0x50,
	OMIT = 0xff,
	DEF_CFA = 0x0c, SP = WCM_COLUMN_SP, RA = WCM_COLUMN_RA, RA_SAVED = 0x80 | RA,
	NOP = 0, W = sizeof(uintptr_t)
};

static _Alignas(8) unsigned char bytes[ROOM];
static size_t used;

/* Where the functions are: nothing is read there. */
static uintptr_t code;

/* A table is written from its start on; an entry's length when it ends. */
static struct {
	size_t length_at, id_at, cie_at;
	bool is_long;
	uint8_t encoding;
	bool has_data;
} writer;

static uintptr_t here(void)
{
	return (uintptr_t)bytes + used;
}

static void put(uint64_t value, unsigned size)
{
	CHECK(used + size <= ROOM);
	memcpy(bytes + used, &value, size);
	used += size;
}

static void put_encoded(uintptr_t value, uint8_t encoding)
{
	static const unsigned sizes[16] = { W, 1, 2, 4, 8, [9] = 1, 2, 4, 8 };
	uintptr_t base = (encoding & 0x70) == PCREL     ? here()
			 : (encoding & 0x70) == DATAREL ? (uintptr_t)bytes
							: 0;

	put(value - base, sizes[encoding & 0x0f]);
}

/* A table whose pointers are in ENCODING, which decides how far they reach. */
static void begin(uint8_t encoding)
{
	used = 0;
	writer.encoding = encoding;
	code = encoding == UDATA4 || encoding == SDATA4
		       ? 0x500000 : (uintptr_t)bytes + 0x100000;
}

static void begin_entry(bool is_long, bool is_cie)
{
	writer.is_long = is_long;
	if (is_long)
		put(UINT32_MAX, 4);
	writer.length_at = used;
	put(0, is_long ? 8 : 4);
	writer.id_at = used;
	if (is_cie)
		writer.cie_at = writer.length_at - (is_long ? 4 : 0);
	put(is_cie ? 0 : writer.id_at - writer.cie_at, is_long ? 8 : 4);
}

static void end_entry(void)
{
	unsigned width = writer.is_long ? 8 : 4;
	uint64_t length;

	while (used % 8)
		put(NOP, 1);
	length = used - writer.length_at - width;
	memcpy(bytes + writer.length_at, &length, width);
}

/* A CIE whose row is CFA = sp + W, the return address below it; the letters'
 * data are AUGMENTED, SIZED bytes. */
static void put_cie(unsigned version, const char *letters,
		    const unsigned char *augmented, size_t sized, bool is_long)
{
	begin_entry(is_long, true);
	put(version, 1);
	for (const char *letter = letters; *letter; letter++)
		put((unsigned char)*letter, 1);
	put(0, 1);
	if (version == 4) {
		put(W, 1);
		put(0, 1);
	}
	put(1, 1);        /* code alignment */
	put(0x80 - W, 1); /* data alignment: -W */
	put(RA, 1);
	writer.has_data = *letters == 'z';
	if (writer.has_data) {
		put(sized, 1);
		for (size_t i = 0; i < sized; i++)
			put(augmented[i], 1);
	}
	put(DEF_CFA, 1);
	put(SP, 1);
	put(W, 1);
	put(RA_SAVED, 1);
	put(1, 1);
	end_entry();
}

/* The FDE of SIZED bytes at START: CFA = sp + OFFSET from its first on. */
static uintptr_t put_fde(uintptr_t start, size_t sized, unsigned offset)
{
	size_t at = used;

	begin_entry(writer.is_long, false);
	put_encoded(start, writer.encoding);
	put_encoded(sized, writer.encoding & 0x0f);
	if (writer.has_data)
		put(0, 1);
	put(DEF_CFA, 1);
	put(SP, 1);
	put(offset, 1);
	end_entry();
	return (uintptr_t)bytes + at;
}

/* CFA - sp of the row at PC; 0 where nothing describes it. */
static int64_t row_at(struct wcm_fde *fde, uintptr_t hdr, uintptr_t pc)
{
	const struct wcm_unwind_table table = { .hdr = hdr,
						.lo = (uintptr_t)bytes,
						.hi = here(),
						.frames = (uintptr_t)bytes };
	struct wcm_row row;

	if (!wcm__fde_find(fde, &table, pc))
		return 0;
	CHECK(pc >= fde->start && pc < fde->end);
	CHECK_EQ(fde->ra_column, RA);
	CHECK(wcm__cfi_row(&row, fde, pc));
	CHECK_EQ(row.cfa.kind, WCM_REG_REGISTER);
	CHECK_EQ(row.cfa.column, SP);
	CHECK_EQ(row.saved[RA].offset, -W);
	return row.cfa.offset;
}

/* Two functions with a gap between them, described under a CIE. */
static void check_two(unsigned version, const char *letters,
		      const unsigned char *augmented, size_t sized,
		      uint8_t encoding, bool is_long)
{
	struct wcm_fde fde;

	begin(encoding);
	put_cie(version, letters, augmented, sized, is_long);
	put_fde(code, SIZE, 16);
	put_fde(code + 2 * SIZE, SIZE, 48);
	put(0, 4);
	CHECK_EQ(row_at(&fde, 0, code - 1), 0);
	CHECK_EQ(row_at(&fde, 0, code), 16);
	CHECK_EQ(row_at(&fde, 0, code + SIZE - 1), 16);
	CHECK_EQ(row_at(&fde, 0, code + SIZE), 0);
	CHECK_EQ(row_at(&fde, 0, code + 2 * SIZE), 48);
	CHECK_EQ(row_at(&fde, 0, code + 3 * SIZE), 0);
}

TEST(every_version_and_length)
{
	static const unsigned char pcrel[] = { PCREL | SDATA4 };

	for (unsigned is_long = 0; is_long < 2; is_long++) {
		check_two(1, "zR", pcrel, 1, *pcrel, is_long);
		check_two(3, "zR", pcrel, 1, *pcrel, is_long);
		check_two(4, "zR", pcrel, 1, *pcrel, is_long);
		check_two(1, "", NULL, 0, ABSPTR, is_long);
		check_two(4, "", NULL, 0, ABSPTR, is_long);
	}
}

TEST(every_encoding_of_a_start)
{
	static const unsigned char encodings[] = {
		ABSPTR, UDATA4, UDATA8, SDATA4, SDATA8, PCREL | ABSPTR,
		PCREL | UDATA8, PCREL | SDATA4, PCREL | SDATA8,
	};

	for (size_t i = 0; i < sizeof(encodings); i++)
		check_two(1, "zR", &encodings[i], 1, encodings[i], false);
}

TEST(letters_and_their_data)
{
	const unsigned char personality[] = { 0x80 | PCREL | SDATA4, 1, 2, 3, 4,
					      PCREL | SDATA4, PCREL | SDATA4 };
	const unsigned char unknown[] = { PCREL | SDATA4, 9, 9, 9 };
	struct wcm_fde fde;

	check_two(1, "zPLR", personality, 7, PCREL | SDATA4, false);
	row_at(&fde, 0, code);
	CHECK(!fde.is_signal);
	check_two(1, "zRS", unknown, 1, PCREL | SDATA4, false);
	row_at(&fde, 0, code);
	CHECK(fde.is_signal);
	check_two(1, "zRB", unknown, 1, PCREL | SDATA4, false);
	check_two(1, "zRG", unknown, 1, PCREL | SDATA4, false);
	/* What is unknown is skipped by its length. */
	check_two(1, "zRX", unknown, 4, PCREL | SDATA4, false);
}

TEST(without_a_length_unknown_letters_are_not_believed)
{
	struct wcm_fde fde;

	begin(ABSPTR);
	put_cie(1, "eh", NULL, 0, false);
	put_fde(code, SIZE, 16);
	CHECK_EQ(row_at(&fde, 0, code), 0);
	begin(ABSPTR);
	put_cie(2, "", NULL, 0, false);
	put_fde(code, SIZE, 16);
	CHECK_EQ(row_at(&fde, 0, code), 0);
}

/* An aligned pointer to a personality routine, from an odd place. */
TEST(an_aligned_pointer)
{
	unsigned char data[16] = { 0 };
	size_t letters = 4 + 4 + 1 + 5 + 3 + 1; /* up to the data's length */
	size_t padding = -(letters + 1) % W;

	data[0] = ALIGNED;
	data[1 + padding + W] = PCREL | SDATA4;
	data[1 + padding + W + 1] = PCREL | SDATA4;
	check_two(1, "zPLR", data, 1 + padding + W + 2, PCREL | SDATA4, false);
}

/* Three functions and a header behind them, its number and its search table in the
 * encodings COUNTED and LISTED. */
static uintptr_t put_table(uint8_t counted, uint8_t listed)
{
	static const unsigned char pcrel[] = { PCREL | SDATA4 };
	uintptr_t at[3], header;

	begin(*pcrel);
	put_cie(1, "zR", pcrel, 1, false);
	/* not in order: only the table is */
	at[2] = put_fde(code + 3 * SIZE, SIZE, 48);
	at[0] = put_fde(code, SIZE, 16);
	at[1] = put_fde(code + SIZE, SIZE, 32);
	put(0, 8);
	header = here();
	put(1, 1);
	put(PCREL | SDATA4, 1);
	put(counted, 1);
	put(listed, 1);
	put_encoded((uintptr_t)bytes, PCREL | SDATA4);
	if (counted != OMIT)
		put(3, counted == UDATA4 ? 4 : 8);
	for (unsigned i = 0; i < 3 && listed != OMIT; i++) {
		uintptr_t base = (listed & 0x70) == DATAREL
					 ? header - (uintptr_t)bytes : 0;

		put_encoded(code + (i == 2 ? 3 : i) * SIZE - base, listed);
		put_encoded(at[i] - base, listed);
	}
	return header;
}

static void check_table(uint8_t counted, uint8_t listed)
{
	uintptr_t header = put_table(counted, listed);
	struct wcm_fde fde;

	CHECK_EQ(row_at(&fde, header, code - 1), 0);
	CHECK_EQ(row_at(&fde, header, code), 16);
	CHECK_EQ(row_at(&fde, header, code + SIZE - 1), 16);
	CHECK_EQ(row_at(&fde, header, code + SIZE), 32);
	CHECK_EQ(row_at(&fde, header, code + 2 * SIZE), 0);
	CHECK_EQ(row_at(&fde, header, code + 4 * SIZE - 1), 48);
	CHECK_EQ(row_at(&fde, header, code + 4 * SIZE), 0);
	CHECK_EQ(row_at(&fde, header, UINTPTR_MAX), 0);
}

TEST(every_search_table)
{
	check_table(UDATA4, DATAREL | SDATA4);
	check_table(UDATA4, DATAREL | SDATA8);
	check_table(UDATA8, DATAREL | SDATA8);
	check_table(UDATA4, ABSPTR);
	check_table(UDATA4, UDATA8);
	check_table(UDATA4, PCREL | SDATA8);
	check_table(UDATA4, PCREL | SDATA4);
}

TEST(without_a_search_table)
{
	check_table(OMIT, OMIT);
	check_table(UDATA4, OMIT);
	check_table(OMIT, DATAREL | SDATA4);
}

/* A header whose search table lists the COUNT entries AT, in order. */
static uintptr_t put_header(const uintptr_t *start, const uintptr_t *at,
			    unsigned count)
{
	uintptr_t header;

	put(0, 8);
	header = here();
	put(1, 1);
	put(PCREL | SDATA4, 1);
	put(UDATA4, 1);
	put(UDATA8, 1);
	put_encoded((uintptr_t)bytes, PCREL | SDATA4);
	put(count, 4);
	for (unsigned i = 0; i < count; i++) {
		put(start[i], 8);
		put(at[i], 8);
	}
	return header;
}

static void begin_table(void)
{
	static const unsigned char pcrel[] = { PCREL | SDATA4 };

	begin(*pcrel);
	put_cie(1, "zR", pcrel, 1, false);
}

/* As lld lists two functions at one address, the first without any code. */
TEST(behind_a_function_without_code)
{
	uintptr_t at[3], start[3];
	uintptr_t header;
	struct wcm_fde fde;

	begin_table();
	for (unsigned i = 0; i < 3; i++)
		start[i] = code + i * SIZE;
	at[0] = put_fde(start[0], SIZE, 16);
	at[1] = put_fde(start[1], 0, 24);
	put_fde(start[1], SIZE, 32);
	at[2] = put_fde(start[2], SIZE, 40);
	header = put_header(start, at, 3);
	CHECK_EQ(row_at(&fde, header, code + SIZE - 1), 16);
	CHECK_EQ(row_at(&fde, header, code + SIZE), 32);
	CHECK_EQ(row_at(&fde, header, code + 2 * SIZE - 1), 32);
	CHECK_EQ(row_at(&fde, header, code + 2 * SIZE), 40);
	CHECK_EQ(row_at(&fde, header, code + 3 * SIZE), 0);
}

TEST(within_one_another)
{
	uintptr_t at[3], start[3], header;
	struct wcm_fde fde;

	begin_table();
	for (unsigned i = 0; i < 3; i++)
		start[i] = code + i * 16;
	at[0] = put_fde(start[0], SIZE, 16);
	at[1] = put_fde(start[1], 8, 24);
	at[2] = put_fde(start[2], 8, 32);
	header = put_header(start, at, 3);
	CHECK_EQ(row_at(&fde, header, code + 15), 16);
	CHECK_EQ(row_at(&fde, header, code + 16), 24);
	CHECK_EQ(row_at(&fde, header, code + 24), 16);
	CHECK_EQ(row_at(&fde, header, code + 39), 32);
	CHECK_EQ(row_at(&fde, header, code + 40), 16);
	CHECK_EQ(row_at(&fde, header, code + SIZE), 0);
}

RUN(every_version_and_length, every_encoding_of_a_start, letters_and_their_data,
    without_a_length_unknown_letters_are_not_believed, an_aligned_pointer,
    every_search_table, without_a_search_table, behind_a_function_without_code,
    within_one_another)
