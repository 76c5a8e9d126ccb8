/* SPDX-License-Identifier: MIT */
/* environment.h (SAFE) - reads the environment, in a process that has not crashed. */
#ifndef WCM_OS_ENVIRONMENT_H
#define WCM_OS_ENVIRONMENT_H

#include <stddef.h>
#include <unistd.h>

/* The value that FROM, entries NAME=VALUE up to a NULL, or NULL, has for NAME, which may be such an
 * entry, too. */
static inline const char *wcm__environment_of(char *const from[], const char *name)
{
	for (; from && *from; from++) {
		size_t same = 0;

		if (**from != *name) /* as of nearly all */
			continue;
		while (name[same] && name[same] != '=' && (*from)[same] == name[same])
			same++;
		if ((!name[same] || name[same] == '=') && (*from)[same] == '=')
			return *from + same + 1;
	}
	return NULL;
}

/* getenv(3), which is not on the list of what the signal-safe world calls. */
static inline const char *wcm__environment(const char *name)
{
	return wcm__environment_of(environ, name);
}

#endif
