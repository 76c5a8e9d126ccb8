/* SPDX-License-Identifier: MIT */
/* objects.h - object files, damaged where readers look. */
#ifndef FUZZ_OBJECTS_H
#define FUZZ_OBJECTS_H

#include <elf.h>

#include "fuzzer.h"

/* A file as it was made. */
struct object {
	char path[512];
	struct text whole, now; /* NOW: as it is, if it is not WHOLE */
	bool is_damaged;        /* it is to be written again */
	uint64_t hole;          /* what its size is beyond what is written */
};

/* Read the file at PATH. */
void object_read(struct object *object, const char *path);

/* Change some of OBJECT's headers and of what its sections have, and write it. */
void object_damage(struct object *object, struct choices *choices);

/* Write it, as it is now. */
void object_write(const struct object *object);

/* Write it as it was, if it is not. */
void object_mend(struct object *object);

/* The section NAME of TEXT, or NULL; where it lies is in the file. */
Elf64_Shdr *object_section(struct text *text, const char *name);

/* The checksum that .gnu_debuglink has of a file. */
uint32_t object_sum(const struct text *text);

#endif
