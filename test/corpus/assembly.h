/* SPDX-License-Identifier: MIT */
/* assembly.h - the stacks that assembly.S makes, and the scene that has them. */
#ifndef TEST_CORPUS_ASSEMBLY_H
#define TEST_CORPUS_ASSEMBLY_H

#include "mark.h"

/* assembly.S */
void asm_call(void (*function)(void));
void asm_cfa_rbx(void (*function)(void));
void asm_expression(void (*function)(void));
void asm_states(void (*function)(void));
void asm_saved_elsewhere(void (*function)(void));
void asm_val_offset(void (*function)(void));
void asm_register_chain(void (*function)(void));
void asm_other_stack(void (*function)(void), void *top);
void asm_no_cfi(void (*function)(void));

static void asm_mark(void)
{
	mark("asm");
	KEEP();
}

NOINLINE static void assembly(void)
{
	static _Alignas(16) char stack[16 * 1024];

	asm_call(asm_mark);
	asm_cfa_rbx(asm_mark);
	asm_expression(asm_mark);
	asm_states(asm_mark);
	asm_saved_elsewhere(asm_mark);
	asm_val_offset(asm_mark);
	asm_register_chain(asm_mark);
	asm_other_stack(asm_mark, stack + sizeof(stack));
	asm_no_cfi(asm_mark);
	KEEP();
}

#endif
