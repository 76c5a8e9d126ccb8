/* SPDX-License-Identifier: MIT */
/* mini_debug.c - unpacks the symbols that a stripped file carries compressed
 * (.gnu_debugdata).
 *
 * Fedora leaves in each file an object file, compressed by xz, whose .symtab has the
 * functions that .dynsym has not.  It unpacks to a few times its size: what claims far
 * more is damaged or hostile.
 */
#include "load/objects/mini_debug.h"

#include <lzma.h>
#include <stdlib.h>

enum { LARGEST_GROWTH = 64, LEAST_ROOM = 64 << 10 };

/* What the decoder may allocate; xz -9 asks for 65 MiB. */
static const uint64_t decoder_memory = 80 << 20;

static enum wcm_status status_of(lzma_ret result)
{
	switch (result) {
	case LZMA_OK:
		return WCM_OK;
	case LZMA_MEM_ERROR:
		return WCM_ENOMEM;
	default:
		return WCM_EFORMAT;
	}
}

static enum wcm_status unpack(const struct wcm_bytes *packed,
			      struct wcm_bytes *unpacked)
{
	uint64_t memory = decoder_memory;
	size_t room, from = 0;
	enum wcm_status status;

	if (__builtin_mul_overflow(packed->size, (size_t)LARGEST_GROWTH, &room) ||
	    __builtin_add_overflow(room, (size_t)LEAST_ROOM, &room))
		return WCM_EFORMAT;
	*unpacked = (struct wcm_bytes){ .data = malloc(room) };
	if (!unpacked->data)
		return WCM_ENOMEM;
	status = status_of(lzma_stream_buffer_decode(
		&memory, 0, NULL, packed->data, &from, packed->size,
		unpacked->data, &unpacked->size, room));
	if (status != WCM_OK)
		free(unpacked->data);
	return status;
}

enum wcm_status wcm__mini_debug_open(struct wcm_objfile **mini,
				     struct wcm_objfile *objfile)
{
	struct wcm_bytes packed, unpacked;
	enum wcm_status status = wcm__objfile_section(objfile, ".gnu_debugdata",
						      &packed);

	if (status != WCM_OK)
		return status;
	status = unpack(&packed, &unpacked);
	free(packed.data);
	if (status != WCM_OK)
		return status;
	return wcm__objfile_open_bytes(mini, objfile, &unpacked);
}
