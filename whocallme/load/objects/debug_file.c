/* SPDX-License-Identifier: MIT */
/* debug_file.c - finds a stripped file's symbols: in itself, or in its separate debug
 * file.
 *
 * Distributions strip .symtab into a debug file.  It is used only if it belongs to
 * this very file: its build-id decides, and the CRC of .gnu_debuglink if there is none.
 */
#include "load/objects/debug_file.h"

#include <lzma.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/objects/build_table.h"
#include "load/objects/objfile.h"
#include "load/objects/solid.h"

/* Unpacks the symbols that a stripped file carries compressed
 * (.gnu_debugdata).
 *
 * Fedora leaves in each file an object file, compressed by xz, whose .symtab has the
 * functions that .dynsym has not.  It unpacks to a few times its size: what claims far
 * more is damaged or hostile. */

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

/* Open the object file in the section .gnu_debugdata of OBJFILE.  Returns WCM_OK,
 * WCM_ENOSYMS where there is no such section, WCM_EFORMAT, WCM_ENOMEM. */
static enum wcm_status mini_debug_open(struct wcm_objfile **mini,
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

static bool has_same_build_id(const struct wcm_objfile *a,
			      const struct wcm_objfile *b)
{
	size_t size_a, size_b;
	const uint8_t *id_a = wcm__objfile_build_id(a, &size_a);
	const uint8_t *id_b = wcm__objfile_build_id(b, &size_b);

	return size_a == size_b && (size_a == 0 || memcmp(id_a, id_b, size_a) == 0);
}

/* What QUESTION says of the path that FORMAT makes. */
static int ask(int (*question)(const char *path), const char *format, ...)
{
	char path[4096];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return length > 0 && (size_t)length < sizeof(path) ? question(path) : 0;
}

static int can_be_read(const char *path)
{
	return wcm__solid_file(path);
}

/* BFD reads all of a file to know whether it is the one that .gnu_debuglink means, and
 * waits for one that is a FIFO. */
static bool is_link_readable(struct wcm_objfile *objfile, const char *path)
{
	char *name = wcm__objfile_debuglink(objfile);
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	bool can = !name || (ask(can_be_read, "%.*s%s", dir, path, name) &&
			     ask(can_be_read, "%.*s.debug/%s", dir, path, name));

	free(name);
	return can;
}

/* Why the file at PATH, which BFD has not taken for the debug file, is none: it cannot be read,
 * or is not what is meant.  WCM_OK: there is none. */
static int fault_of(const char *path)
{
	struct wcm_objfile *objfile;
	enum wcm_status status;

	if (access(path, F_OK) != 0)
		return WCM_OK;
	status = wcm__objfile_open(&objfile, path, -1);
	wcm__objfile_close(objfile);
	return status == WCM_OK ? WCM_ESTALE : status;
}

/* The same of what lies where .gnu_debuglink would have it, beside the file PATH or in the debug
 * directory. */
static int fault_of_linked(struct wcm_objfile *objfile, const char *path)
{
	char *name = wcm__objfile_debuglink(objfile);
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0, fault = WCM_OK;

	if (name)
		fault = ask(fault_of, "%.*s%s", dir, path, name);
	if (name && fault == WCM_OK)
		fault = ask(fault_of, "%.*s.debug/%s", dir, path, name);
	if (name && fault == WCM_OK)
		fault = ask(fault_of, DEBUG_DIR "/%.*s%s", dir, path, name);
	free(name);
	return fault;
}

static int fault_by_build_id(const struct wcm_objfile *objfile)
{
	size_t size, used = 0;
	const uint8_t *id = wcm__objfile_build_id(objfile, &size);
	char digits[2 * 64 + 1];

	if (size < 2 || size > 64)
		return WCM_OK;
	for (size_t i = 0; i < size; i++)
		used += (size_t)snprintf(digits + used, sizeof(digits) - used,
					 "%02x", id[i]);
	return ask(fault_of, DEBUG_DIR "/.build-id/%.2s/%s.debug", digits, digits + 2);
}

/* No debug file fits: what is wrong with one that is there all the same. */
static enum wcm_status status_of_none(struct wcm_objfile *objfile,
				      const char *path)
{
	const int fault = fault_by_build_id(objfile);

	return (enum wcm_status)(fault != WCM_OK ? fault : fault_of_linked(objfile, path));
}

/* Open the debug file of SYMBOLS' file, whose path is *PATH then, the caller's to free.  WCM_OK
 * with no path: there is none. */
static enum wcm_status open_debug_file(struct wcm_file_symbols *symbols, char **path)
{
	bool can_follow = is_link_readable(symbols->objfile, symbols->source);
	enum wcm_status status;

	*path = wcm__objfile_debug_path(symbols->objfile, can_follow);
	if (!*path)
		return WCM_OK;
	status = wcm__objfile_open(&symbols->debug, *path, -1);
	if (status == WCM_OK &&
	    !has_same_build_id(symbols->debug, symbols->objfile))
		status = WCM_ESTALE;
	return status;
}

static void drop_debug_file(struct wcm_file_symbols *symbols, char *path)
{
	free(path);
	wcm__objfile_close(symbols->debug);
	symbols->debug = NULL;
}

static enum wcm_status read_debug_file(struct wcm_file_symbols *symbols)
{
	char *path;
	enum wcm_status status = open_debug_file(symbols, &path);

	if (!path) {
		symbols->debug_status = status_of_none(symbols->objfile,
						       symbols->source);
		return WCM_OK;
	}
	if (status == WCM_OK)
		status = wcm__objfile_read(symbols->debug, WCM_SYMTAB, &symbols->raw);
	if (status == WCM_OK && symbols->raw.count > 0) {
		free(symbols->source);
		symbols->source = path;
		return WCM_OK;
	}
	drop_debug_file(symbols, path);
	symbols->debug_status = status;
	return status == WCM_ENOMEM ? status : WCM_OK;
}

bool wcm__file_symbols_open_debug(struct wcm_file_symbols *symbols)
{
	char *path;

	if (open_debug_file(symbols, &path) == WCM_OK && path) {
		free(path);
		return true;
	}
	drop_debug_file(symbols, path);
	return false;
}

/* The functions that .gnu_debugdata has beside those of .dynsym. */
static enum wcm_status read_mini_debug(struct wcm_file_symbols *symbols)
{
	enum wcm_status status = mini_debug_open(&symbols->debug,
						 symbols->objfile);

	if (status == WCM_OK)
		status = wcm__objfile_read(symbols->debug, WCM_SYMTAB, &symbols->raw);
	if (status != WCM_OK && status != WCM_ENOSYMS &&
	    symbols->debug_status == WCM_OK)
		symbols->debug_status = status;
	return status == WCM_ENOMEM ? status : WCM_OK;
}

/* The functions of .dynsym that are not there yet: .symtab may be stripped of single ones. */
static enum wcm_status read_exported(struct wcm_file_symbols *symbols)
{
	enum wcm_status status = WCM_ENOMEM;

	if (wcm__sort_before_doubles(&symbols->raw))
		status = wcm__objfile_read(symbols->objfile, WCM_DYNSYM, &symbols->raw);
	symbols->raw.sorted = 0;
	/* What .symtab has is as good without what .dynsym would add. */
	return status == WCM_EFORMAT && symbols->raw.count > 0 ? WCM_OK : status;
}

static enum wcm_status read_all(struct wcm_file_symbols *symbols)
{
	struct wcm_objfile *objfile = symbols->objfile;
	enum wcm_status status = wcm__objfile_read(objfile, WCM_SYMTAB, &symbols->raw);

	if (status == WCM_OK && symbols->raw.count == 0)
		status = read_debug_file(symbols);
	symbols->raw.is_whole = symbols->raw.count > 0;
	if (status == WCM_OK && symbols->raw.count == 0)
		status = read_mini_debug(symbols);
	if (status == WCM_OK)
		status = read_exported(symbols);
	if (status == WCM_OK)
		status = wcm__objfile_read(objfile, WCM_PLT, &symbols->raw);
	if (status != WCM_OK)
		return status;
	if (symbols->raw.count == 0)
		return WCM_ENOSYMS;
	return wcm__sort_symbols(&symbols->raw) ? WCM_OK : WCM_ENOMEM;
}

enum wcm_status wcm__file_symbols_init(struct wcm_file_symbols *symbols,
				       struct wcm_objfile *objfile,
				       const char *path)
{
	*symbols = (struct wcm_file_symbols){ .objfile = objfile,
					      .source = strdup(path) };
	return symbols->source ? read_all(symbols) : WCM_ENOMEM;
}

void wcm__file_symbols_fini(struct wcm_file_symbols *symbols)
{
	wcm__raw_symbols_fini(&symbols->raw);
	wcm__objfile_close(symbols->objfile);
	wcm__objfile_close(symbols->debug);
	free(symbols->source);
}
