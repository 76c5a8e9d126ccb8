/* SPDX-License-Identifier: MIT */
/* build_id.c - which build is this file of? */
#include "debug/build_id.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regular.h"

bool elf_file_open(struct elf_file *file, const char *path)
{
	file->elf = NULL;
	file->fd = regular_open(path, NULL);
	if (file->fd < 0) {
		errno = errno == EINVAL ? 0 : errno;
		return false;
	}
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF)
		return true;
	elf_file_close(file);
	errno = 0;
	return false;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	file->elf = NULL;
	file->fd = -1;
}

bool is_special_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

struct build_id build_id_make(const void *bytes, size_t size)
{
	struct build_id id = { .size = size };

	if (id.size > sizeof(id.byte))
		id.size = sizeof(id.byte);
	if (id.size > 0)
		memcpy(id.byte, bytes, id.size);
	return id;
}

struct build_id build_id_of(Elf *elf)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	return build_id_make(bytes, size > 0 ? (size_t)size : 0);
}

bool build_id_is(const struct build_id *id, const struct build_id *wanted)
{
	return id->size >= wanted->size &&
	       memcmp(id->byte, wanted->byte, wanted->size) == 0;
}

const char *build_id_short(const struct build_id *id,
			   char text[BUILD_ID_SHORT])
{
	if (id->size == 0)
		return "no build-id";
	strcpy(text, "build-id ");
	for (size_t i = 0; i < id->size && i < 4; i++)
		sprintf(text + strlen(text), "%02x", id->byte[i]);
	return text;
}
