/* SPDX-License-Identifier: MIT */
/* fake_read.c - memory made by hand, in place of core/os/read.c. */
#include "support/fake_read.h"

#include <string.h>

#include "core/modules/module_read.h"
#include "core/os/read.h"

static struct wcm_span readable;
static const uintptr_t *contents;

void fake_stack(uintptr_t address, const uintptr_t *words, size_t count)
{
	readable = (struct wcm_span){ address,
				      address + count * sizeof(*words) };
	contents = words;
}

bool wcm__read_memory(uintptr_t addr, void *buf, size_t size)
{
	if (!wcm__span_holds(&readable, addr, size))
		return false;
	memcpy(buf, (const char *)contents + (addr - readable.lo), size);
	return true;
}

bool wcm__read_code(uintptr_t addr, void *buf, size_t size)
{
	return wcm__read_memory(addr, buf, size);
}

bool wcm__read_table(uintptr_t addr, void *buf, size_t size)
{
	return wcm__read_memory(addr, buf, size);
}

size_t wcm__count_readable_pages(uintptr_t start, uintptr_t end)
{
	size_t count = 0;

	while (start + count * WCM_PAGE < end &&
	       wcm__span_holds(&readable, start + count * WCM_PAGE, 1))
		count++;
	return count;
}
