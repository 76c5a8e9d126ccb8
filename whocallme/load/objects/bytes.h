/* SPDX-License-Identifier: MIT */
/* bytes.h - bytes that malloc() gave, for object files that are in memory. */
#ifndef WCM_OBJECTS_BYTES_H
#define WCM_OBJECTS_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wcm_bytes {
	uint8_t *data;
	size_t size;
};

/* Copy up to SIZE of them from OFFSET on.  Returns how many there are. */
static inline size_t wcm__bytes_copy(const struct wcm_bytes *bytes,
				     size_t offset, void *to, size_t size)
{
	size_t left = offset < bytes->size ? bytes->size - offset : 0;

	if (size > left)
		size = left;
	if (size > 0)
		memcpy(to, bytes->data + offset, size);
	return size;
}

#endif
