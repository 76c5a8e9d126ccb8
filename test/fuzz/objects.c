/* SPDX-License-Identifier: MIT */
/* objects.c - object files, damaged where readers look. */
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void object_read(struct object *object, const char *path)
{
	char bytes[4096];
	ssize_t count;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fuzz_fail("%s: %s", path, strerror(errno));
	snprintf(object->path, sizeof(object->path), "%s", path);
	while ((count = read(fd, bytes, sizeof(bytes))) > 0)
		text_put(&object->whole, bytes, (size_t)count);
	close(fd);
}

void object_write(const struct object *object)
{
	const struct text *text = object->is_damaged ? &object->now : &object->whole;
	int fd = open(object->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	if (fd < 0 || write(fd, text->bytes, text->size) != (ssize_t)text->size ||
	    (object->hole > 0 && ftruncate(fd, (off_t)(text->size + object->hole)) != 0))
		fuzz_fail("%s: %s", object->path, strerror(errno));
	close(fd);
}

void object_mend(struct object *object)
{
	if (!object->is_damaged)
		return;
	object->is_damaged = false;
	object->hole = 0;
	unlink(object->path); /* it may be something else */
	object_write(object);
}

/* The section headers of TEXT, if it has them where its header says. */
static Elf64_Shdr *sections(struct text *text, size_t *count)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)text->bytes;

	*count = 0;
	if (text->size < sizeof(*header) || header->e_shoff > text->size ||
	    header->e_shoff % 8 != 0 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    (text->size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum)
		return NULL;
	*count = header->e_shnum;
	return *count ? (Elf64_Shdr *)(text->bytes + header->e_shoff) : NULL;
}

static bool is_inside(const struct text *text, const Elf64_Shdr *section)
{
	return section->sh_type != SHT_NOBITS && section->sh_offset <= text->size &&
	       section->sh_size <= text->size - section->sh_offset;
}

Elf64_Shdr *object_section(struct text *text, const char *name)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)text->bytes;
	size_t count, length = strlen(name) + 1;
	Elf64_Shdr *all = sections(text, &count), *names;

	if (!all || header->e_shstrndx >= count)
		return NULL;
	names = &all[header->e_shstrndx];
	if (!is_inside(text, names))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (all[i].sh_name < names->sh_size &&
		    names->sh_size - all[i].sh_name >= length &&
		    memcmp(text->bytes + names->sh_offset + all[i].sh_name, name,
			   length) == 0 && is_inside(text, &all[i]))
			return &all[i];
	return NULL;
}

uint32_t object_sum(const struct text *text)
{
	uint32_t sum = ~UINT32_C(0);

	for (size_t i = 0; i < text->size; i++) {
		sum ^= (unsigned char)text->bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	}
	return ~sum;
}

/* Any number in WIDTH bytes at AT, or one near what was there. */
static void put_number(void *at, size_t width, struct choices *choices, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, width);
	switch (choose(choices, 4)) {
	case 0:
		value += choose(choices, 32) - 16;
		break;
	case 1:
		value = size - 16 + choose(choices, 32);
		break;
	default:
		value = any_number(choices);
	}
	memcpy(at, &value, width);
}

static void damage_header(struct text *text, struct choices *choices)
{
	static const struct {
		size_t at, width;
	} fields[] = {
		{ 4, 1 }, { 5, 1 }, { 6, 1 },
		{ offsetof(Elf64_Ehdr, e_type), 2 },      { offsetof(Elf64_Ehdr, e_machine), 2 },
		{ offsetof(Elf64_Ehdr, e_phoff), 8 },     { offsetof(Elf64_Ehdr, e_shoff), 8 },
		{ offsetof(Elf64_Ehdr, e_phentsize), 2 }, { offsetof(Elf64_Ehdr, e_phnum), 2 },
		{ offsetof(Elf64_Ehdr, e_shentsize), 2 }, { offsetof(Elf64_Ehdr, e_shnum), 2 },
		{ offsetof(Elf64_Ehdr, e_shstrndx), 2 },
	};
	const size_t field = choose(choices, sizeof(fields) / sizeof(*fields));

	if (text->size >= sizeof(Elf64_Ehdr))
		put_number(text->bytes + fields[field].at, fields[field].width, choices,
			   text->size);
}

static void damage_section_header(struct object *object, struct choices *choices)
{
	struct text *text = &object->now;
	size_t count;
	Elf64_Shdr *all = sections(text, &count), *section, *other;

	if (!all)
		return;
	section = &all[choose(choices, count)];
	other = &all[choose(choices, count)];
	switch (choose(choices, 10)) {
	case 0:
		put_number(&section->sh_offset, 8, choices, text->size);
		break;
	case 1:
		put_number(&section->sh_size, 8, choices, text->size - section->sh_offset);
		break;
	case 2:
		put_number(&section->sh_type, 4, choices, SHT_SYMTAB);
		break;
	case 3:
		section->sh_flags ^= choose(choices, 2) ? SHF_COMPRESSED
							: 1u << choose(choices, 12);
		break;
	case 4:
		put_number(&section->sh_link, 4, choices, count);
		break;
	case 5:
		put_number(&section->sh_entsize, 8, choices, 24);
		break;
	case 6:
		section->sh_name = other->sh_name;
		break;
	case 7:
		section->sh_offset = other->sh_offset;
		section->sh_size = other->sh_size;
		break;
	case 8: /* it lies in a hole, or ends in one */
		object->hole = UINT64_C(1) << (17 + choose(choices, 18));
		section->sh_size = object->hole;
		if (choose(choices, 2))
			section->sh_offset = text->size;
		if (choose(choices, 2))
			section->sh_flags |= SHF_ALLOC;
		break;
	default:
		put_number(&section->sh_addr, 8, choices, 0x1000);
	}
}

static void damage_content(struct text *text, struct choices *choices)
{
	static const char *const names[] = {
		".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_aranges",
		".debug_rnglists", ".debug_ranges", ".debug_addr", ".debug_str_offsets",
		".debug_line_str", ".debug_info.dwo", ".debug_abbrev.dwo", ".debug_str.dwo",
		".debug_str_offsets.dwo", ".debug_line.dwo", ".debug_rnglists.dwo",
		".gnu_debugaltlink", ".gnu_debuglink", ".note.gnu.build-id", ".symtab",
		".strtab", ".dynsym", ".dynstr", ".shstrtab", ".gnu_debugdata", ".plt", NULL,
	};
	static const size_t widths[] = { 1, 1, 2, 4, 8 };
	size_t width = widths[choose(choices, 5)], at, from;
	const Elf64_Shdr *section = object_section(text, one_of(choices, names));
	char *bytes;

	if (!section || section->sh_size < 2 * sizeof(uint64_t))
		return;
	bytes = text->bytes + section->sh_offset;
	at = choose(choices, choose(choices, 2) && section->sh_size > 64
				     ? 48 : section->sh_size - sizeof(uint64_t));
	from = choose(choices, section->sh_size - sizeof(uint64_t));
	if (choose(choices, 2))
		put_number(bytes + at, width, choices, section->sh_size);
	else if (choose(choices, 2))
		bytes[at] ^= (char)(1 << choose(choices, 8));
	else
		memmove(bytes + at, bytes + from, sizeof(uint64_t));
}

void object_damage(struct object *object, struct choices *choices)
{
	text_clear(&object->now);
	text_put(&object->now, object->whole.bytes, object->whole.size);
	object->is_damaged = true;
	for (size_t i = 1 + choose(choices, 6); i > 0; i--)
		switch (choose(choices, 8)) {
		case 0:
			damage_header(&object->now, choices);
			break;
		case 1:
		case 2:
			damage_section_header(object, choices);
			break;
		default:
			damage_content(&object->now, choices);
		}
	if (chance(choices, 30))
		object->now.size = choose(choices, object->now.size + 1);
	object_write(object);
}
