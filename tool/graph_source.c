/* SPDX-License-Identifier: MIT */
/* graph_source.c - which source file is a recorded function from? */
#include "graph_source.h"

#include <stdlib.h>
#include <string.h>

#include "debug/build_id.h"

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* The bytes of TEXT, in hexadecimal. */
static struct build_id parse_build_id(const char *text)
{
	struct build_id id = { .size = 0 };

	for (; id.size < BUILD_ID_MOST && strspn(text, "0123456789abcdef") >= 2;
	     text += 2)
		id.byte[id.size++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return id;
}

/* Where the file at PATH wants its first mapping: offsets count from there. */
static uint64_t first_address(const char *path)
{
	enum { PAGE = 4096 };
	struct elf_file file;
	uint64_t first = UINT64_MAX;
	size_t count = 0;
	GElf_Phdr header;

	if (!elf_file_open(&file, path))
		return 0;
	if (elf_getphdrnum(file.elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file.elf, (int)i, &header) &&
		    header.p_type == PT_LOAD && header.p_vaddr < first)
			first = header.p_vaddr;
	elf_file_close(&file);
	return first == UINT64_MAX ? 0 : first & ~(uint64_t)(PAGE - 1);
}

char *graph_source(struct binaries **binaries, const struct function *function)
{
	const struct module *module = function->module;
	struct places places = { 0 };
	struct build_id id;
	struct binary *binary;
	char *file = NULL;

	if (!*binaries)
		*binaries = binaries_new(NULL, 0);
	if (!*binaries || !module || function->stub)
		return NULL;
	id = parse_build_id(module->build_id);
	binary = binaries_open(*binaries, module->path, id.size ? id.byte : NULL,
			       id.size);
	binary_find(binary, first_address(module->path) + function->offset, &places);
	if (places.count && places.place[places.count - 1].file)
		file = strdup(places.place[places.count - 1].file);
	places_free(&places);
	return file;
}
