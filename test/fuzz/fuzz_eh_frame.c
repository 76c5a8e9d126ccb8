/* SPDX-License-Identifier: MIT */
/* fuzz_eh_frame.c - any bytes as .eh_frame_hdr and .eh_frame, or as .debug_frame.
 *
 * The input is a segment that begins with the header.  Looked up are the
 * addresses that its search table would hold, and what its last bytes say.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cfi/cfi.h"
#include "core/cfi/fde.h"
#include "input_read.h"

enum { HEADER = 12, ENTRY = 8, SITES = 6, LEAST = 16 };

static void fill_registers(struct wcm_registers *registers, uintptr_t site)
{
	*registers = (struct wcm_registers){ .pc = site };
	for (unsigned i = 0; i < WCM_COLUMNS; i++)
		wcm__register_set(registers, i, made_word(site + i));
}

static void look_up(const struct wcm_unwind_table *table, uintptr_t site)
{
	const struct wcm_span nothing = { 0, 0 };
	struct wcm_registers registers;
	struct wcm_rule rule;
	struct wcm_row row;
	struct wcm_fde fde;

	if (!wcm__fde_find(&fde, table, site))
		return;
	if (site < fde.start || site >= fde.end)
		abort();
	if (!wcm__cfi_row(&row, &fde, site))
		return;
	wcm__cfi_compact(&rule, &row, &fde);
	fill_registers(&registers, site);
	wcm__cfi_step(&registers, &row, &fde, &nothing);
}

/* What each of its entries describes. */
static void look_up_all(const struct wcm_unwind_table *table)
{
	uintptr_t at = table->frames;
	struct wcm_fde fde;

	while (wcm__fde_next(&fde, &at, table))
		if (fde.start < fde.end)
			look_up(table, fde.start + (fde.end - fde.start) / 2);
}

static uintptr_t site_at(const uint8_t *input, size_t offset)
{
	int32_t distance;

	memcpy(&distance, input + offset, sizeof(distance));
	return (uintptr_t)input + (uintptr_t)(intptr_t)distance;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wcm_unwind_table table = { 0 };
	uint8_t *input;

	if (size < LEAST)
		return -1;
	input = input_copy(data, size);
	table.lo = (uintptr_t)input;
	table.hi = table.lo + size;
	table.hdr = table.lo;
	look_up(&table, site_at(input, size - 4));
	for (size_t i = 0; i < SITES && HEADER + i * ENTRY + 4 <= size; i++)
		look_up(&table, site_at(input, HEADER + i * ENTRY) +
					input[size - 1] % 64);
	/* As if there were no header, what follows being .eh_frame. */
	table.hdr = 0;
	table.frames = table.lo + input[size - 1] % LEAST;
	look_up(&table, site_at(input, size - 4));
	table.is_debug = table.held = true;
	table.bias = site_at(input, size - 4);
	look_up_all(&table);
	free(input);
	return 0;
}
