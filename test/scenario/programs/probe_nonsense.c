/* SPDX-License-Identifier: MIT */
/* probe_nonsense.c - notes by hand whose values and places mean nothing. */
#include <stdio.h>

#define NOTE(place, semaphore, name, values)                                   \
	__asm__ __volatile__("990: nop\n"                                      \
		" .pushsection .note.stapsdt,\"?\",\"note\"\n"                 \
		" .balign 4\n .4byte 992f-991f, 994f-993f, 3\n"                \
		"991: .asciz \"stapsdt\"\n992: .balign 4\n"                    \
		"993: .8byte " place ", _.stapsdt.base, " semaphore "\n"       \
		" .asciz \"nonsense\"\n .asciz \"" name "\"\n .asciz \"" values "\"\n" \
		"994: .balign 4\n .popsection\n")

__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"
	".popsection\n");

static int global = 5;

int main(void)
{
	const long known = -7;

	NOTE("990b", "0", "values",
	     "8@ -4@$ 4@%%zzz 3@$1 8@(%%rax 4@-4(%%rbp,%%rax,77) 1@sym+4(%%rip) 2@)( x");
	NOTE("990b", "0", "wild",
	     "8@0(%%rsp,%%rsp,8) -8@99999999999999999999 8@8(%%rsi) 16@%%rax -100@%%eax");
	NOTE("990b", "0", "empty", "");
	NOTE("990b", "16", "semaphore", "-4@$-5");
	NOTE("990b", "main", "code", "1@$255 -1@$255 2@$-1 -8@$0x10");
	NOTE("0", "0", "nowhere", "-4@$1");
	NOTE("global", "0", "data", "-4@$1");
	NOTE("main", "0", "not_a_nop", "-4@$1");
	NOTE("990b", "0", "twelve",
	     "4@$1 4@$2 4@$3 4@$4 4@$5 4@$6 4@$7 4@$8 4@$9 4@$10 4@$11 4@$12 4@$13");
	__asm__ __volatile__("" ::"r"(known), "m"(global));
	puts("made sense of");
	return 0;
}
