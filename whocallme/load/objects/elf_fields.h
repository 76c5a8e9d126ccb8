/* SPDX-License-Identifier: MIT */
/* elf_fields.h - reads fields of ELF's structs, of either class and byte order. */
#ifndef WCM_OBJECTS_ELF_FIELDS_H
#define WCM_OBJECTS_ELF_FIELDS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_elf_kind {
	bool wide, big_endian;
};

static inline struct wcm_elf_kind wcm__elf_kind(const unsigned char *head)
{
	return (struct wcm_elf_kind){ .wide = head[EI_CLASS] == ELFCLASS64,
				      .big_endian = head[EI_DATA] == ELFDATA2MSB };
}

static inline uint64_t wcm__elf_number(struct wcm_elf_kind kind, const unsigned char *at,
				       size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[kind.big_endian ? i : size - 1 - i];
	return value;
}

/* The FIELD of a STRUCT of <elf.h>, which begins AT. */
#define WCM_ELF_FIELD(kind, at, struct, field)                                                    \
	((kind).wide ? wcm__elf_number(kind, (at) + offsetof(Elf64_##struct, field),              \
				       sizeof(((Elf64_##struct *)0)->field))                      \
		     : wcm__elf_number(kind, (at) + offsetof(Elf32_##struct, field),              \
				       sizeof(((Elf32_##struct *)0)->field)))

#define WCM_ELF_SIZE(kind, struct) ((kind).wide ? sizeof(Elf64_##struct) : sizeof(Elf32_##struct))

#endif
