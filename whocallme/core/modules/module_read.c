/* SPDX-License-Identifier: MIT */
/* module_read.c (SAFE) - reads code and tables: from where a module has mapped them for good, else
 * through the kernel.
 *
 * A system call for each few bytes of code or of a table is most of what a walk costs.
 * What a module that is never unloaded has mapped needs none.
 */
#include "core/modules/module_read.h"

#include <string.h>

#include "core/modules/modules.h"
#include "core/os/read.h"

bool wcm__read_code(uintptr_t addr, void *buf, size_t size)
{
	if (!wcm__modules_hold_code(addr, size))
		return wcm__read_memory(addr, buf, size);
	memcpy(buf, (const void *)addr, size);
	return true;
}

bool wcm__read_table(uintptr_t addr, void *buf, size_t size)
{
	if (!wcm__modules_hold_table(addr, size))
		return wcm__read_memory(addr, buf, size);
	memcpy(buf, (const void *)addr, size);
	return true;
}

/* A program's sanitizer takes what lies between its constants for an error, and what memcpy() does
 * there as well. */
__attribute__((no_sanitize("address"))) bool wcm__read_constant(uintptr_t addr, void *buf,
								size_t size)
{
	const volatile unsigned char *from = (const unsigned char *)addr;
	unsigned char *to = buf;

	if (!wcm__modules_hold_table(addr, size))
		return wcm__read_memory(addr, buf, size);
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
	return true;
}
