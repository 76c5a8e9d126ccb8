/* SPDX-License-Identifier: MIT */
/* core.c - the program as it is now, for a debugger.
 *
 * The program stays as it is, where attaching a debugger would have it let go of:
 * what a debugger needs for a stack is written as a core file is.  Code is not,
 * being in the files that are mapped, unless an emulator does not tell which it is.
 */
/* Times in it are as long as the kernel's words, whatever libc's are. */
#undef _TIME_BITS
#include "core.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "tracee.h"

enum {
	LOADS = 512,
	ALIGNMENT = 4096,
	CLASS = sizeof(uintptr_t) == 8 ? ELFCLASS64 : ELFCLASS32,
};

struct load {
	uintptr_t lo, hi;
	bool is_code;
};

static size_t find_loads(struct load *loads, pid_t id)
{
	char path[64], line[1024];
	size_t count = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)id);
	maps = fopen(path, "re");
	while (maps && count < LOADS && fgets(line, sizeof(line), maps)) {
		struct load *load = &loads[count];
		char flags[8];

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &load->lo, &load->hi,
			   flags) < 3 ||
		    flags[0] != 'r' || strstr(line, "[v") || tracee_is_outside(load->lo))
			continue;
		load->is_code = flags[2] == 'x';
		count++;
	}
	if (maps)
		fclose(maps);
	return count;
}

static void write_note(FILE *core, unsigned type, const void *bytes, size_t size)
{
	const Elf64_Nhdr note = { sizeof("CORE"), (Elf64_Word)size, type };
	const char name[8] = "CORE", padding[4] = "";

	fwrite(&note, sizeof(note), 1, core);
	fwrite(name, sizeof(name), 1, core);
	fwrite(bytes, size, 1, core);
	fwrite(padding, -size % 4, 1, core);
}

static void write_notes(FILE *core, pid_t id,
			const struct registers *registers)
{
	struct elf_prstatus status = { .pr_pid = id };
	char auxv[4096];

	memcpy(&status.pr_reg, registers->general, sizeof(status.pr_reg));
	write_note(core, NT_PRSTATUS, &status, sizeof(status));
	write_note(core, NT_AUXV, auxv, tracee_auxv(auxv, sizeof(auxv)));
}

static void write_memory(FILE *core, const struct load *load)
{
	char page[ALIGNMENT];

	for (uintptr_t at = load->lo; at < load->hi; at += sizeof(page)) {
		memset(page, 0, sizeof(page));
		tracee_read(at, page, sizeof(page));
		fwrite(page, sizeof(page), 1, core);
	}
}

static void write_headers(FILE *core, const struct load *loads, size_t count,
			  size_t notes, size_t offset)
{
	ElfW(Ehdr) head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
					 CLASS, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_CORE, .e_machine = machine_elf,
			    .e_version = EV_CURRENT, .e_phoff = sizeof(head),
			    .e_ehsize = sizeof(head),
			    .e_phentsize = sizeof(ElfW(Phdr)),
			    .e_phnum = (ElfW(Half))(count + 1) };
	ElfW(Phdr) note = { .p_type = PT_NOTE, .p_filesz = notes, .p_align = 4,
			    .p_offset = sizeof(head) +
					(count + 1) * sizeof(note) };

	fwrite(&head, sizeof(head), 1, core);
	fwrite(&note, sizeof(note), 1, core);
	for (size_t i = 0; i < count; i++) {
		size_t size = loads[i].hi - loads[i].lo;
		ElfW(Phdr) load = { .p_type = PT_LOAD, .p_flags = PF_R,
				    .p_vaddr = loads[i].lo, .p_memsz = size,
				    .p_filesz = loads[i].is_code ? 0 : size,
				    .p_offset = offset, .p_align = ALIGNMENT };

		fwrite(&load, sizeof(load), 1, core);
		offset += load.p_filesz;
	}
}

void core_write(const char *path, pid_t id, const struct registers *registers)
{
	static struct load loads[LOADS];
	size_t count = find_loads(loads, id), notes, offset;
	long start = (long)(sizeof(ElfW(Ehdr)) +
			    (count + 1) * sizeof(ElfW(Phdr)));
	FILE *core = fopen(path, "we");

	if (!core)
		return;
	fseek(core, start, SEEK_SET);
	write_notes(core, id, registers);
	notes = (size_t)(ftell(core) - start);
	offset = ((size_t)ftell(core) + ALIGNMENT - 1) & -(size_t)ALIGNMENT;
	rewind(core);
	write_headers(core, loads, count, notes, offset);
	fseek(core, (long)offset, SEEK_SET);
	for (size_t i = 0; i < count; i++)
		if (!loads[i].is_code)
			write_memory(core, &loads[i]);
	fclose(core);
}
