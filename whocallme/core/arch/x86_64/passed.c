/* SPDX-License-Identifier: MIT */
/* x86_64/passed.c (SAFE) - where a function finds what it is given, and its caller what it gives
 * back.
 *
 * The psABI (3.2.3) hands over six words in general registers and eight in vector registers;
 * what does not fit there, or is no word, is on the stack, in order.  A sled's entry has put
 * the general registers below the frame pointer, and the vector registers into its area.
 */
#include <string.h>

#include "core/arch/arch.h"

extern uint64_t wcm__sled_area __attribute__((visibility("hidden")));
extern uint32_t wcm__sled_way __attribute__((visibility("hidden")));

/* See sled.c: words below the frame that are general registers, and offsets in the area. */
enum { RAX = 1, RCX, RDX, RSI, RDI, R8, R9, GENERAL = 9 };
enum { BY_MOVES = 3, IN_USE = 1092, LEGACY_XMM = 160, HAS_SSE = 512, SSE = 2 };

static const uint8_t argument_registers[] = { RDI, RSI, RDX, RCX, R8, R9 };
static const uint8_t result_registers[] = { RAX, RDX };

enum { MOST_GENERAL = sizeof(argument_registers), MOST_VECTOR = 8, RESULTS = 2 };

struct wcm_passed wcm__arch_passed_arguments(const uintptr_t *frame, uintptr_t cfa,
					     wcm_reader *read)
{
	return (struct wcm_passed){ .frame = frame, .stack = cfa, .read = read };
}

struct wcm_passed wcm__arch_passed_results(const uintptr_t *frame)
{
	return (struct wcm_passed){ .frame = frame };
}

/* Arguments have a stack. */
static bool is_argument(const struct wcm_passed *passed)
{
	return passed->stack != 0;
}

static unsigned general_left(const struct wcm_passed *passed)
{
	return (is_argument(passed) ? MOST_GENERAL : RESULTS) - passed->general;
}

static unsigned vectors_left(const struct wcm_passed *passed)
{
	return (is_argument(passed) ? MOST_VECTOR : RESULTS) - passed->vector;
}

static uintptr_t next_general(struct wcm_passed *passed)
{
	const uint8_t *registers = is_argument(passed) ? argument_registers : result_registers;

	return passed->frame[-(int)registers[passed->general++]];
}

/* The area begins at a multiple of 64, below the top of another stack, which the word ASIDE names,
 * or below the words that the entry keeps for itself. */
static const uint8_t *area_of(const uintptr_t *frame)
{
	enum { ASIDE = GENERAL + 2, KEPT = GENERAL + 4 };
	const uintptr_t aside = frame[-ASIDE];
	const uintptr_t top = aside ? aside : (uintptr_t)(frame - KEPT);

	return (const uint8_t *)((top & ~(uintptr_t)63) - wcm__sled_area);
}

/* Where moves save the lower half of register NUMBER: they save as much of each as is in use. */
static const uint8_t *moved(const uint8_t *area, unsigned number)
{
	uint32_t in_use;

	memcpy(&in_use, area + IN_USE, sizeof(in_use));
	return area + number * (in_use & 0x40 ? 64u : in_use & 4 ? 32u : 16u);
}

/* What is not in use is zero, and may not have been saved. */
static uint64_t next_vector(struct wcm_passed *passed)
{
	const uint8_t *area = area_of(passed->frame);
	const unsigned number = passed->vector++;
	uint64_t word, has = SSE;

	if (wcm__sled_way == BY_MOVES) {
		memcpy(&word, moved(area, number), sizeof(word));
		return word;
	}
	if (wcm__sled_way != 0)
		memcpy(&has, area + HAS_SSE, sizeof(has));
	memcpy(&word, area + LEGACY_XMM + number * 16, sizeof(word));
	return has & SSE ? word : 0;
}

/* A function that is given less than its prototype says may be called at the end of a stack. */
bool wcm__arch_passed_memory(struct wcm_passed *passed, void *bytes, size_t size,
			     size_t alignment)
{
	const uintptr_t at = (passed->stack + alignment - 1) & ~(uintptr_t)(alignment - 1);

	if (!is_argument(passed) || (bytes && !passed->read(at, bytes, size)))
		return false;
	passed->stack = at + ((size + 7) & ~(size_t)7);
	return true;
}

bool wcm__arch_passed_words(struct wcm_passed *passed, const bool *is_floating, unsigned count,
			    size_t alignment, uint64_t *word)
{
	unsigned vectors = 0;

	for (unsigned i = 0; i < count; i++)
		vectors += is_floating[i];
	if (vectors > vectors_left(passed) || count - vectors > general_left(passed))
		return wcm__arch_passed_memory(passed, word, count * sizeof(*word),
					       alignment);
	for (unsigned i = 0; i < count; i++)
		word[i] = is_floating[i] ? next_vector(passed) : next_general(passed);
	return true;
}

/* It is on the stack of the x87, which hooks leave alone.  FXAM says whether it is empty (Intel SDM
 * volume 2), which an access would leave a trace of. */
bool wcm__arch_passed_extended(uint64_t word[2])
{
	enum { CONDITIONS = 0x4500, EMPTY = 0x4100 };
	uint16_t status;

	__asm__ volatile("fxam\n\tfnstsw %0" : "=a"(status));
	if ((status & CONDITIONS) == EMPTY)
		return false;
	word[1] = 0;
	__asm__ volatile("fstpt %0\n\tfldt %0" : "+m"(*(uint8_t(*)[16])word));
	return true;
}

bool wcm__arch_passed_hidden(struct wcm_passed *passed, uintptr_t *at)
{
	*at = next_general(passed);
	return true;
}

int wcm__arch_passed_place(bool is_result, unsigned number)
{
	if (is_result)
		return number < RESULTS ? -(int)result_registers[number] : 0;
	return number < MOST_GENERAL ? -(int)argument_registers[number] : 0;
}

extern wcm_sled_first *wcm__sled_first __attribute__((visibility("hidden")));
extern wcm_sled_return *wcm__sled_return __attribute__((visibility("hidden")));
__attribute__((used, visibility("hidden"))) wcm_sled_given *wcm__arch_given_to;
__attribute__((used, visibility("hidden"))) wcm_sled_given_back *wcm__arch_given_back_to;

/* A first stage by way of code that keeps the lower halves of COUNT vector registers. */
#define WITH_VECTORS(name, to, numbers)               \
	".globl " name "\n\t"                         \
	".hidden " name "\n\t"                        \
	".type " name ", @function\n\t"               \
	".p2align 4\n"                                \
	name ":\n\t"                                  \
	".cfi_startproc\n\t"                          \
	WCM_ENDBR_TEXT                                \
	"leaq -72(%rsp), %rsp\n\t"                    \
	".cfi_adjust_cfa_offset 72\n\t"               \
	".irp n, " numbers "\n\t"                     \
	"movq %xmm\\n, 8*\\n(%rsp)\n\t"               \
	".endr\n\t"                                   \
	"movq %rsp, %rsi\n\t"                         \
	"callq *" to "(%rip)\n\t"                     \
	"leaq 72(%rsp), %rsp\n\t"                     \
	".cfi_adjust_cfa_offset -72\n\t"              \
	"ret\n\t"                                     \
	".cfi_endproc\n\t"                            \
	".size " name ", . - " name "\n\t"

__asm__(".text\n\t"
	WITH_VECTORS("wcm__arch_first_given", "wcm__arch_given_to", "0, 1, 2, 3, 4, 5, 6, 7")
	WITH_VECTORS("wcm__arch_first_given_back", "wcm__arch_given_back_to", "0, 1"));

wcm_sled_first wcm__arch_first_given __attribute__((visibility("hidden")));
wcm_sled_return wcm__arch_first_given_back __attribute__((visibility("hidden")));

void wcm__arch_passed_prepare(wcm_sled_given *first, wcm_sled_given_back *returned)
{
	wcm__arch_given_to = first;
	wcm__arch_given_back_to = returned;
	wcm__sled_first = wcm__arch_first_given;
	wcm__sled_return = wcm__arch_first_given_back;
}
