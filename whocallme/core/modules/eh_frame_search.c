/* SPDX-License-Identifier: MIT */
/* eh_frame_search.c (SAFE) - searches for .eh_frame in an object without .eh_frame_hdr.
 *
 * A linker that makes a static program may leave .eh_frame_hdr out, the only header
 * that points to the table.  But the table starts with a CIE.  Other data may look
 * like one, a linker's own templates for instance, so that the longest sequence of
 * entries counts.
 */
#include "core/modules/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/os/read.h"

/* How a CIE starts in a table that the linker made no .eh_frame_hdr for.  Its version is 1;
 * of some CPUs, by what their assemblers write, 3. */
struct cie_start {
	uint32_t length, id;
	unsigned char version, augmentation[3];
};

static bool starts_cie(const void *bytes)
{
	struct cie_start cie;

	memcpy(&cie, bytes, sizeof(cie));
	return cie.length >= 16 && cie.length < WCM_PAGE && cie.id == 0 &&
	       (cie.version == 1 || cie.version == 3) && cie.augmentation[0] == 'z' &&
	       (cie.augmentation[1] == 'R' || cie.augmentation[1] == 'P');
}

/* Where the entries that follow each other from AT on end. */
static uintptr_t end_of_entries(const struct wcm_headers *headers, uintptr_t at, uintptr_t end)
{
	uint32_t length;

	while (end - at > sizeof(length) &&
	       wcm__headers_copy(headers, at, &length, sizeof(length)) && length > 0 &&
	       length < end - at - sizeof(length))
		at += sizeof(length) + length;
	return at;
}

uintptr_t wcm__eh_frame_search(const struct wcm_headers *headers, uintptr_t at, uintptr_t end)
{
	unsigned char chunk[512];
	uintptr_t found = 0, longest = 0;

	while (end - at >= sizeof(struct cie_start)) {
		size_t size = end - at < sizeof(chunk) ? end - at : sizeof(chunk);
		size_t steps = (size - sizeof(struct cie_start)) / 4 + 1, i = 0;
		uintptr_t behind;

		if (!wcm__headers_copy(headers, at, chunk, size))
			break;
		while (i < steps && !starts_cie(chunk + 4 * i))
			i++;
		at += 4 * i;
		if (i == steps)
			continue;
		behind = end_of_entries(headers, at, end);
		if (behind - at > longest) {
			longest = behind - at;
			found = at;
		}
		at = behind > at ? (behind + 3) & ~(uintptr_t)3 : at + 4;
		if (at > end)
			break;
	}
	return found;
}
