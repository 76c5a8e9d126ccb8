/* SPDX-License-Identifier: MIT */
/* no_tables_aside.c - a process whose modules have mapped all frame descriptions that there are. */
#include "core/unwind/debug_frame.h"
#include "core/unwind/registered.h"

bool wcm__debug_frame_find(struct wcm_unwind_table *table, uintptr_t pc, bool *permanent)
{
	(void)table, (void)pc, (void)permanent;
	return false;
}

bool wcm__registered_find(struct wcm_unwind_table *table, uintptr_t pc, size_t *slot)
{
	(void)table, (void)pc, (void)slot;
	return false;
}

bool wcm__debug_frame_read_at(uintptr_t pc, bool for_report)
{
	(void)pc, (void)for_report;
	return false;
}
