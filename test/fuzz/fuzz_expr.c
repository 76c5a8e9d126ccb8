/* SPDX-License-Identifier: MIT */
/* fuzz_expr.c - any bytes as a DWARF expression. */
#include <stdlib.h>

#include "core/cfi/cfi.h"
#include "input_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wcm_span nothing = { 0, 0 };
	const uintptr_t initial = 0x7ffc12345678;
	struct wcm_registers registers = { .pc = 0x401000 };
	uint8_t *input;
	uintptr_t value;

	if (size == 0)
		return -1;
	input = input_copy(data, size);
	for (unsigned i = 0; i < WCM_COLUMNS; i++)
		if (i != 3) /* one of them is unknown */
			wcm__register_set(&registers, i, made_word(i));
	wcm__expr_evaluate((uintptr_t)input, (uintptr_t)input + size,
			   &registers, &nothing, NULL, &value);
	wcm__expr_evaluate((uintptr_t)input, (uintptr_t)input + size,
			   &registers, &nothing, &initial, &value);
	free(input);
	return 0;
}
