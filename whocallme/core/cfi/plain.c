/* SPDX-License-Identifier: MIT */
/* plain.c (SAFE) - reads the compact rule straight from the bytes of a table that is written
 * like most.
 *
 * Nearly all frame descriptions are written alike: a sorted .eh_frame_hdr of 32-bit
 * numbers, one of two kinds of CIE, and instructions of which a dozen occur.  These are
 * read here where they lie, following the CFA, the frame pointer and the return address
 * alone, in a quarter of the time that fde.c and cfi.c take, which know everything.
 * Whatever is of another kind, out of bounds or damaged ends it without an answer, and
 * they are asked.
 */
#include "core/cfi/cfi.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/cfi/cursor.h"
#include "core/cfi/opcodes.h"

/* Bytes of the table.  Unlike a cursor, this reads without copies and without a bad state: every
 * read is preceded by has(), and whoever finds too little gives up.  The table is held, so that
 * it stays mapped for as long as it is read. */
struct bytes {
	const uint8_t *at, *end;
};

static inline bool has(const struct bytes *bytes, size_t size)
{
	return (size_t)(bytes->end - bytes->at) >= size;
}

static inline uint32_t u32_at(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* LEB128 of two bytes at most.  Offsets and columns that a compact rule has room for are shorter
 * than two bytes hold; a longer number leaves the answer to cfi.c. */
static inline bool take_uleb(struct bytes *bytes, uint32_t *value)
{
	if (!has(bytes, 1))
		return false;
	*value = *bytes->at++;
	if (*value < 0x80)
		return true;
	if (!has(bytes, 1) || *bytes->at >= 0x80)
		return false;
	*value = (*value & 0x7f) | (uint32_t)*bytes->at++ << 7;
	return true;
}

/* How the table of pairs is written: version 1, any, 32 bits, relative to its start. */
struct header {
	uint8_t version, frames_encoding, count_encoding, encoding;
	int32_t frames;
	uint32_t count;
	struct pair {
		int32_t start, fde;
	} pair[];
};

/* The last pair that starts at or below OFFSET; NULL where none does. */
static const struct pair *find_pair(const struct header *header, intptr_t offset)
{
	const struct pair *pair = header->pair;
	uint32_t count = header->count;

	if (count == 0 || pair->start > offset)
		return NULL;
	/* The number of rounds depends on COUNT alone and the choice needs no jump, which would
	 * be hard to predict.  The invariant: *pair starts at or below OFFSET. */
	while (count > 1) {
		const uint32_t half = count / 2;

		pair = pair[half].start <= offset ? pair + half : pair;
		count -= half;
	}
	return pair;
}

/* Alignment matters for the pairs, which are read as numbers; the entries of .eh_frame are read
 * by memcpy().  Last, the count is checked against the segment, so that find_pair() stays within
 * it. */
static bool is_plain(const struct header *header, const struct wcm_unwind_table *table)
{
	const uintptr_t at = (uintptr_t)header;

	return at >= table->lo && at < table->hi && at % sizeof(int32_t) == 0 &&
	       table->hi - at >= sizeof(*header) && header->version == 1 &&
	       header->frames_encoding == WCM_EH_PE_PCREL_SDATA4 &&
	       header->count_encoding == WCM_EH_PE_UDATA4 &&
	       header->encoding == WCM_EH_PE_DATAREL_SDATA4 &&
	       header->count <= (table->hi - at - sizeof(*header)) / sizeof(struct pair);
}

/* The bytes of the entry at AT behind its length and the number after that, ID.  A length of 0,
 * the terminator, and of 32 set bits, for 64-bit entries, fail as too short and too long. */
static bool open_entry(struct bytes *entry, uint32_t *id, uintptr_t at,
		       const struct wcm_unwind_table *table)
{
	uint32_t length;

	if (at < table->lo || at >= table->hi || table->hi - at < 2 * sizeof(length))
		return false;
	length = u32_at((const uint8_t *)at);
	if (length < sizeof(*id) || length > table->hi - at - sizeof(length))
		return false;
	*id = u32_at((const uint8_t *)at + sizeof(length));
	entry->at = (const uint8_t *)at + 2 * sizeof(length);
	entry->end = (const uint8_t *)at + sizeof(length) + length;
	return true;
}

/* What the instructions have said so far: where the frame pointer and the return address
 * are saved, from the CFA. */
struct state {
	uint32_t cfa_column, cfa_offset;
	int32_t fp, ra; /* SAME, UNDEFINED, or an offset */
};

/* No offset that can come up: two bytes of LEB128 times a data alignment of seven bits are 21
 * bits. */
enum { SAME = INT32_MAX, UNDEFINED = INT32_MIN };

/* No column is UINT32_MAX: a program that never defines the CFA has no compact rule. */
#define NOTHING_SAID (struct state){ .cfa_column = UINT32_MAX, .fp = SAME, .ra = SAME }

/* LOCATION and PC are addresses, not offsets, as in cfi.c.  The alignments are a byte each,
 * which open_cie() has checked. */
struct program {
	struct state state, initial, remembered;
	bool is_remembered;
	uint8_t code_align;
	int8_t data_align;
	uintptr_t location, pc;
};

/* A CIE with the letters "zR" or "zPLR", after them four numbers of a byte each and the data of
 * the letters.  The numbers are the code alignment, the data alignment, the column of the return
 * address and the length of the data.  The length is compared with what the letters stand for:
 * one more byte means something that is not known here.  In version 3 the column is LEB128, which
 * is the same as long as it is one byte. */
static bool open_cie(struct program *program, struct bytes *cie, uintptr_t at,
		     const struct wcm_unwind_table *table)
{
	enum { LEAST = 9, LEAST_WITH_ROUTINE = 17, INDIRECT = 0x80 };
	static const char letters[] = "zR", with_routine[] = "zPLR";
	const uint8_t *numbers;
	uint32_t id;

	if (!open_entry(cie, &id, at, table) || id != 0 || !has(cie, LEAST) ||
	    (cie->at[0] != 1 && cie->at[0] != 3))
		return false;
	if (memcmp(cie->at + 1, letters, sizeof(letters)) == 0) {
		numbers = cie->at + 1 + sizeof(letters);
		cie->at = numbers + 4;
	} else if (has(cie, LEAST_WITH_ROUTINE) &&
		   memcmp(cie->at + 1, with_routine, sizeof(with_routine)) == 0) {
		numbers = cie->at + 1 + sizeof(with_routine);
		cie->at = numbers + 4 + 2 + sizeof(uint32_t);
		if ((numbers[4] & ~INDIRECT) != WCM_EH_PE_PCREL_SDATA4)
			return false;
	} else {
		return false;
	}
	program->code_align = numbers[0];
	program->data_align = (int8_t)(numbers[1] << 1) / 2; /* seven bits, signed */
	return numbers[0] < 0x80 && numbers[1] < 0x80 && numbers[2] == WCM_COLUMN_RA &&
	       numbers[3] == cie->at + 1 - (numbers + 4) &&
	       *cie->at++ == WCM_EH_PE_PCREL_SDATA4;
}

/* The code that the FDE describes, and its instructions, behind the length of its data and
 * these.  The first number is the start, relative to itself; a start of 0 is one that a linker
 * has removed.  The comparison is unsigned, so that a pc below the start fails as well.  Another
 * FDE may hold such a pc (see fde.c), which the caller then asks. */
static bool open_code(struct program *program, struct bytes *fde)
{
	const uint8_t *field = fde->at;
	uint32_t size, range;

	if (!has(fde, 2 * sizeof(size)))
		return false;
	size = u32_at(field);
	range = u32_at(field + sizeof(size));
	program->location = (uintptr_t)field + (uintptr_t)(int32_t)size;
	fde->at += 2 * sizeof(size);
	if (size == 0 || range > INT32_MAX || program->location > UINTPTR_MAX - range ||
	    program->pc - program->location >= range ||
	    !take_uleb(fde, &size) || !has(fde, size))
		return false;
	fde->at += size;
	return true;
}

/* Columns that a compact rule does not speak of are followed by nobody.  A row that saves the
 * stack pointer moves it in its own way; that is no compact rule. */
static bool save(struct program *program, uint32_t column, uint32_t factor)
{
	const int32_t offset = (int32_t)factor * program->data_align;

	switch (column) {
	case WCM_COLUMN_FP:
		program->state.fp = offset;
		return true;
	case WCM_COLUMN_RA:
		program->state.ra = offset;
		return true;
	}
	return column != WCM_COLUMN_SP;
}

/* Back to what the CIE says; other columns are not followed and need not be restored. */
static void restore(struct program *program, unsigned column)
{
	if (column == WCM_COLUMN_FP)
		program->state.fp = program->initial.fp;
	else if (column == WCM_COLUMN_RA)
		program->state.ra = program->initial.ra;
}

static bool advance(struct program *program, struct bytes *code, unsigned size)
{
	uint32_t by = 0;

	if (!has(code, size))
		return false;
	memcpy(&by, code->at, size);
	code->at += size;
	program->location += (uintptr_t)by * program->code_align;
	return true;
}

/* One level, as compilers need it. */
static bool remember(struct program *program)
{
	if (program->is_remembered)
		return false;
	program->remembered = program->state;
	return program->is_remembered = true;
}

static bool recall(struct program *program)
{
	if (!program->is_remembered)
		return false;
	program->state = program->remembered;
	program->is_remembered = false;
	return true;
}

/* Whatever is missing here - expressions, factored CFAs, registers in registers - is rare or has
 * no compact rule anyway. */
static bool execute_long(struct program *program, struct bytes *code, uint8_t op)
{
	struct state *state = &program->state;
	uint32_t column;

	switch (op) {
	case CFA_NOP:
	case CFA_NEGATE_RA_STATE:
	case CFA_NEGATE_RA_STATE_WITH_PC:
		return true;
	case CFA_ADVANCE_LOC1:
		return advance(program, code, 1);
	case CFA_ADVANCE_LOC2:
		return advance(program, code, 2);
	case CFA_ADVANCE_LOC4:
		return advance(program, code, 4);
	case CFA_REMEMBER_STATE:
		return remember(program);
	case CFA_RESTORE_STATE:
		return recall(program);
	case CFA_DEF_CFA:
		return take_uleb(code, &state->cfa_column) &&
		       take_uleb(code, &state->cfa_offset);
	case CFA_DEF_CFA_REGISTER:
		return take_uleb(code, &state->cfa_column);
	case CFA_UNDEFINED:
		if (!take_uleb(code, &column) || column != WCM_COLUMN_RA)
			return false;
		state->ra = UNDEFINED;
		return true;
	}
	return false;
}

/* Run CODE as far as it applies at the pc.  Most of it goes on by some bytes and moves the
 * stack pointer by less than 128, or saves a register. */
static bool run(struct program *program, struct bytes *code)
{
	struct bytes rest = *code;
	uint32_t factor;

	while (rest.at < rest.end && program->location <= program->pc) {
		const uint8_t op = *rest.at++, low = op & CFA_LOW;
		bool goes_on = true;

		if ((op & CFA_HIGH) == CFA_ADVANCE_LOC)
			program->location += low * (uintptr_t)program->code_align;
		else if (op == CFA_DEF_CFA_OFFSET)
			goes_on = take_uleb(&rest, &program->state.cfa_offset);
		else if ((op & CFA_HIGH) == CFA_OFFSET)
			goes_on = take_uleb(&rest, &factor) && save(program, low, factor);
		else if ((op & CFA_HIGH) == CFA_RESTORE)
			restore(program, low);
		else
			goes_on = execute_long(program, &rest, op);
		if (!goes_on)
			return false;
	}
	return true;
}

/* What wcm__cfi_compact() takes: a rule has 16 bits for each of the two. */
static bool fits(int32_t offset)
{
	return offset >= -INT16_MAX && offset <= INT16_MAX;
}

/* A place of the return address for which wcm__cfi_behind() says something is seldom enough to
 * be left to whole rows, and so is any above. */
static bool is_plain_place(int32_t ra)
{
	return fits(ra) && (!WCM_HAS_LINK_REGISTER || ra < 0);
}

/* Must say what wcm__cfi_compact() says of the same row: test/unit/test_plain.c compares the two
 * on real libraries and on programs made at random. */
static bool as_rule(struct wcm_rule *rule, const struct state *state)
{
	const bool is_ra_saved = state->ra != SAME, is_fp_saved = state->fp != SAME;

	*rule = (struct wcm_rule){ .base = WCM_BASE_NONE };
	if (state->ra == UNDEFINED)
		return true;
	if ((state->cfa_column != WCM_COLUMN_SP && state->cfa_column != WCM_COLUMN_FP) ||
	    (is_ra_saved ? !is_plain_place(state->ra) : !WCM_HAS_LINK_REGISTER) ||
	    (is_fp_saved && !fits(state->fp)))
		return false;
	*rule = (struct wcm_rule){
		.base = state->cfa_column == WCM_COLUMN_SP ? WCM_BASE_SP : WCM_BASE_FP,
		.cfa_off = (int32_t)state->cfa_offset,
		.ra_saved = is_ra_saved,
		.ra_off = (int16_t)(is_ra_saved ? state->ra : 0),
		.fp_saved = is_fp_saved,
		.fp_off = (int16_t)(is_fp_saved ? state->fp : 0),
	};
	return true;
}

/* The header of pairs, the pair, the FDE, its CIE, the CIE's instructions, the FDE's own.  Each
 * step checks what it reads; whatever is unusual ends the attempt, never the walk. */
bool wcm__plain_rule(struct wcm_rule *rule, const struct wcm_unwind_table *table,
		     uintptr_t pc)
{
	const struct header *header = (const struct header *)table->hdr;
	struct program program = { .pc = pc, .state = NOTHING_SAID,
				   .initial = NOTHING_SAID };
	struct bytes fde, cie;
	const struct pair *pair;
	uintptr_t at;
	uint32_t back;

	if (!is_plain(header, table))
		return false;
	pair = find_pair(header, (intptr_t)(pc - table->hdr));
	if (!pair)
		return false;
	at = table->hdr + (uintptr_t)pair->fde;
	if (!open_entry(&fde, &back, at, table) || back == 0 ||
	    !open_cie(&program, &cie, at + sizeof(back) - back, table) ||
	    !open_code(&program, &fde) || !run(&program, &cie))
		return false;
	program.initial = program.state;
	return run(&program, &fde) && as_rule(rule, &program.state);
}
