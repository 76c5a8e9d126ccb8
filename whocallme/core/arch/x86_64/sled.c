/* SPDX-License-Identifier: MIT */
/* x86_64/sled.c - the NOPs that compilers leave for a call, the call, and where it leads.
 *
 * A call written there reaches 2 GiB.  It leads to a jump nearby, and that to the entry
 * below, which keeps all that a function may be given: the psABI's argument registers, the
 * static chain, the number of vector registers of a variadic call, the vector registers
 * themselves in all their width.  The state of vectors is saved in an area below the stack
 * pointer: by moves, where the CPU tells what is in use, else by the widest instruction that
 * it has, which takes three times as long.  It is not where a first stage, which leaves it
 * alone, has done all.
 */
#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"

enum { CALL = 0xe8, JUMP = 0xe9, CALL_SIZE = 5, JUMP_SHORT = 0xeb, SHORT_SIZE = 2,
       NOP = 0x90, PREFIX_66 = 0x66, PREFIX_67 = 0x67 };

/* In one of the forms that assemblers write (Intel SDM volume 2, NOP): 90, or 0f 1f with an
 * operand in memory, behind prefixes. */
size_t wcm__arch_nop_size(const uint8_t *code, size_t size)
{
	size_t at = 0, operand = 0;
	unsigned mod, rm;

	while (at < size && (code[at] == PREFIX_66 || code[at] == PREFIX_67 || code[at] == 0x2e))
		at++;
	if (at < size && code[at] == NOP)
		return at + 1;
	if (size - at < 3 || code[at] != 0x0f || code[at + 1] != 0x1f ||
	    (code[at + 2] & 0x38) != 0)
		return 0;
	mod = code[at + 2] >> 6;
	rm = code[at + 2] & 7;
	if (mod == 3)
		return 0;
	if (mod == 1)
		operand = 1;
	else if (mod == 2 || rm == 5)
		operand = 4;
	if (rm == 4) {
		if (size - at < 4)
			return 0;
		operand += 1 + (mod == 0 && (code[at + 3] & 7) == 5 ? 4 : 0);
	}
	return at + 3 + operand <= size ? at + 3 + operand : 0;
}

size_t wcm__arch_sled_size(const uint8_t *code, size_t size)
{
	size_t at = 0, length;

	while (at < CALL_SIZE) {
		length = wcm__arch_nop_size(code + at, size - at);
		if (length == 0)
			return 0;
		at += length;
	}
	return at <= WCM_SLED_MOST ? at : 0;
}

/* ENDBR64, which begins a function that may be called indirectly. */
static size_t skip_landing(const uint8_t *code, size_t size)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	return size >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0 ?
		       sizeof(endbr64) : 0;
}

/* The length of an instruction that makes a frame, 0 where CODE is none: push, mov of the
 * stack pointer to the frame pointer, sub of a constant from the stack pointer. */
static size_t frame_maker(const uint8_t *code, size_t size, bool *has_pointer)
{
	static const uint8_t pointer[] = { 0x48, 0x89, 0xe5 }, pointer2[] = { 0x48, 0x8b, 0xec };

	if (size < 8)
		return 0;
	if ((code[0] & 0xf8) == 0x50)
		return 1;
	if (code[0] == 0x41 && (code[1] & 0xf8) == 0x50)
		return 2;
	if (memcmp(code, pointer, 3) == 0 || memcmp(code, pointer2, 3) == 0) {
		*has_pointer = true;
		return 3;
	}
	if (code[0] == 0x48 && code[2] == 0xec)
		return code[1] == 0x83 ? 4 : code[1] == 0x81 ? 7 : 0;
	return 0;
}

/* Behind the frame, as -pg has it, NOPs are a sled only where the frame pointer is set,
 * which -pg asks for: else they may align a loop. */
bool wcm__arch_sled_find(const uint8_t *code, size_t size, size_t *at, bool *at_entry)
{
	bool has_pointer = false;
	size_t length;

	*at = skip_landing(code, size);
	*at_entry = true;
	if (wcm__arch_sled_size(code + *at, size - *at) > 0)
		return true;
	*at_entry = false;
	while ((length = frame_maker(code + *at, size - *at, &has_pointer)) > 0)
		*at += length;
	return has_pointer && wcm__arch_sled_size(code + *at, size - *at) > 0;
}

size_t wcm__arch_landing_size(const uint8_t *code, size_t size)
{
	return skip_landing(code, size);
}

bool wcm__arch_sled_call(uint8_t *code, size_t size, uintptr_t at, uintptr_t to)
{
	const intptr_t distance = (intptr_t)(to - (at + size));
	const int32_t displacement = (int32_t)distance;
	size_t left = size - CALL_SIZE;

	if (displacement != distance)
		return false;
	/* What is in front is passed in as few instructions as may be, and none where a call of
	 * six bytes is replaced: no thread may stand in it when it comes back. */
	for (; left >= 2; code += 2, left -= 2)
		code[0] = PREFIX_66, code[1] = NOP;
	if (left > 0)
		*code++ = PREFIX_67;
	code[0] = CALL;
	memcpy(code + 1, &displacement, sizeof(displacement));
	return true;
}

/* NOPs of one byte: wherever a thread goes on among them once they are back, they lead to the
 * function. */
static bool is_filled(const uint8_t *code, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (code[i] != NOP)
			return false;
	return true;
}

/* The jump takes the place of two bytes of NOPs or, where there are none, of ENDBR64: that
 * does nothing as long as no system has indirect branch tracking on, and Linux has it for
 * no process. */
bool wcm__arch_sled_front(const uint8_t *func, size_t front, size_t size,
			  struct wcm_sled_front *sled)
{
	enum { FRONT = CALL_SIZE + SHORT_SIZE };
	size_t entry = skip_landing(func, size), length = 0, nop;

	if (front < FRONT || !is_filled(func - FRONT, FRONT))
		return false;
	while (length < SHORT_SIZE &&
	       (nop = wcm__arch_nop_size(func + entry + length, size - entry - length)) > 0)
		length += nop;
	if (length < SHORT_SIZE && entry == 0)
		return false;
	if (length < SHORT_SIZE)
		length = entry, entry = 0;
	*sled = (struct wcm_sled_front){ .at = FRONT, .returns = CALL_SIZE,
					 .entry = (uint8_t)(FRONT + entry),
					 .size = (uint8_t)(FRONT + entry + length) };
	return sled->size <= WCM_SLED_MOST;
}

static void jump_short(uint8_t *code, size_t from, size_t to)
{
	code[from] = JUMP_SHORT;
	code[from + 1] = (uint8_t)(to - (from + SHORT_SIZE));
}

bool wcm__arch_sled_front_call(uint8_t *code, const struct wcm_sled_front *sled, uintptr_t at,
			       uintptr_t to)
{
	jump_short(code, sled->returns, sled->size);
	jump_short(code, sled->entry, 0);
	return wcm__arch_sled_call(code, CALL_SIZE, at, to);
}

/* RET behind ENDBR64, and what fills up the line to the next function. */
bool wcm__arch_empty_function(const uint8_t *code, size_t size, size_t *at)
{
	enum { RET = 0xc3 };
	size_t filled, length;

	*at = skip_landing(code, size);
	if (*at >= size || code[*at] != RET)
		return false;
	for (filled = *at + 1; filled < *at + WCM_JUMP_SIZE; filled += length) {
		length = wcm__arch_nop_size(code + filled, size - filled);
		if (length == 0)
			return false;
	}
	return true;
}

bool wcm__arch_jump(uint8_t code[WCM_JUMP_SIZE], uintptr_t at, uintptr_t to)
{
	if (!wcm__arch_sled_call(code, WCM_JUMP_SIZE, at, to))
		return false;
	code[0] = JUMP;
	return true;
}

/* jmp *0(%rip), and the address. */
size_t wcm__arch_far_jump(uint8_t code[WCM_FAR_JUMP_MOST], uintptr_t to)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

	memcpy(code, jump, sizeof(jump));
	memcpy(code + sizeof(jump), &to, sizeof(to));
	return sizeof(jump) + sizeof(to);
}

bool wcm__arch_sled_reaches(uintptr_t from, uintptr_t to)
{
	const intptr_t distance = (intptr_t)(to - from);

	return distance == (int32_t)distance;
}

/* How vectors are saved: the components of the extended state, in its area of AREA bytes,
 * which is a multiple of 64 (Intel SDM volume 1, 13). */
enum { BY_FXSAVE, BY_XSAVE, BY_XSAVEC, BY_MOVES };

__attribute__((used, visibility("hidden"))) uint64_t wcm__sled_area = 512 + 64;
__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_components;
__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_way = BY_FXSAVE;
__attribute__((used, visibility("hidden"))) wcm_sled_hook *wcm__sled_hook;
__attribute__((used, visibility("hidden"))) wcm_sled_first *wcm__sled_first;
__attribute__((used, visibility("hidden"))) wcm_sled_return *wcm__sled_return;

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t answer[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(answer[0]), "=b"(answer[1]), "=c"(answer[2]), "=d"(answer[3])
			 : "0"(leaf), "2"(subleaf));
}

static uint64_t enabled_components(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

/* Components of the extended state (Intel SDM volume 1, 13.1). */
enum { SSE = 1 << 1, AVX = 1 << 2, AVX512 = 7 << 5 };

/* Where moves save the state: registers 0 to 15 at 0, the masks at 1024, MXCSR at 1088, what
 * is in use at 1092, registers 16 to 31 at 1152. */
enum { MOVES_AREA = 2176 };

__attribute__((used, visibility("hidden"))) uint32_t wcm__sled_has_avx512;

/* Whether moves save all of AVX-512, or there is none.  Masks of 64 bits are AVX512BW's. */
static bool can_move_avx512(void)
{
	enum { BW = 1 << 30 };
	uint32_t answer[4];

	if ((wcm__sled_components & AVX512) == 0)
		return true;
	cpuid(7, 0, answer);
	wcm__sled_has_avx512 = (wcm__sled_components & AVX512) == AVX512 && (answer[1] & BW);
	return wcm__sled_has_avx512;
}

void wcm__arch_sled_prepare(wcm_sled_first *first, wcm_sled_return *returned, wcm_sled_hook *hook)
{
	enum { XGETBV_1 = 1 << 2, OSXSAVE = 1 << 27 };
	uint32_t answer[4];

	wcm__sled_first = first;
	wcm__sled_return = returned;
	wcm__sled_hook = hook;
	cpuid(0, 0, answer);
	if (answer[0] < 0xd)
		return;
	cpuid(1, 0, answer);
	if (!(answer[2] & OSXSAVE))
		return;
	wcm__sled_components = (uint32_t)enabled_components() & (SSE | AVX | AVX512);
	cpuid(0xd, 0, answer);
	wcm__sled_area = (answer[1] + 63u) & ~63u;
	cpuid(0xd, 1, answer);
	wcm__sled_way = answer[0] & 2 ? BY_XSAVEC : BY_XSAVE;
	if (wcm__sled_area < MOVES_AREA)
		wcm__sled_area = MOVES_AREA;
	if ((answer[0] & XGETBV_1) && (wcm__sled_components & AVX) && can_move_avx512())
		wcm__sled_way = BY_MOVES;
}

void wcm__arch_sled_go_on(uintptr_t *frame, uintptr_t pc)
{
	frame[-10] = pc;
}

/* An instruction for each register of these numbers, which it has as \n. */
#define EACH(numbers, instruction) ".irp n, " numbers "\n\t" instruction "\n\t.endr\n\t"
#define MASKS(instruction) EACH("0, 1, 2, 3, 4, 5, 6, 7", instruction)
#define ALL_16(instruction) \
	EACH("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15", instruction)
#define UPPER_16(instruction) \
	EACH("16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31", instruction)

#define SAVE_GENERAL \
	"pushq %rbp\n\t" \
	".cfi_def_cfa_offset 16\n\t" \
	".cfi_offset %rbp, -16\n\t" \
	"movq %rsp, %rbp\n\t" \
	".cfi_def_cfa_register %rbp\n\t" \
	"pushq %rax\n\t" \
	"pushq %rcx\n\t" \
	"pushq %rdx\n\t" \
	"pushq %rsi\n\t" \
	"pushq %rdi\n\t" \
	"pushq %r8\n\t" \
	"pushq %r9\n\t" \
	"pushq %r10\n\t" \
	"pushq %r11\n\t" \
	"movq %rbp, %rdi\n\t"

#define RESTORE_AND_RETURN \
	".cfi_remember_state\n\t" \
	"popq %r11\n\t" \
	"popq %r10\n\t" \
	"popq %r9\n\t" \
	"popq %r8\n\t" \
	"popq %rdi\n\t" \
	"popq %rsi\n\t" \
	"popq %rdx\n\t" \
	"popq %rcx\n\t" \
	"popq %rax\n\t" \
	"popq %rbp\n\t" \
	".cfi_def_cfa %rsp, 8\n\t" \
	"ret\n\t" \
	".cfi_restore_state\n\t"

/* A trampoline goes on where the word below what is saved says, 96 bytes below its stack pointer:
 * signals leave that alone (psABI, 3.2.2). */
__asm__(".text\n\t"
	".globl wcm__arch_trampoline_entry\n\t"
	".hidden wcm__arch_trampoline_entry\n\t"
	".type wcm__arch_trampoline_entry, @function\n\t"
	".p2align 4\n"
	"wcm__arch_trampoline_entry:\n\t"
	".cfi_startproc\n\t"
	SAVE_GENERAL
	"callq *wcm__sled_return(%rip)\n\t"
	"testq %rax, %rax\n\t"
	"je 7f\n\t"
	"movq %rax, -80(%rbp)\n\t"
	RESTORE_AND_RETURN
	".cfi_endproc\n\t"
	".size wcm__arch_trampoline_entry, . - wcm__arch_trampoline_entry\n\t"
	".globl wcm__arch_sled_entry\n\t"
	".hidden wcm__arch_sled_entry\n\t"
	".type wcm__arch_sled_entry, @function\n\t"
	".p2align 4\n"
	"wcm__arch_sled_entry:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	SAVE_GENERAL
	"callq *wcm__sled_first(%rip)\n\t"
	"testb %al, %al\n\t"
	"jne 6f\n"
	"7:\tleaq -8(%rsp), %rsp\n\t"
	"andq $-64, %rsp\n\t"
	"subq wcm__sled_area(%rip), %rsp\n\t"
	"cmpl $3, wcm__sled_way(%rip)\n\t"
	"je 10f\n\t"
	/* The header of the area says what is in it, and is zero where it says nothing. */
	"xorl %edx, %edx\n\t"
	EACH("0, 8, 16, 24, 32, 40, 48, 56", "movq %rdx, 512+\\n(%rsp)")
	"movl wcm__sled_components(%rip), %eax\n\t"
	"cmpl $1, wcm__sled_way(%rip)\n\t"
	"jb 1f\n\t"
	"je 2f\n\t"
	"xsavec (%rsp)\n\t"
	"jmp 3f\n"
	"1:\tfxsave (%rsp)\n\t"
	"jmp 3f\n"
	"2:\txsave (%rsp)\n"
	"3:\tmovq %rbp, %rdi\n\t"
	"callq *wcm__sled_hook(%rip)\n\t"
	"xorl %edx, %edx\n\t"
	"movl wcm__sled_components(%rip), %eax\n\t"
	"cmpl $1, wcm__sled_way(%rip)\n\t"
	"jb 4f\n\t"
	"xrstor (%rsp)\n\t"
	"jmp 5f\n"
	"4:\tfxrstor (%rsp)\n"
	"5:\tleaq -72(%rbp), %rsp\n"
	"6:\t" RESTORE_AND_RETURN
	/* What is above 128 or 256 bits is not touched where it is not in use, for then
	 * instructions of SSE would be slower ever after. */
	"10:\tmovl $1, %ecx\n\t"
	"xgetbv\n\t"
	"movl %eax, 1092(%rsp)\n\t"
	"stmxcsr 1088(%rsp)\n\t"
	"testl $0x44, %eax\n\t"
	"je 11f\n\t"
	"testl $0x40, %eax\n\t"
	"je 12f\n\t"
	ALL_16("vmovdqa64 %zmm\\n, 64*\\n(%rsp)")
	"jmp 13f\n"
	"11:\t" ALL_16("movaps %xmm\\n, 16*\\n(%rsp)")
	"jmp 13f\n"
	"12:\t" ALL_16("vmovdqa %ymm\\n, 32*\\n(%rsp)")
	"13:\tcmpl $0, wcm__sled_has_avx512(%rip)\n\t"
	"je 14f\n\t"
	UPPER_16("vmovdqa64 %zmm\\n, 1152-1024+64*\\n(%rsp)")
	MASKS("kmovq %k\\n, 1024+8*\\n(%rsp)")
	"14:\tmovq %rbp, %rdi\n\t"
	"callq *wcm__sled_hook(%rip)\n\t"
	"cmpl $0, wcm__sled_has_avx512(%rip)\n\t"
	"je 15f\n\t"
	UPPER_16("vmovdqa64 1152-1024+64*\\n(%rsp), %zmm\\n")
	MASKS("kmovq 1024+8*\\n(%rsp), %k\\n")
	"15:\tvzeroupper\n\t"
	"movl 1092(%rsp), %eax\n\t"
	"ldmxcsr 1088(%rsp)\n\t"
	"testl $0x44, %eax\n\t"
	"je 16f\n\t"
	"testl $0x40, %eax\n\t"
	"je 17f\n\t"
	ALL_16("vmovdqa64 64*\\n(%rsp), %zmm\\n")
	"jmp 5b\n"
	"16:\t" ALL_16("movaps 16*\\n(%rsp), %xmm\\n")
	"jmp 5b\n"
	"17:\t" ALL_16("vmovdqa 32*\\n(%rsp), %ymm\\n")
	"jmp 5b\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_sled_entry, . - wcm__arch_sled_entry");

extern const uint8_t wcm__arch_sled_entry[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_sled_entry_address(void)
{
	return (uintptr_t)wcm__arch_sled_entry;
}

__asm__(".text\n\t"
	".globl wcm__arch_empty_entry, wcm__arch_empty_pc\n\t"
	".hidden wcm__arch_empty_entry, wcm__arch_empty_pc\n\t"
	".type wcm__arch_empty_entry, @function\n\t"
	".p2align 4\n"
	"wcm__arch_empty_entry:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"callq wcm__arch_sled_entry\n"
	"wcm__arch_empty_pc:\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_empty_entry, . - wcm__arch_empty_entry");

extern const uint8_t wcm__arch_empty_entry[] __attribute__((visibility("hidden")));
extern const uint8_t wcm__arch_empty_pc[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_empty_entry_address(uintptr_t *pc)
{
	*pc = (uintptr_t)wcm__arch_empty_pc;
	return (uintptr_t)wcm__arch_empty_entry;
}

uintptr_t *wcm__arch_context_pc(void *ucontext)
{
	ucontext_t *context = ucontext;

	return (uintptr_t *)&context->uc_mcontext.gregs[REG_RIP];
}

/* As libc's, so that unwinders know it by its bytes. */
__asm__(".text\n\t"
	".globl wcm__arch_restorer\n\t"
	".hidden wcm__arch_restorer\n\t"
	".type wcm__arch_restorer, @function\n\t"
	".p2align 4\n\t"
	"nop\n"
	"wcm__arch_restorer:\n\t"
	"movq $15, %rax\n\t"
	"syscall\n\t"
	".size wcm__arch_restorer, . - wcm__arch_restorer");

extern const uint8_t wcm__arch_restorer[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_restorer_address(void)
{
	return (uintptr_t)wcm__arch_restorer;
}
