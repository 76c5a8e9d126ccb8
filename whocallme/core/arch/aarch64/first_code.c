/* SPDX-License-Identifier: MIT */
/* aarch64/first_code.c (SAFE) - the code with which a function makes its frame.
 *
 * Compilers begin a function with stores of registers in front of the stack pointer, one sub
 * from it, and a frame pointer that leads to where the caller's and the link register are,
 * between which other work may begin.  What these took from the stack lies between the stack
 * pointer and the frame's end.  The row ends with the frame pointer, with the first
 * instruction that branches or does what is not known here, or where the function stands;
 * what a function takes behind that is not seen, so that the return address is a claim to be
 * checked.
 */
#include "core/arch/arch.h"

#include "core/arch/aarch64/instruction.h"

/* What the instructions read so far have done.  Where a register is, is counted down from the
 * frame's end; 0: where it was. */
struct prologue {
	intptr_t taken;	      /* bytes of the stack */
	intptr_t fp_at, ra_at; /* saved */
	intptr_t fp_is;	      /* what the frame pointer leads to */
};

static void save(struct prologue *prologue, unsigned number, intptr_t offset)
{
	if (number == WCM_X29)
		prologue->fp_at = prologue->taken - offset;
	if (number == WCM_X30)
		prologue->ra_at = prologue->taken - offset;
}

/* stp, by the stack pointer. */
static bool read_pair(struct prologue *prologue, uint32_t code)
{
	const enum wcm_pair pair = wcm__pair(code);
	const intptr_t size = (intptr_t)wcm__pair_size(code);
	intptr_t offset = wcm__pair_offset(code);

	if ((pair != WCM_PAIR_FIRST && pair != WCM_PAIR_PLAIN) || wcm__rn(code) != WCM_SP ||
	    wcm__is_load(code))
		return false;
	if (pair == WCM_PAIR_FIRST) {
		prologue->taken -= offset;
		offset = 0;
	}
	if (!wcm__is_of_vectors(code) && size == sizeof(uintptr_t)) {
		save(prologue, wcm__field(code, 0, 5), offset);
		save(prologue, wcm__field(code, 10, 5), offset + size);
	}
	return true;
}

/* str of 64 bits, the same. */
static bool read_store(struct prologue *prologue, uint32_t code)
{
	if ((code & 0xffe00fe0) == 0xf8000fe0) {
		prologue->taken -= wcm__signed_field(code, 12, 9);
		save(prologue, wcm__rd(code), 0);
		return true;
	}
	if ((code & 0xffc003e0) != 0xf90003e0)
		return false;
	save(prologue, wcm__rd(code),
	     (intptr_t)(wcm__field(code, 10, 12) * sizeof(uintptr_t)));
	return true;
}

/* sub sp, sp, and add x29, sp, which is a mov where that is 0. */
static bool read_number(struct prologue *prologue, uint32_t code)
{
	const intptr_t number = (intptr_t)wcm__number(code);

	if ((code & 0xff8003ff) == 0xd10003ff)
		prologue->taken += number;
	else if ((code & 0xff8003ff) == 0x910003fd)
		prologue->fp_is = prologue->taken - number;
	else
		return false;
	return true;
}

/* What leaves the stack pointer as it was, the frame pointer and the link register, and goes
 * on behind itself.  The upper bits say of what kind it is (C4.1). */
static bool is_other(uint32_t code)
{
	enum { NUMBER = 8, BRANCH = 10, LOGICAL = 0x24, OF_REGISTERS = 5, EXTENDED = 0x59 };
	const unsigned kind = wcm__field(code, 25, 4), rd = wcm__rd(code);
	const bool is_number = (kind & 14) == NUMBER, is_load_or_store = (kind & 5) == 4;
	const bool sets_flags = code >> 29 & 1;

	if (wcm__is_hint(code))
		return true;
	if ((kind & 14) == BRANCH || kind < 4)
		return false;
	if (is_load_or_store) /* by the stack pointer, it may move that */
		return wcm__rn(code) != WCM_SP && rd != WCM_X29 && rd != WCM_X30 &&
		       !(wcm__pair(code) && (wcm__field(code, 10, 5) & 30) == 28 &&
			 wcm__is_load(code));
	if ((kind & 7) == 7) /* of vectors */
		return true;
	if (rd == WCM_X29 || rd == WCM_X30)
		return false;
	/* Register 31 is the stack pointer in some, and none in the others. */
	if (rd != WCM_SP)
		return true;
	if (is_number && (wcm__field(code, 23, 6) & 62) == 34)
		return sets_flags;
	if (is_number && wcm__field(code, 23, 6) == LOGICAL)
		return wcm__field(code, 29, 2) == 3;
	return wcm__field(code, 21, 8) != EXTENDED || sets_flags;
}

/* Read on to PC, or to where the row ends.  Returns where that is. */
static uintptr_t read_row(struct prologue *prologue, uintptr_t start, uintptr_t pc,
			  wcm_reader *read)
{
	enum { MOST = 24 };
	uint32_t code;

	for (int i = 0; i < MOST && start < pc && prologue->fp_is == 0; i++) {
		if (!read(start, &code, sizeof(code)) ||
		    (!read_pair(prologue, code) && !read_store(prologue, code) &&
		     !read_number(prologue, code) && !is_other(code)))
			break;
		start += WCM_INSTRUCTION;
	}
	return start;
}

static bool is_sound(const struct prologue *row)
{
	return row->taken >= 0 && row->taken <= INT16_MAX && row->fp_at >= 0 &&
	       row->fp_at <= row->taken && row->ra_at >= 0 && row->ra_at <= row->taken &&
	       row->fp_is >= 0 && row->fp_is <= row->taken;
}

bool wcm__arch_prologue_rule(struct wcm_rule *rule, uintptr_t start, uintptr_t pc,
			     wcm_reader *read)
{
	struct prologue row = { 0 };

	if (start % WCM_INSTRUCTION != 0 || pc < start ||
	    (read_row(&row, start, pc, read) != pc && row.taken == 0) || !is_sound(&row))
		return false;
	*rule = (struct wcm_rule){
		.base = row.fp_is ? WCM_BASE_FP : WCM_BASE_SP,
		.cfa_off = (int32_t)(row.fp_is ? row.fp_is : row.taken),
		.ra_saved = row.ra_at != 0, .ra_off = (int16_t)-row.ra_at,
		.fp_saved = row.fp_at != 0, .fp_off = (int16_t)-row.fp_at,
	};
	return true;
}

/* Whether a call by a register is in front of PC. */
static bool follows_unknown_call(uintptr_t pc, wcm_reader *read)
{
	uint32_t code;

	return wcm__arch_follows_call(pc, read) &&
	       read(pc - WCM_INSTRUCTION, &code, sizeof(code)) && !wcm__is_bl(code);
}

bool wcm__arch_lacks_frame_pointer(uintptr_t start, uintptr_t pc, wcm_reader *read)
{
	(void)start, (void)pc, (void)read;
	return false;
}

bool wcm__arch_can_have_called(const struct wcm_regs *caller, uintptr_t start,
			       wcm_reader *read)
{
	enum { STACK_ALIGNMENT = 16 }; /* AAPCS64, 6.4.5.1 */
	const struct wcm_registers called = { .pc = start };

	return wcm__arch_is_sigreturn(caller->pc, read) ||
	       wcm__arch_has_called(caller->pc, &called, 0, read) ||
	       (caller->sp % STACK_ALIGNMENT == 0 && follows_unknown_call(caller->pc, read));
}
