/* SPDX-License-Identifier: MIT */
/* x86_64/library_stub.h (SAFE) - what a call into a library goes through while it is traced.
 *
 *	endbr64; call *ENTRY(%rip); jmp *TARGET(%rip)
 *	push NUMBER; push LINKER(%rip); jmp *LINKER+8(%rip)
 *
 * The first is like a function that begins with a sled.  The second is TARGET as long as the
 * function has not been bound: it asks the dynamic linker as the PLT does (psABI, 5.2), in
 * whose words it has the NUMBER of a relocation that is this library's own.
 */
#ifndef WCM_ARCH_LIBRARY_STUB_H
#define WCM_ARCH_LIBRARY_STUB_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes for both, and from the first's begin to the return address of its call. */
enum { WCM_LIBRARY_STUB = 48, WCM_LIBRARY_STUB_RETURNS = 10 };

/* The relocations of words that are called through a PLT, and of those that the code has the
 * address of a function from. */
enum { WCM_RELOCATES_CALLED = R_X86_64_JUMP_SLOT, WCM_RELOCATES_TAKEN = R_X86_64_GLOB_DAT };

/* An instruction of OPCODE, in two bytes, whose operand is at TO.  Returns its end. */
static inline uint8_t *wcm__put_relative(uint8_t *at, uint8_t opcode, uint8_t mod, const void *to)
{
	const int32_t away = (int32_t)((const uint8_t *)to - (at + 6));

	at[0] = opcode;
	at[1] = mod;
	memcpy(at + 2, &away, sizeof(away));
	return at + 6;
}

static inline uint8_t *wcm__put_landing(uint8_t *at)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	memcpy(at, endbr64, sizeof(endbr64));
	return at + sizeof(endbr64);
}

/* The first at CODE. */
static inline void wcm__arch_library_stub(uint8_t *code, const uintptr_t *entry,
					  const uintptr_t *target)
{
	uint8_t *at = wcm__put_relative(wcm__put_landing(code), 0xff, 0x15, entry);

	wcm__put_relative(at, 0xff, 0x25, target);
}

/* The second, behind the first at STUB.  LINKER is two words: what the dynamic linker has for
 * the module, and where it is called.  Returns its address. */
static inline uintptr_t wcm__arch_library_binding(uint8_t *stub, uint32_t number,
						  const uintptr_t *linker)
{
	uint8_t *const code = stub + 16, *at = wcm__put_landing(code);

	*at++ = 0x68;
	memcpy(at, &number, sizeof(number));
	at = wcm__put_relative(at + sizeof(number), 0xff, 0x35, linker);
	wcm__put_relative(at, 0xff, 0x25, linker + 1);
	return (uintptr_t)code;
}

/* Whether CODE, of a PLT, asks for the relocation NUMBER to be bound: it pushes that or, as mold
 * has it, the register that has it. */
static inline bool wcm__arch_library_is_unbound(const uint8_t *code, uint32_t number)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		code += sizeof(endbr64);
	if (code[0] == 0x41 && code[1] == 0x53)
		return true;
	return code[0] == 0x68 && memcmp(code + 1, &number, sizeof(number)) == 0;
}

/* Whether OPERAND, four bytes of code behind others, may be one that is relative to the pc:
 * *TO is what it leads to then, and *CALLS says that it is called or jumped to. */
static inline bool wcm__arch_library_reference(const uint8_t *operand, uintptr_t *to, bool *calls)
{
	int32_t away;

	if ((operand[-1] & 0xc7) != 0x05)
		return false;
	memcpy(&away, operand, sizeof(away));
	*to = (uintptr_t)(operand + 4) + (uintptr_t)(intptr_t)away;
	*calls = operand[-2] == 0xff && (operand[-1] == 0x15 || operand[-1] == 0x25);
	return true;
}

#endif
