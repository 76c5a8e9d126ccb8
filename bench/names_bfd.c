/* SPDX-License-Identifier: MIT */
/* names_bfd.c - the floor of loading through BFD: read, and stop there. */
#include "names_bfd.h"

#include "names.h"

const bool names_can_find = false;

bool names_load(const char *path, uint64_t first)
{
	asymbol **symbols;

	(void)first;
	return read_symbols(path, &symbols) > 0;
}

const char *names_find(uint64_t address)
{
	(void)address;
	return NULL;
}
