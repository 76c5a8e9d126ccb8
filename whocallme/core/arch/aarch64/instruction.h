/* SPDX-License-Identifier: MIT */
/* aarch64/instruction.h (SAFE) - the instructions that stacks depend on: words of 32 bits (Arm
 * Architecture Reference Manual, C4.1). */
#ifndef WCM_ARCH_INSTRUCTION_H
#define WCM_ARCH_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WCM_INSTRUCTION = 4, /* bytes */
	/* Numbers of registers. */
	WCM_X16 = 16,
	WCM_X17 = 17,
	WCM_X29 = 29,
	WCM_X30 = 30,
	WCM_SP = 31, /* or that which is always zero */
};

/* What a signal's trampoline is, the kernel's, libc's and that of an emulator: mov x8, #139;
 * svc #0. */
#define WCM_SIGRETURN_FIRST 0xd2801168
#define WCM_SIGRETURN_SECOND 0xd4000001

/* The BITS at AT of CODE. */
static inline unsigned wcm__field(uint32_t code, unsigned at, unsigned bits)
{
	return code >> at & ((1u << bits) - 1);
}

/* As a number with a sign. */
static inline intptr_t wcm__signed_field(uint32_t code, unsigned at, unsigned bits)
{
	const intptr_t sign = (intptr_t)1 << (bits - 1);

	return ((intptr_t)wcm__field(code, at, bits) ^ sign) - sign;
}

/* The register that an instruction writes, or goes by. */
static inline unsigned wcm__rd(uint32_t code)
{
	return wcm__field(code, 0, 5);
}

static inline unsigned wcm__rn(uint32_t code)
{
	return wcm__field(code, 5, 5);
}

static inline bool wcm__is_b(uint32_t code)
{
	return code >> 26 == 0x05;
}

static inline bool wcm__is_bl(uint32_t code)
{
	return code >> 26 == 0x25;
}

/* Where b or bl at PC leads. */
static inline uintptr_t wcm__branch_target(uint32_t code, uintptr_t pc)
{
	return pc + (uintptr_t)(wcm__signed_field(code, 0, 26) * WCM_INSTRUCTION);
}

/* br or blr, as OPERATION says, and the forms of them that authenticate. */
enum wcm_operation { WCM_BR, WCM_BLR };

static inline bool wcm__is_by_register(uint32_t code, enum wcm_operation operation)
{
	const uint32_t kind = (uint32_t)operation << 21;

	return (code & 0xfffffc1f) == (0xd61f0000 | kind) ||
	       (code & 0xfffff81f) == (0xd61f081f | kind) ||
	       (code & 0xfffff800) == (0xd71f0800 | kind);
}

/* ret, retaa, retab: to where x30 says. */
static inline bool wcm__is_ret(uint32_t code)
{
	return code == 0xd65f03c0 || code == 0xd65f0bff || code == 0xd65f0fff;
}

/* A NOP, or what a CPU that does not know it takes for one: bti, paciasp. */
static inline bool wcm__is_hint(uint32_t code)
{
	return (code & 0xfffff01f) == 0xd503201f;
}

/* bti, paciasp or pacibsp: an indirect call may lead there. */
static inline bool wcm__is_landing(uint32_t code)
{
	return (code & 0xffffff3f) == 0xd503241f || (code & 0xffffffbf) == 0xd503233f;
}

/* adrp; ldr of 64 bits and add, of a number that has no sign. */
static inline bool wcm__is_adrp(uint32_t code)
{
	return (code & 0x9f000000) == 0x90000000;
}

static inline bool wcm__is_ldr(uint32_t code)
{
	return (code & 0xffc00000) == 0xf9400000;
}

static inline bool wcm__is_add(uint32_t code)
{
	return (code & 0xff800000) == 0x91000000;
}

/* The page that adrp at PC is about. */
static inline uintptr_t wcm__adrp_page(uint32_t code, uintptr_t pc)
{
	enum { PAGE = 4096 };
	const intptr_t pages = wcm__signed_field(code, 5, 19) * 4 +
			       (intptr_t)wcm__field(code, 29, 2);

	return (pc & ~(uintptr_t)(PAGE - 1)) + (uintptr_t)(pages * PAGE);
}

/* How many bytes add or sub of a number is about. */
static inline size_t wcm__number(uint32_t code)
{
	return (size_t)wcm__field(code, 10, 12) << (code >> 22 & 1 ? 12 : 0);
}

/* A load or store of two registers: what it does with the register that it goes by. */
enum wcm_pair { WCM_NO_PAIR, WCM_PAIR_BEHIND, WCM_PAIR_PLAIN, WCM_PAIR_FIRST };

static inline enum wcm_pair wcm__pair(uint32_t code)
{
	return (code & 0x3a000000) == 0x28000000 ? (enum wcm_pair)wcm__field(code, 23, 2)
						 : WCM_NO_PAIR;
}

static inline bool wcm__is_of_vectors(uint32_t code)
{
	return code >> 26 & 1;
}

static inline bool wcm__is_load(uint32_t code)
{
	return code >> 22 & 1;
}

/* What an instruction does with memory, if anything. */
enum wcm_memory { WCM_NO_MEMORY, WCM_LOADS, WCM_STORES };

/* One of SVE: C4.1.33 to C4.1.36, in which those that store are the uppermost. */
static inline enum wcm_memory wcm__memory_of_sve(uint32_t code)
{
	const unsigned kind = code >> 29;

	return kind == 7 ? WCM_STORES : kind >= 4 ? WCM_LOADS : WCM_NO_MEMORY;
}

/* One of one general or vector register, by C4.1.94.29 to .36. */
static inline enum wcm_memory wcm__memory_of_single(uint32_t code)
{
	const unsigned operation = wcm__field(code, 22, 2);
	const bool is_whole = wcm__is_of_vectors(code) && code >> 30 == 0; /* 128 bits */

	/* ldadd, swp and their kin: they do both; ldapr, which is among them, does not. */
	if (!wcm__is_of_vectors(code) && (code & 0x01200c00) == 0x00200000)
		return (code & 0x00c0f000) == 0x0080c000 ? WCM_LOADS : WCM_STORES;
	if ((code & 0xff200400) == 0xf8200400) /* ldraa */
		return WCM_LOADS;
	return operation == 0 || (is_whole && operation == 2) ? WCM_STORES : WCM_LOADS;
}

static inline enum wcm_memory wcm__memory(uint32_t code)
{
	if ((code & 0x1e000000) == 0x04000000)
		return wcm__memory_of_sve(code);
	if ((code & 0xffffffe0) == 0xd50b7420) /* dc zva */
		return WCM_STORES;
	if ((code & 0x0a000000) != 0x08000000)
		return WCM_NO_MEMORY;
	if ((code & 0x3b000000) == 0x18000000) /* by a distance from the pc */
		return WCM_LOADS;
	if ((code & 0x3b000000) == 0x19000000 || (code & 0x3a000000) == 0x38000000)
		return wcm__memory_of_single(code);
	if ((code & 0x3fa00000) == 0x08a00000 || (code & 0xbfa00000) == 0x08200000) /* cas, casp */
		return WCM_STORES;
	return wcm__is_load(code) ? WCM_LOADS : WCM_STORES;
}

/* Of one of the two, in bytes, and where they lie. */
static inline size_t wcm__pair_size(uint32_t code)
{
	const unsigned kind = code >> 30;

	return wcm__is_of_vectors(code) ? (size_t)4 << kind : (size_t)4 << (kind >> 1);
}

static inline intptr_t wcm__pair_offset(uint32_t code)
{
	return wcm__signed_field(code, 15, 7) * (intptr_t)wcm__pair_size(code);
}

#endif
