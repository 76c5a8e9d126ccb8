/* SPDX-License-Identifier: MIT */
/* file_tag.c (SAFE) - makes a number of a file that no other file, and no later content, has. */
#include "format/file_tag.h"

#include <stddef.h>
#include <sys/stat.h>

#include "core/os/file.h"

/* FNV-1a, of the bytes of VALUE. */
static uint64_t add(uint64_t hash, uint64_t value)
{
	for (int i = 0; i < 8; i++, value >>= 8)
		hash = (hash ^ (value & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t tag_of(const struct stat *status)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = add(hash, status->st_dev);
	hash = add(hash, status->st_ino);
	hash = add(hash, (uint64_t)status->st_size);
	hash = add(hash, (uint64_t)status->st_mtim.tv_sec);
	hash = add(hash, (uint64_t)status->st_mtim.tv_nsec);
	return hash > 1 ? hash : hash + 2; /* 0 and 1 are no file's */
}

uint64_t wcm__file_tag(int fd)
{
	struct stat status;

	return wcm__fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? tag_of(&status) : 0;
}

uint64_t wcm__file_tag_at(const char *path)
{
	struct stat status;

	return wcm__fstatat(AT_FDCWD, path, &status, 0) == 0 && S_ISREG(status.st_mode)
		       ? tag_of(&status)
		       : 0;
}
