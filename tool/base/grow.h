/* SPDX-License-Identifier: MIT */
/* grow.h - makes an array longer. */
#ifndef WCM_TOOL_GROW_H
#define WCM_TOOL_GROW_H

#include <stddef.h>

/* ITEMS, which are COUNT of SIZE bytes in memory for *ROOM, with room for one more,
 * perhaps in another place.  NULL when out of memory: they stay as they are. */
void *grow(void *items, size_t count, size_t *room, size_t size);

#endif
