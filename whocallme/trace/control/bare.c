/* SPDX-License-Identifier: MIT */
/* bare.c - makes an environment that does not bring this library.
 *
 * What runs behind a seccomp filter of the program's is killed by it where this library makes a
 * call, at its start, that the filter does not expect.
 */
#include "trace/control/bare.h"

#include <stdbool.h>
#include <string.h>

#define TRACE "WHOCALLME_TRACE="
#define PRELOAD "LD_PRELOAD="
#define OURS "libwhocallme"
#define BETWEEN ": "

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Whether the file at PATH, SIZE bytes of a list, is a library of ours. */
static bool is_ours(const char *path, size_t size)
{
	const char *slash = memrchr(path, '/', size);
	const char *base = slash ? slash + 1 : path;

	return (size_t)(path + size - base) >= sizeof(OURS) - 1 && begins(base, OURS);
}

/* LIST, of LD_PRELOAD, without ours to TO, or nowhere; returns whether it has one of ours. */
static bool copy_others(char *to, const char *list)
{
	bool found = false;
	size_t size;

	for (; *list; list += size) {
		list += strspn(list, BETWEEN);
		size = strcspn(list, BETWEEN);
		if (size > 0 && is_ours(list, size)) {
			found = true;
		} else if (to && size > 0) {
			to = mempcpy(to, list, size);
			*to++ = ':';
		}
	}
	if (to)
		*to = '\0';
	return found;
}

static bool brings_us(const char *variable)
{
	return begins(variable, PRELOAD) && copy_others(NULL, variable + sizeof(PRELOAD) - 1);
}

size_t wcm__bare_size(char *const envp[])
{
	size_t pointers = 1, bytes = 0;
	bool is_bare = true;

	for (; envp && *envp; envp++, pointers++) {
		if (brings_us(*envp))
			bytes += strlen(*envp) + 2;
		is_bare &= !begins(*envp, TRACE) && !brings_us(*envp);
	}
	return is_bare ? 0 : pointers * sizeof(char *) + bytes;
}

char **wcm__bare_make(void *room, char *const envp[])
{
	char **made = room, **to = made, *text = room;
	size_t pointers = 1;

	for (char *const *each = envp; *each; each++)
		pointers++;
	text += pointers * sizeof(char *);
	for (; *envp; envp++) {
		if (begins(*envp, TRACE))
			continue;
		*to++ = *envp;
		if (!brings_us(*envp))
			continue;
		to[-1] = text;
		copy_others(stpcpy(text, PRELOAD), *envp + sizeof(PRELOAD) - 1);
		text += strlen(text) + 1;
	}
	*to = NULL;
	return made;
}
