/* SPDX-License-Identifier: MIT */
/* system_slots.c (SAFE) - has a system call be a function with an address and a name.
 *
 * Whatever follows calls knows them by an address: filters, recordings, graphs.  That of a
 * system call is a word of this library's, which nothing reads.
 */
#include "trace/system/system_slots.h"

#include "core/os/memory.h"
#include "core/symbols/slot_names.h"

const uintptr_t wcm__system_slot[WCM_SYSTEM_CALLS];

bool wcm__system_slots_name(void)
{
	static struct wcm_slot_names names;
	size_t count = 0;

	if (names.slot)
		return true;
	names.slot = wcm__map(WCM_SYSTEM_CALLS * sizeof(*names.slot));
	if (!names.slot)
		return false;
	for (long number = 0; number < WCM_SYSTEM_CALLS; number++) {
		const char *name = wcm__system_name(number);

		if (name)
			names.slot[count++] = (struct wcm_slot_name){
				.at = wcm__system_address(number), .name = name,
			};
	}
	names.count = count;
	wcm__slot_names_add(&names);
	return true;
}
