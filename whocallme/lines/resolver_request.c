/* SPDX-License-Identifier: MIT */
/* resolver_request.c - makes the request about an address: build-id, path and offset of
 * its module.
 */
#include "lines/resolver_request.h"

#include <errno.h>
#include <string.h>

#include "core/os/auxv.h"
#include "core/os/file.h"
#include "format/digits.h"
#include "format/lines_protocol.h"
#include "whocallme/symbol.h"

enum { LONGEST_PATH = 4000 };

/* A path of control bytes alone, and the rest. */
_Static_assert(2 * WCM_MOST_BUILD_ID + sizeof(":\n" WCM_PROTOCOL_PLUS) + 16 +
	       (sizeof("\\xNN") - 1) * LONGEST_PATH <= WCM_REQUEST_ROOM,
	       "any request fits");

/* One in the making. */
struct request {
	char *text;
	size_t size;
};

static void put(struct request *request, const char *text, size_t size)
{
	memcpy(request->text + request->size, text, size);
	request->size += size;
}

static void put_hex(struct request *request, uint64_t value, unsigned digits)
{
	wcm__format_hex(request->text + request->size, value, digits);
	request->size += digits;
}

/* The kernel's word for the executable, whose name is the program's own affair;
 * returns its length. */
static long read_executable(char *room)
{
	return wcm__readlinkat(AT_FDCWD, "/proc/self/exe", room, LONGEST_PATH);
}

/* PATH from the working directory on.  Where that has changed since, the build-id
 * keeps a wrong file from being read. */
static long make_absolute(char *room, const char *path)
{
	size_t length = strlen(path);
	long size = wcm__getcwd(room, LONGEST_PATH);

	if (size <= 1 || (size_t)size + length > LONGEST_PATH)
		return -ENAMETOOLONG;
	room[size - 1] = '/'; /* was the zero byte */
	memcpy(room + size, path, length);
	return size + (long)length;
}

/* Put SIZE bytes as wcm__line_name() would, which the resolver undoes. */
static void put_escaped(struct request *request, const char *text, size_t size)
{
	for (; size > 0; text++, size--)
		if ((unsigned char)*text < 0x20 || *text == '\\') {
			put(request, "\\x", 2);
			put_hex(request, (unsigned char)*text, 2);
		} else {
			put(request, text, 1);
		}
}

/* The resolver's working directory may be another, or become so. */
static bool put_path(struct request *request, const char *path)
{
	char *room = request->text + WCM_REQUEST_ROOM - LONGEST_PATH;
	long size;

	if ((uintptr_t)path == wcm__auxv(AT_EXECFN) || path == wcm__auxv_kept_path) {
		size = read_executable(room);
		path = room;
	} else if (path[0] == '/') {
		size = (long)strlen(path);
	} else {
		size = make_absolute(room, path);
		path = room;
	}
	if (size <= 0 || size > LONGEST_PATH)
		return false;
	put_escaped(request, path, (size_t)size);
	return true;
}

static void put_build_id(struct request *request,
			 const struct wcm_symbol *symbol)
{
	if (symbol->build_id_size < WCM_LEAST_BUILD_ID ||
	    symbol->build_id_size > WCM_MOST_BUILD_ID)
		return;
	for (uint32_t i = 0; i < symbol->build_id_size; i++)
		put_hex(request, symbol->build_id[i], 2);
}

/* Code of no module, and of one that is no file, such as [vdso], is nothing that the
 * resolver could read of. */
static bool is_of_file(const struct wcm_symbol *symbol)
{
	return symbol->module && symbol->module[0] != '\0' &&
	       symbol->module[0] != '[';
}

size_t wcm__request_make(char *text, uintptr_t site)
{
	struct request request = { text, 0 };
	struct wcm_symbol symbol;
	size_t before_path;

	wcm_symbol_peek(site, &symbol);
	if (!is_of_file(&symbol))
		return 0;
	put_build_id(&request, &symbol);
	before_path = request.size;
	if (before_path > 0)
		put(&request, ":", 1);
	if (!put_path(&request, symbol.module))
		request.size = before_path;
	if (request.size == 0)
		return 0;
	put(&request, WCM_PROTOCOL_PLUS, strlen(WCM_PROTOCOL_PLUS));
	put_hex(&request, symbol.module_offset,
		wcm__format_hex_digits(symbol.module_offset));
	put(&request, "\n", 1);
	return request.size;
}
