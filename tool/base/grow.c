/* SPDX-License-Identifier: MIT */
/* grow.c - makes an array longer. */
#include "base/grow.h"

#include <stdlib.h>

void *grow(void *items, size_t count, size_t *room, size_t size)
{
	enum { FIRST = 16 };
	const size_t more = *room ? 2 * *room : FIRST;
	void *grown;

	if (count < *room)
		return items;
	grown = reallocarray(items, more, size);
	if (grown)
		*room = more;
	return grown;
}
