/* SPDX-License-Identifier: MIT */
/* fixed_program.c - finds where a program is that is not position-independent. */
#include "recording/fixed_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "modules/build_id.h"
#include "symbols/module_file.h"

bool fixed_program(const char *program, char path[PATH_MAX], uint64_t *start, uint64_t *end)
{
	struct elf_file file;
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t count = 0;
	bool moves;

	*end = 0;
	if (!realpath(program, path) || !elf_file_open(&file, path)) {
		complain("%s: %s", program, errno ? strerror(errno) : "not an ELF file");
		return false;
	}
	moves = !gelf_getehdr(file.elf, &header) || header.e_type != ET_EXEC;
	if (elf_getphdrnum(file.elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) &&
		    segment.p_type == PT_LOAD && segment.p_vaddr + segment.p_memsz > *end)
			*end = segment.p_vaddr + segment.p_memsz;
	elf_file_close(&file);
	*start = module_file_start(path);
	if (moves)
		complain("%s: it is position-independent, and the addresses do not say "
			 "where it was: link it with -no-pie, or make them with "
			 "\"whocallme trace --addresses\"", program);
	return !moves;
}
