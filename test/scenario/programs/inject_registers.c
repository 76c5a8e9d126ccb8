/* SPDX-License-Identifier: MIT */
/* inject_registers.c - compares all registers before and after an event, the flags in turn set
 * and clear. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct registers {
	uint64_t general[15], flags;
	uint8_t vectors[512]; /* as fxsave has them */
} __attribute__((aligned(16)));

void fill_and_call(const struct registers *given, struct registers *left);

static const char prefix[] = "ev=entry fn=registers ip=0x";

/* Carry, parity, adjust, zero, sign and overflow. */
static const uint64_t flags[] = { 0x246, 0x202, 0x203, 0x206, 0x212, 0x242, 0x282, 0xa02, 0xad7 };

enum { RCX = 1, RDX = 2, RSI = 5, RDI = 6, XMM = 160, MXCSR = 24, ST = 32 };

static void fill(struct registers *given, uint64_t flag)
{
	memset(given, 0, sizeof(*given));
	for (unsigned i = 0; i < 15; i++)
		given->general[i] = UINT64_C(0x0101010101010101) * (i + 0x81);
	given->general[RDI] = (uintptr_t)prefix;
	/* Its upper half means nothing. */
	given->general[RSI] = UINT64_C(0xdeadbeef00000000) | (sizeof(prefix) - 1);
	given->general[RDX] = 0;
	given->flags = flag;
	__asm__ volatile("fxsave64 %0" : "=m"(given->vectors));
	given->vectors[0] = 0x7f, given->vectors[1] = 0x0f; /* rounds to zero */
	given->vectors[4] = 0xff;                           /* eight numbers on its stack */
	memcpy(given->vectors + MXCSR, "\x80\x7f", 2);
	for (unsigned i = 0; i < 8; i++)
		memcpy(given->vectors + ST + 16 * i, "\1\2\3\4\5\6\7\x88\xff\x3f", 10);
	for (unsigned i = 0; i < 256; i++)
		given->vectors[XMM + i] = (uint8_t)(i * 7 + 3);
}

int main(void)
{
	static struct registers given, left;
	int wrong = 0;

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		fill(&given, flags[i]);
		memset(&left, 0, sizeof(left));
		fill_and_call(&given, &left);
		for (unsigned j = 0; j < 15; j++)
			if (given.general[j] != left.general[j])
				wrong = printf("register %u: %#lx\n", j, left.general[j]);
		if (given.flags != left.flags)
			wrong = printf("flags %#lx: %#lx\n", given.flags, left.flags);
		if (memcmp(given.vectors, left.vectors, XMM + 256) != 0)
			wrong = printf("vectors\n");
	}
	return wrong != 0;
}
