/* SPDX-License-Identifier: MIT */
/* packed.c - measures how large the symbols are that a file carries compressed.
 *
 * libdwfl unpacks them whole.  The index of an .xz file may say anything, so that they are
 * unpacked, to nowhere, until they are too many.
 */
#include "modules/packed.h"

#include <lzma.h>

uint64_t packed_size(Elf_Scn *section, uint64_t most)
{
	enum { DECODER_MEMORY = 80 << 20 };
	static uint8_t nowhere[64 << 10];
	const Elf_Data *data = elf_rawdata(section, NULL);
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret result = LZMA_OK;
	uint64_t size;

	if (!data || !data->d_buf ||
	    lzma_stream_decoder(&stream, DECODER_MEMORY, 0) != LZMA_OK)
		return 0;
	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	while (result == LZMA_OK && stream.total_out <= most) {
		stream.next_out = nowhere;
		stream.avail_out = sizeof(nowhere);
		result = lzma_code(&stream, LZMA_FINISH);
	}
	size = stream.total_out;
	lzma_end(&stream);
	return size;
}
