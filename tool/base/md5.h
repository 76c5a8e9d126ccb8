/* SPDX-License-Identifier: MIT */
/* md5.h - the MD5 of bytes (RFC 1321), by which DWARF 5 knows a source file. */
#ifndef WCM_TOOL_MD5_H
#define WCM_TOOL_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { MD5_SIZE = 16 };

void md5_of(const void *bytes, size_t size, uint8_t sum[MD5_SIZE]);

#endif
