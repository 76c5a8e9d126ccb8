/* SPDX-License-Identifier: MIT */
/* read_value.c (SAFE) - reads the memory that a value points to. */
#include "trace/values/read_value.h"

#include "core/modules/module_read.h"
#include "core/unwind/stack_span.h"

enum { NEAR = 1 << 20 }; /* bytes of a stack in which most strings are that are on one */

/* What is behind a string is not the program's to read, as its sanitizer has it. */
__attribute__((no_sanitize("address"))) static void copy(uintptr_t addr, void *buf, size_t size)
{
	const volatile unsigned char *from = (const unsigned char *)addr;
	unsigned char *to = buf;

	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

bool wcm__read_value(uintptr_t addr, void *buf, size_t size)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const struct wcm_span stack = addr - here < NEAR ? wcm__stack_window(here) : wcm__no_span;

	if (!wcm__span_holds(&stack, addr, size))
		return wcm__read_constant(addr, buf, size);
	copy(addr, buf, size);
	return true;
}
