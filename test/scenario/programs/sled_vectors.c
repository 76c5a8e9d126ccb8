/* SPDX-License-Identifier: MIT */
/* sled_vectors.c - patterns in all vector registers and masks of AVX-512 before a function
 * with a sled is called, and what is there afterwards; the upper halves in use or not. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <whocallme.h>

#define NO_SLED __attribute__((patchable_function_entry(0), noinline))
#define EACH(numbers, instruction) ".irp n, " numbers "\n\t" instruction "\n\t.endr\n\t"
#define LOWER "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define UPPER "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
#define MASKS "0, 1, 2, 3, 4, 5, 6, 7"

enum { REGISTERS = 32, WIDTH = 64, MASKS_AT = REGISTERS * WIDTH, SIZE = MASKS_AT + 64 };

static uint8_t before[SIZE] __attribute__((aligned(64)));
static uint8_t after[SIZE] __attribute__((aligned(64)));

void patched(void);

__attribute__((noinline)) void patched(void)
{
	__asm__ volatile("");
}

/* Load the lower registers by LOAD, all others in full, call, and store all in full. */
#define CALL(load)                                                              \
	__asm__ volatile("vzeroall\n\t" EACH(LOWER, load)                       \
			 EACH(UPPER, "vmovdqa64 64*\\n(%0), %%zmm\\n")            \
			 EACH(MASKS, "kmovq 2048+8*\\n(%0), %%k\\n")              \
			 "call patched\n\t"                                     \
			 EACH(LOWER, "vmovdqa64 %%zmm\\n, 64*\\n(%1)")            \
			 EACH(UPPER, "vmovdqa64 %%zmm\\n, 64*\\n(%1)")            \
			 EACH(MASKS, "kmovq %%k\\n, 2048+8*\\n(%1)")              \
			 "vzeroupper\n\t"                                       \
			 : : "b"(before), "r"(after) : "memory")

NO_SLED static int differs(int width, int upper)
{
	for (int i = 0; i < SIZE; i++) {
		const int is_lower = i < 16 * WIDTH;

		before[i] = (is_lower ? i % WIDTH < width : upper) ? (uint8_t)(i * 7 + 1) : 0;
	}
	memset(after, 0xee, sizeof(after));
	if (width == 16)
		CALL("movaps 64*\\n(%0), %%xmm\\n");
	else if (width == 32)
		CALL("vmovdqa 64*\\n(%0), %%ymm\\n");
	else
		CALL("vmovdqa64 64*\\n(%0), %%zmm\\n");
	return memcmp(before, after, SIZE) != 0;
}

NO_SLED static void check(const char *when)
{
	int count = 0;

	for (int upper = 0; upper < 2; upper++)
		for (int width = 16; width <= WIDTH; width *= 2)
			count += differs(width, upper);
	printf("%s: %d differ\n", when, count);
}

static void spoil(const struct wcm_entry *entry)
{
	(void)entry;
	__asm__ volatile(EACH(LOWER, "vpternlogd $255, %%zmm\\n, %%zmm\\n, %%zmm\\n")
			 EACH(UPPER, "vpternlogd $255, %%zmm\\n, %%zmm\\n, %%zmm\\n")
			 EACH(MASKS, "kxnorq %%k\\n, %%k\\n, %%k\\n") : : : "memory");
}

/* Of the second call on there is nothing new in a call. */
NO_SLED static void check_mode(enum wcm_trace_mode mode, const char *output, const char *when)
{
	const struct wcm_trace_options options = { .mode = mode, .output = output };

	wcm_trace_start(&options);
	check(when);
	wcm_trace_stop();
}

/* vectors DIRECTORY: where outputs go. */
NO_SLED int main(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1]) != 0)
		return 2;
	check("off");
	check_mode(WCM_TRACE_LOG, "/dev/null", "logged");
	check_mode(WCM_TRACE_RECORD, "vectors.data", "recorded");
	check_mode(WCM_TRACE_GRAPH, "vectors.dot", "counted");
	wcm_hook_set(spoil, NULL);
	check("spoilt");
	wcm_hook_set(NULL, NULL);
	return 0;
}
