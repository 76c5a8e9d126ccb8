/* SPDX-License-Identifier: MIT */
/* offered.c - has libdw take a file that it would not find, or not read. */
#include "modules/module_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

static int offered = -1;
static const char *ending;

void offer_file(int fd, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	offered = fd;
	ending = slash ? slash + 1 : path;
}

static bool is_offered(const char *path)
{
	const size_t length = strlen(path), size = strlen(ending);

	return length >= size && strcmp(path + length - size, ending) == 0;
}

static int open_any(const char *path, int flags, mode_t mode)
{
	if (offered < 0 || (flags & O_ACCMODE) != O_RDONLY)
		return openat(AT_FDCWD, path, flags, mode);
	if (is_offered(path))
		return fcntl(offered, F_DUPFD_CLOEXEC, 0);
	errno = ENOENT;
	return -1;
}

/* Whatever size files have, which gives the call two names; weak, for a static link. */
#define OPEN(function, name)                                                        \
	__attribute__((weak, visibility("default"))) int function(                  \
		const char *path, int flags, ...) __asm__(name);                    \
	int function(const char *path, int flags, ...)                              \
	{                                                                           \
		mode_t mode = 0;                                                    \
		va_list arguments;                                                  \
                                                                                    \
		va_start(arguments, flags);                                         \
		if (flags & (O_CREAT | __O_TMPFILE))                                \
			mode = va_arg(arguments, mode_t);                           \
		va_end(arguments);                                                  \
		return open_any(path, flags, mode);                                 \
	}

OPEN(open_offered, "open")
OPEN(open_offered_large, "open64")
