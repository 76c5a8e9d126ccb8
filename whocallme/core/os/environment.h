/* SPDX-License-Identifier: MIT */
/* environment.h (SAFE) - reads the environment, in a process that has not crashed. */
#ifndef WCM_OS_ENVIRONMENT_H
#define WCM_OS_ENVIRONMENT_H

#include <stddef.h>
#include <unistd.h>

/* getenv(3), which is not on the list of what the signal-safe world calls. */
static inline const char *wcm__environment(const char *name)
{
	for (char **each = environ; each && *each; each++) {
		size_t same = 0;

		while (name[same] && (*each)[same] == name[same])
			same++;
		if (!name[same] && (*each)[same] == '=')
			return *each + same + 1;
	}
	return NULL;
}

#endif
