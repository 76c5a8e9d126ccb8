/* SPDX-License-Identifier: MIT */
/* packed.h - measures how large the symbols are that a file carries compressed. */
#ifndef WCM_TOOL_PACKED_H
#define WCM_TOOL_PACKED_H

#include <gelf.h>
#include <stdint.h>

/* How many bytes SECTION unpacks to, .gnu_debugdata, an .xz file: some number above MOST
 * where they are more.  Of a damaged one, those before the damage. */
uint64_t packed_size(Elf_Scn *section, uint64_t most);

#endif
