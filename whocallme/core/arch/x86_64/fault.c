/* SPDX-License-Identifier: MIT */
/* x86_64/fault.c (SAFE) - what the instruction of a fault and its operands tell.
 *
 * The kernel makes one signal and code of many of the CPU's exceptions, and the CPU one
 * exception of many causes: general protection is a misaligned vector, an address that is not
 * canonical, a privileged instruction and more.  What was there to be found is found again: the
 * instruction is read, its operand's address computed, its divisor looked at.  Where that does
 * not tell, nothing is said.
 */
#include "core/arch/arch.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>

#include "core/arch/x86_64/decoded.h"
#include "core/arch/x86_64/gregs.h"
#include "core/arch/x86_64/syscall.h"

/* REG_TRAPNO (SDM vol. 3, table 6-1). */
enum {
	DIVISION = 0,
	BREAKPOINT = 3,
	OVERFLOW = 4,
	INVALID_OPCODE = 6,
	NOT_PRESENT = 11,
	STACK_FAULT = 12,
	PROTECTION = 13,
	FLOATING_POINT = 16,
	ALIGNMENT = 17,
	SIMD = 19,
	CONTROL = 21,
};

struct search {
	struct wcm_fault_found *found;
	gregset_t gregs;
	struct wcm_decoded decoded;
	uintptr_t thread_pointer;
	wcm_reader *read;
};

/* An access to memory: so many BYTES at ADDRESS, which the registers of USES make. */
struct operand {
	uintptr_t address;
	unsigned bytes;
	uint16_t uses;
	enum wcm_access access;
};

static uintptr_t reg_of(const struct search *search, unsigned number)
{
	return (uintptr_t)search->gregs[wcm__greg_of_number[number]];
}

enum { RAX = 0, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7 };

static unsigned op_extension(const struct wcm_decoded *decoded)
{
	return decoded->modrm >> 3 & 7;
}

static bool is_1(const struct wcm_decoded *decoded, uint8_t opcode)
{
	return decoded->map == WCM_MAP_1 && decoded->opcode == opcode;
}

static bool is_0f(const struct wcm_decoded *decoded, uint8_t opcode)
{
	return decoded->map == WCM_MAP_0F && decoded->opcode == opcode;
}

/* A range of opcodes, for any of several prefixes. */
enum { NONE = 1, P66 = 2, PF3 = 4, PF2 = 8 };

struct opcodes {
	uint8_t map, prefixes, lo, hi;
};

static bool is_in(const struct wcm_decoded *decoded, const struct opcodes *list, size_t count)
{
	const uint8_t prefix = decoded->prefix == 0x66 ? P66 : decoded->prefix == 0xf3 ? PF3 :
			       decoded->prefix == 0xf2 ? PF2 : NONE;

	for (const struct opcodes *each = list; each < list + count; each++)
		if (each->map == decoded->map && (each->prefixes & prefix) &&
		    decoded->opcode >= each->lo && decoded->opcode <= each->hi)
			return true;
	return false;
}

#define IS_IN(decoded, list) is_in(decoded, list, sizeof(list) / sizeof(*(list)))

/* Instructions of SSE whose operand in memory is 16 bytes, which must be aligned.  With VEX and
 * EVEX only those are strict that say so. */
static const struct opcodes strict_sse[] = {
	{ WCM_MAP_0F, PF3 | PF2, 0x12, 0x12 },		 { WCM_MAP_0F, NONE | P66, 0x14, 0x15 },
	{ WCM_MAP_0F, PF3, 0x16, 0x16 },		 { WCM_MAP_0F, NONE | P66, 0x28, 0x29 },
	{ WCM_MAP_0F, NONE | P66, 0x2b, 0x2b },		 { WCM_MAP_0F, P66, 0x2c, 0x2d },
	{ WCM_MAP_0F, NONE | P66, 0x51, 0x51 },		 { WCM_MAP_0F, NONE, 0x52, 0x53 },
	{ WCM_MAP_0F, NONE | P66, 0x54, 0x59 },		 { WCM_MAP_0F, P66, 0x5a, 0x5a },
	{ WCM_MAP_0F, NONE | P66 | PF3, 0x5b, 0x5b },	 { WCM_MAP_0F, NONE | P66, 0x5c, 0x5f },
	{ WCM_MAP_0F, P66, 0x60, 0x6d },		 { WCM_MAP_0F, P66, 0x6f, 0x6f },
	{ WCM_MAP_0F, P66 | PF3 | PF2, 0x70, 0x70 },	 { WCM_MAP_0F, P66, 0x74, 0x76 },
	{ WCM_MAP_0F, P66 | PF2, 0x7c, 0x7d },		 { WCM_MAP_0F, P66, 0x7f, 0x7f },
	{ WCM_MAP_0F, NONE | P66, 0xc2, 0xc2 },		 { WCM_MAP_0F, NONE | P66, 0xc6, 0xc6 },
	{ WCM_MAP_0F, P66 | PF2, 0xd0, 0xd0 },		 { WCM_MAP_0F, P66, 0xd1, 0xd5 },
	{ WCM_MAP_0F, P66, 0xd8, 0xe5 },		 { WCM_MAP_0F, P66 | PF2, 0xe6, 0xe6 },
	{ WCM_MAP_0F, P66, 0xe7, 0xef },		 { WCM_MAP_0F, P66, 0xf1, 0xf6 },
	{ WCM_MAP_0F, P66, 0xf8, 0xfe },		 { WCM_MAP_0F38, P66, 0x00, 0x17 },
	{ WCM_MAP_0F38, P66, 0x1c, 0x1e },		 { WCM_MAP_0F38, P66, 0x28, 0x2b },
	{ WCM_MAP_0F38, P66, 0x37, 0x41 },		 { WCM_MAP_0F38, NONE, 0xc8, 0xcd },
	{ WCM_MAP_0F38, P66, 0xcf, 0xcf },		 { WCM_MAP_0F38, P66, 0xdb, 0xdf },
	{ WCM_MAP_0F3A, P66, 0x08, 0x09 },		 { WCM_MAP_0F3A, P66, 0x0c, 0x0f },
	{ WCM_MAP_0F3A, P66, 0x40, 0x44 },		 { WCM_MAP_0F3A, NONE, 0xcc, 0xcc },
	{ WCM_MAP_0F3A, P66, 0xce, 0xcf },		 { WCM_MAP_0F3A, P66, 0xdf, 0xdf },
};

static const struct opcodes strict_avx[] = {
	{ WCM_MAP_0F, NONE | P66, 0x28, 0x29 }, { WCM_MAP_0F, NONE | P66, 0x2b, 0x2b },
	{ WCM_MAP_0F, P66, 0x6f, 0x6f },	{ WCM_MAP_0F, P66, 0x7f, 0x7f },
	{ WCM_MAP_0F, P66, 0xe7, 0xe7 },	{ WCM_MAP_0F38, P66, 0x2a, 0x2a },
};

/* movddup takes 8 bytes. */
static bool is_movddup(const struct wcm_decoded *decoded)
{
	return is_0f(decoded, 0x12) && decoded->prefix == 0xf2;
}

/* cmpxchg16b, and what keeps and restores the CPU's extended state. */
static unsigned alignment_of_state(const struct wcm_decoded *decoded)
{
	const unsigned extension = op_extension(decoded);

	if (decoded->encoding != WCM_LEGACY)
		return 0;
	if (is_0f(decoded, 0xc7))
		return extension == 1 && decoded->wide ? 16 :
		       extension >= 3 && extension <= 5 ? 64 : 0;
	if (is_0f(decoded, 0xae) && decoded->prefix == 0)
		return extension <= 1 ? 16 : extension >= 4 && extension <= 6 ? 64 : 0;
	return 0;
}

/* What the operand's address must be a multiple of; 0: anything. */
static unsigned alignment_of(const struct wcm_decoded *decoded)
{
	const unsigned of_state = alignment_of_state(decoded);

	if (of_state)
		return of_state;
	if (decoded->encoding != WCM_LEGACY)
		return IS_IN(decoded, strict_avx) ? decoded->vector_bytes : 0;
	return IS_IN(decoded, strict_sse) && !is_movddup(decoded) ? 16 : 0;
}

/* Those that fail so for no other reason (SDM vol. 3, 5.9): ports, and rdtsc and cpuid where the
 * process has no right to them, among them. */
static const struct opcodes privileged[] = {
	{ WCM_MAP_1, 15, 0x6c, 0x6f }, { WCM_MAP_1, 15, 0xe4, 0xe7 },
	{ WCM_MAP_1, 15, 0xec, 0xef }, { WCM_MAP_1, 15, 0xf4, 0xf4 },
	{ WCM_MAP_1, 15, 0xfa, 0xfb }, { WCM_MAP_0F, 15, 0x06, 0x09 },
	{ WCM_MAP_0F, 15, 0x20, 0x23 }, { WCM_MAP_0F, 15, 0x30, 0x30 },
	{ WCM_MAP_0F, 15, 0x31, 0x32 }, { WCM_MAP_0F, 15, 0x35, 0x35 },
	{ WCM_MAP_0F, 15, 0xa2, 0xa2 },
};

/* lldt, ltr; lgdt, lidt, lmsw, invlpg; swapgs, xsetbv and others that are a register's form. */
static bool is_privileged(const struct wcm_decoded *decoded)
{
	const unsigned extension = op_extension(decoded);

	if (decoded->encoding != WCM_LEGACY)
		return false;
	if (is_0f(decoded, 0x00))
		return extension == 2 || extension == 3;
	if (is_0f(decoded, 0x01) && decoded->has_memory)
		return extension == 2 || extension == 3 || extension == 6 || extension == 7;
	if (is_0f(decoded, 0x01))
		return extension == 6 || decoded->modrm == 0xd1 || decoded->modrm == 0xf8;
	return IS_IN(decoded, privileged);
}

/* Opcodes whose operand in memory is written to; in map 1 also those that read it first. */
static const struct opcodes stores[] = {
	{ WCM_MAP_1, 15, 0x86, 0x89 },	{ WCM_MAP_1, 15, 0xa2, 0xa3 },
	{ WCM_MAP_1, 15, 0x8c, 0x8c },	{ WCM_MAP_1, 15, 0x8f, 0x8f },
	{ WCM_MAP_1, 15, 0xc0, 0xc1 },
	{ WCM_MAP_1, 15, 0xc6, 0xc7 },	{ WCM_MAP_1, 15, 0xd0, 0xd3 },
	{ WCM_MAP_0F, 15, 0x11, 0x11 }, { WCM_MAP_0F, NONE | P66, 0x13, 0x13 },
	{ WCM_MAP_0F, NONE | P66, 0x17, 0x17 }, { WCM_MAP_0F, 15, 0x29, 0x29 },
	{ WCM_MAP_0F, 15, 0x2b, 0x2b }, { WCM_MAP_0F, NONE | P66, 0x7e, 0x7e },
	{ WCM_MAP_0F, 15, 0x7f, 0x7f }, { WCM_MAP_0F, 15, 0x90, 0x9f },
	{ WCM_MAP_0F, 15, 0xa4, 0xa5 }, { WCM_MAP_0F, 15, 0xab, 0xad },
	{ WCM_MAP_0F, 15, 0xb0, 0xb1 }, { WCM_MAP_0F, 15, 0xb3, 0xb3 },
	{ WCM_MAP_0F, 15, 0xbb, 0xbb }, { WCM_MAP_0F, 15, 0xc0, 0xc1 },
	{ WCM_MAP_0F, NONE, 0xc3, 0xc3 }, { WCM_MAP_0F, P66, 0xd6, 0xd6 },
	{ WCM_MAP_0F, NONE | P66, 0xe7, 0xe7 },
};

/* Whether opcodes that have more than one instruction each, by ModRM, write: 80 to 83, f6, f7,
 * fe, ff; ae, ba and c7 of 0f. */
static bool is_store_by_extension(const struct wcm_decoded *decoded)
{
	const unsigned extension = op_extension(decoded);
	const uint8_t op = decoded->opcode;

	if (decoded->map == WCM_MAP_1) {
		if (op < 0x40)
			return (op & 7) < 2 && op < 0x38;
		return ((op & 0xfc) == 0x80 && extension != 7) ||
		       ((op & 0xfe) == 0xf6 && (extension == 2 || extension == 3)) ||
		       (op >= 0xfe && extension < 2);
	}
	if (decoded->map != WCM_MAP_0F)
		return false;
	if (op == 0xae)
		return extension == 0 || extension == 3 || extension == 4 || extension == 6;
	return (op == 0xba && extension > 4) ||
	       (op == 0xc7 && (extension == 1 || extension == 4 || extension == 5));
}

static enum wcm_access access_of(const struct wcm_decoded *decoded)
{
	if (decoded->map == WCM_MAP_0F38 || decoded->map == WCM_MAP_0F3A)
		return alignment_of(decoded) ? WCM_ACCESS_READ : WCM_ACCESS_UNKNOWN;
	if (decoded->map == WCM_MAP_1 && decoded->opcode >= 0xd8 && decoded->opcode <= 0xdf)
		return WCM_ACCESS_UNKNOWN; /* x87's */
	return IS_IN(decoded, stores) || is_store_by_extension(decoded) ? WCM_ACCESS_WRITE :
									  WCM_ACCESS_READ;
}

/* Names an address without a look at what is there: lea, prefetches, NOPs. */
static bool is_idle(const struct wcm_decoded *decoded)
{
	return is_1(decoded, 0x8d) || is_0f(decoded, 0x0d) ||
	       (decoded->map == WCM_MAP_0F && decoded->opcode >= 0x18 && decoded->opcode <= 0x1f);
}

static uintptr_t segment_base(const struct search *search)
{
	enum { GET_GS = 0x1004 /* ARCH_GET_GS */ };
	uintptr_t base = 0;

	if (search->decoded.segment == 0x64)
		return search->thread_pointer;
	if (search->decoded.segment == 0x65)
		wcm__syscall(SYS_arch_prctl, GET_GS, (long)&base, 0, 0, 0, 0);
	return base;
}

static struct operand by_register(const struct search *search, unsigned number, unsigned bytes,
				  enum wcm_access access)
{
	return (struct operand){ reg_of(search, number), bytes, (uint16_t)(1u << number), access };
}

/* What pushes and calls write below the stack pointer, and pops and returns read there. */
static bool is_push(const struct wcm_decoded *decoded)
{
	const uint8_t op = decoded->opcode;

	if (decoded->map == WCM_MAP_0F)
		return op == 0xa0 || op == 0xa8;
	return decoded->map == WCM_MAP_1 &&
	       ((op >= 0x50 && op <= 0x57) || op == 0x68 || op == 0x6a || op == 0x9c ||
		op == 0xc8 || op == 0xe8 ||
		(op == 0xff && (op_extension(decoded) == 2 || op_extension(decoded) == 6)));
}

static bool is_pop(const struct wcm_decoded *decoded)
{
	const uint8_t op = decoded->opcode;

	if (decoded->map == WCM_MAP_0F)
		return op == 0xa1 || op == 0xa9;
	return decoded->map == WCM_MAP_1 && ((op >= 0x58 && op <= 0x5f) || op == 0x8f ||
					     op == 0x9d || op == 0xc2 || op == 0xc3 || op == 0xcf);
}

/* The operands that no ModRM byte names: of string instructions, and on the stack. */
static size_t implicit_operands(const struct search *search, struct operand operands[2])
{
	const struct wcm_decoded *decoded = &search->decoded;
	const unsigned bytes = wcm__decoded_size(decoded);
	const uint8_t op = decoded->opcode;
	size_t count = 0;

	if (is_0f(decoded, 0xf7) && !decoded->has_memory)
		operands[count++] = by_register(search, RDI, 1, WCM_ACCESS_WRITE);
	if (is_push(decoded))
		operands[count] = by_register(search, RSP, 8, WCM_ACCESS_WRITE),
		operands[count++].address -= 8;
	if (is_pop(decoded))
		operands[count++] = by_register(search, RSP, 8, WCM_ACCESS_READ);
	if (is_1(decoded, 0xc9))
		operands[count++] = by_register(search, RBP, 8, WCM_ACCESS_READ);
	if (is_1(decoded, 0xd7))
		operands[count] = by_register(search, RBX, 1, WCM_ACCESS_READ),
		operands[count++].address += (uint8_t)reg_of(search, RAX);
	if (decoded->map != WCM_MAP_1)
		return count;
	if ((op & 0xfc) == 0xa4 || (op & 0xfe) == 0xac)
		operands[count++] = by_register(search, RSI, bytes, WCM_ACCESS_READ);
	if ((op & 0xfe) == 0xa4 || (op & 0xfe) == 0xaa)
		operands[count++] = by_register(search, RDI, bytes, WCM_ACCESS_WRITE);
	if ((op & 0xfe) == 0xa6 || (op & 0xfe) == 0xae)
		operands[count++] = by_register(search, RDI, bytes, WCM_ACCESS_READ);
	return count;
}

/* All that the instruction would access; at most three. */
enum { MOST_OPERANDS = 3 };

static size_t find_operands(const struct search *search, struct operand operands[MOST_OPERANDS])
{
	const struct wcm_decoded *decoded = &search->decoded;
	size_t count = 0;

	if (decoded->has_memory && decoded->is_known && !is_idle(decoded)) {
		const unsigned alignment = alignment_of(decoded);

		operands[count++] = (struct operand){ decoded->address + segment_base(search),
						      alignment ? alignment :
								  wcm__decoded_size(decoded),
						      decoded->uses, access_of(decoded) };
	}
	return count + implicit_operands(search, operands + count);
}

/* Which of the general registers in USES are not canonical, by their places in the list. */
static uint32_t not_canonical(const struct search *search, uint16_t uses)
{
	uint32_t places = 0;

	for (unsigned i = 0; i < sizeof(wcm__greg_names) / sizeof(*wcm__greg_names); i++)
		for (unsigned number = 0; number < 16; number++)
			if ((uses & 1u << number) &&
			    wcm__greg_names[i].greg == wcm__greg_of_number[number] &&
			    !wcm__arch_is_canonical(reg_of(search, number)))
				places |= UINT32_C(1) << i;
	return places;
}

static void accuse(struct search *search, enum wcm_fault fault, const struct operand *operand)
{
	struct wcm_fault_found *found = search->found;

	found->fault = fault;
	found->has_address = true;
	found->address = operand->address;
	found->access = operand->access;
	found->registers = not_canonical(search, operand->uses);
}

static bool find_not_canonical(struct search *search)
{
	struct operand operands[MOST_OPERANDS];
	const size_t count = find_operands(search, operands);

	for (const struct operand *each = operands; each < operands + count; each++)
		if (!wcm__arch_is_canonical(each->address) ||
		    (each->bytes && !wcm__arch_is_canonical(each->address + each->bytes - 1))) {
			accuse(search, WCM_FAULT_NOT_CANONICAL, each);
			return true;
		}
	return false;
}

/* A vector of addresses, or a place that is not known to the byte: the register tells. */
static bool find_bad_register(struct search *search)
{
	const struct wcm_decoded *decoded = &search->decoded;
	const uint32_t places = not_canonical(search, decoded->uses);

	if (!decoded->has_memory || decoded->is_known || is_idle(decoded) || places == 0)
		return false;
	search->found->fault = WCM_FAULT_NOT_CANONICAL;
	search->found->registers = places;
	return true;
}

static bool find_misaligned(struct search *search)
{
	const struct wcm_decoded *decoded = &search->decoded;
	const unsigned alignment = alignment_of(decoded);
	struct operand operands[MOST_OPERANDS];

	if (!alignment || !decoded->has_memory || find_operands(search, operands) == 0 ||
	    operands[0].address % alignment == 0)
		return false;
	accuse(search, WCM_FAULT_MISALIGNED, &operands[0]);
	search->found->number = alignment;
	return true;
}

/* Where a jump, call or return would lead.  False: it is none, or that cannot be read. */
static bool find_target(struct search *search, uintptr_t *target, enum wcm_fault *fault)
{
	const struct wcm_decoded *decoded = &search->decoded;
	uint64_t value = 0;
	bool is_there = false;

	if (is_1(decoded, 0xc2) || is_1(decoded, 0xc3)) {
		is_there = search->read(reg_of(search, RSP), &value, sizeof(value));
		*fault = WCM_FAULT_RETURN_NOT_CANONICAL;
	} else if (is_1(decoded, 0xff) && (op_extension(decoded) == 2 ||
					   op_extension(decoded) == 4)) {
		is_there = wcm__decoded_value(decoded, search->gregs, sizeof(value), search->read,
					      &value);
		*fault = op_extension(decoded) == 2 ? WCM_FAULT_CALL_NOT_CANONICAL :
						      WCM_FAULT_JUMP_NOT_CANONICAL;
	}
	*target = (uintptr_t)value;
	return is_there;
}

static bool find_bad_target(struct search *search)
{
	struct operand operand = { .address = (uintptr_t)search->gregs[REG_RIP],
				   .access = WCM_ACCESS_EXECUTE };
	enum wcm_fault fault = WCM_FAULT_JUMP_NOT_CANONICAL;

	/* Some CPUs are there already. */
	if (wcm__arch_is_canonical(operand.address) &&
	    (!find_target(search, &operand.address, &fault) ||
	     wcm__arch_is_canonical(operand.address)))
		return false;
	if (search->decoded.has_modrm && !search->decoded.has_memory)
		operand.uses = (uint16_t)(1u << search->decoded.rm);
	accuse(search, fault, &operand);
	return true;
}

/* The error code of general protection is 0, or names a vector or a selector (SDM vol. 3,
 * 6.13). */
static void find_protection(struct search *search)
{
	enum { IDT = 2 };
	const unsigned error = (unsigned)search->gregs[REG_ERR];

	search->found->fault = WCM_FAULT_PROTECTION;
	if (error & IDT) {
		search->found->fault = WCM_FAULT_VECTOR;
		search->found->number = (error & 0xffff) >> 3;
	} else if (error) {
		search->found->fault = WCM_FAULT_SELECTOR;
	} else if (!wcm__decode(&search->decoded, search->gregs, search->read)) {
		search->decoded = (struct wcm_decoded){ 0 };
		find_bad_target(search);
	} else if (is_privileged(&search->decoded)) {
		search->found->fault = WCM_FAULT_PRIVILEGED;
	} else if (!find_not_canonical(search) && !find_bad_target(search) &&
		   !find_bad_register(search)) {
		find_misaligned(search);
	}
}

/* Only an address that is not canonical leads to a fault of the stack segment. */
static void find_stack_fault(struct search *search)
{
	if (wcm__decode(&search->decoded, search->gregs, search->read) &&
	    find_not_canonical(search))
		return;
	if (!wcm__arch_is_canonical(reg_of(search, RSP)) ||
	    !wcm__arch_is_canonical(reg_of(search, RBP))) {
		search->found->fault = WCM_FAULT_NOT_CANONICAL;
		search->found->registers = not_canonical(search, 1u << RSP | 1u << RBP);
	}
}

/* A program has asked for that (EFLAGS.AC), or the kernel for accesses that lock a bus. */
static void find_alignment(struct search *search)
{
	struct operand operands[MOST_OPERANDS];
	size_t count = 0;

	search->found->lacks_address = true;
	if (wcm__decode(&search->decoded, search->gregs, search->read))
		count = find_operands(search, operands);
	for (const struct operand *each = operands; each < operands + count; each++)
		if (each->bytes > 1 ? each->address % each->bytes : count == 1) {
			accuse(search, each->bytes > 1 ? WCM_FAULT_MISALIGNED : WCM_FAULT_UNKNOWN,
			       each);
			search->found->number = each->bytes;
			return;
		}
}

/* div and idiv: f6 and f7, /6 and /7. */
static void find_division(struct search *search)
{
	struct wcm_decoded *decoded = &search->decoded;
	uint64_t divisor;

	if (!wcm__decode(decoded, search->gregs, search->read) ||
	    !(is_1(decoded, 0xf6) || is_1(decoded, 0xf7)) || op_extension(decoded) < 6)
		return;
	if (decoded->has_memory)
		decoded->address += segment_base(search);
	if (wcm__decoded_value(decoded, search->gregs, wcm__decoded_size(decoded), search->read,
			       &divisor))
		search->found->fault = divisor ? WCM_FAULT_QUOTIENT : WCM_FAULT_ZERO_DIVISOR;
}

static void find_invalid(struct search *search)
{
	static const struct {
		uint8_t opcode, fault;
	} traps[] = { { 0x0b, WCM_FAULT_TRAP_2 }, { 0xb9, WCM_FAULT_TRAP_1 },
		      { 0xff, WCM_FAULT_TRAP_0 } };

	search->found->fault = WCM_FAULT_INVALID;
	if (!wcm__decode(&search->decoded, search->gregs, search->read))
		return;
	for (size_t i = 0; i < sizeof(traps) / sizeof(*traps); i++)
		if (search->decoded.encoding == WCM_LEGACY &&
		    is_0f(&search->decoded, traps[i].opcode))
			search->found->fault = (enum wcm_fault)traps[i].fault;
}

/* The exceptions that have come and are not masked.  A flag may be left of an earlier one, which
 * was masked then. */
static void find_floating(struct search *search, const ucontext_t *context, bool is_x87)
{
	enum { STACK = 0x40, MASKS = 7 };
	struct { /* as fxsave has it */
		uint16_t cwd, swd, ftw, fop;
		uint64_t rip, rdp;
		uint32_t mxcsr, mxcsr_mask;
	} state;
	unsigned raised;

	search->found->is_earlier = is_x87;
	if (!context->uc_mcontext.fpregs ||
	    !search->read((uintptr_t)context->uc_mcontext.fpregs, &state, sizeof(state)))
		return;
	raised = is_x87 ? state.swd & ~state.cwd : state.mxcsr & ~(state.mxcsr >> MASKS);
	raised &= WCM_FLOAT_ALL;
	if (raised & (raised - 1)) {
		search->found->fault = WCM_FAULT_SEVERAL;
		search->found->number = raised;
	} else if (raised == WCM_FLOAT_DENORMAL) {
		search->found->fault = WCM_FAULT_DENORMAL;
	} else if (is_x87 && raised == WCM_FLOAT_INVALID && (state.swd & STACK)) {
		search->found->fault = WCM_FAULT_FLOAT_STACK;
	}
}

/* A branch that a shadow stack or a missing endbr64 forbids.  The kernel says of no address. */
static void find_control(struct search *search)
{
	enum { NEAR_RETURN = 1, FAR_RETURN = 2, LANDING = 3, KINDS = 0x7fff };
	const unsigned kind = (unsigned)search->gregs[REG_ERR] & KINDS;

	search->found->lacks_address = true;
	if (kind == NEAR_RETURN || kind == FAR_RETURN)
		search->found->fault = WCM_FAULT_SHADOW_RETURN;
	else if (kind == LANDING)
		search->found->fault = WCM_FAULT_NO_LANDING;
}

static bool is_after_int3(const struct search *search)
{
	uint8_t last, first;
	const uintptr_t pc = (uintptr_t)search->gregs[REG_RIP];

	/* The byte before may be another page's. */
	return search->read(pc - 1, &last, 1) &&
	       (last == 0xcc ||
		(last == 3 && search->read(pc - 2, &first, 1) && first == 0xcd));
}

/* The kernel keeps a thread's last exception for all signals that follow: the signal has to be the
 * one that it makes of this exception. */
void wcm__arch_fault_find(struct wcm_fault_found *found, int signal, const void *ucontext,
			  uintptr_t thread_pointer, wcm_reader *read)
{
	struct search search = { .found = found, .thread_pointer = thread_pointer, .read = read };
	ucontext_t context;

	*found = (struct wcm_fault_found){ .fault = WCM_FAULT_UNKNOWN };
	if (!read((uintptr_t)ucontext, &context, offsetof(ucontext_t, uc_sigmask)))
		return;
	memcpy(search.gregs, context.uc_mcontext.gregs, sizeof(search.gregs));
	switch (signal) {
	case SIGSEGV:
		if (search.gregs[REG_TRAPNO] == PROTECTION)
			find_protection(&search);
		else if (search.gregs[REG_TRAPNO] == OVERFLOW)
			found->fault = WCM_FAULT_OVERFLOW_TRAP;
		else if (search.gregs[REG_TRAPNO] == CONTROL)
			find_control(&search);
		break;
	case SIGBUS:
		if (search.gregs[REG_TRAPNO] == STACK_FAULT)
			find_stack_fault(&search);
		else if (search.gregs[REG_TRAPNO] == NOT_PRESENT)
			found->fault = WCM_FAULT_SELECTOR;
		else if (search.gregs[REG_TRAPNO] == ALIGNMENT)
			find_alignment(&search);
		break;
	case SIGFPE:
		if (search.gregs[REG_TRAPNO] == DIVISION)
			find_division(&search);
		else if (search.gregs[REG_TRAPNO] == FLOATING_POINT ||
			 search.gregs[REG_TRAPNO] == SIMD)
			find_floating(&search, &context,
				      search.gregs[REG_TRAPNO] == FLOATING_POINT);
		break;
	case SIGILL:
		if (search.gregs[REG_TRAPNO] == INVALID_OPCODE)
			find_invalid(&search);
		break;
	case SIGTRAP:
		if (search.gregs[REG_TRAPNO] == BREAKPOINT && is_after_int3(&search))
			found->fault = WCM_FAULT_BREAKPOINT;
		break;
	}
}
