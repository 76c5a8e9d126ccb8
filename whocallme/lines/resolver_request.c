/* SPDX-License-Identifier: MIT */
/* resolver_request.c (SAFE) - makes the request about an address: build-id or tag, path and offset
 * of its module.
 */
#include "lines/resolver_protocol.h"

#include <errno.h>
#include <string.h>

#include "core/modules/module_origin.h"
#include "core/modules/modules.h"
#include "core/os/auxv.h"
#include "core/os/file.h"
#include "format/lines_protocol.h"
#include "format/words.h"
#include "whocallme/symbol.h"

enum { LONGEST_PATH = 4000 };

/* A path of control bytes alone, and the rest. */
_Static_assert(2 * WCM_MOST_BUILD_ID + sizeof(":\n" WCM_PROTOCOL_PLUS) + 16 +
	       (sizeof("\\xNN") - 1) * LONGEST_PATH <= WCM_REQUEST_ROOM,
	       "any request fits");

static bool is_executable(const char *path)
{
	return (uintptr_t)path == wcm__auxv(AT_EXECFN) || path == wcm__auxv_kept_path;
}

/* PATH from the working directory on, for want of the kernel's word: what does not fit it by
 * its build-id or tag is not used. */
static long make_absolute(char *room, const char *path)
{
	const size_t length = strlen(path);
	const long size = wcm__getcwd(room, LONGEST_PATH);

	if (size <= 1 || (size_t)size + length > LONGEST_PATH)
		return -ENAMETOOLONG;
	room[size - 1] = '/'; /* was the zero byte */
	memcpy(room + size, path, length);
	return size + (long)length;
}

/* PATH, unless the kernel's word FOUND is a whole one.  The resolver's working directory may be
 * another than the program's, or become so. */
static bool put_path(struct wcm_words *request, const char *path, char *found)
{
	const char *whole = found[0] == '/' ? found : path;
	long size = (long)strlen(whole);

	if (found[0] != '/' && is_executable(path)) {
		size = wcm__readlinkat(AT_FDCWD, "/proc/self/exe", found, LONGEST_PATH);
		whole = found;
	}
	if (whole[0] != '/') {
		size = make_absolute(found, path);
		whole = found;
	}
	if (size <= 0 || size > LONGEST_PATH || whole[0] != '/')
		return false;
	wcm__words_escaped(request, WCM_ESCAPE_NAME, whole, (size_t)size);
	return true;
}

static void put_tag(struct wcm_words *request, uint64_t tag)
{
	wcm__words_text(request, WCM_PROTOCOL_TAG);
	wcm__words_digits(request, tag, 16, 2 * sizeof(tag));
}

/* Code of no module, and of one that is no file, such as [vdso], is nothing that the
 * resolver could read of. */
static bool is_of_file(const struct wcm_symbol *symbol)
{
	return symbol->module && symbol->module[0] != '\0' &&
	       symbol->module[0] != '[';
}

/* The module of SITE as it is listed, or as it is now. */
static bool find_module(struct wcm_module *module, uintptr_t site)
{
	enum wcm_module_state state;
	const struct wcm_known_module *known = wcm__modules_find(site, &state);

	if (known)
		*module = known->map;
	return known || wcm__module_find_live(module, site);
}

static bool has_build_id(const struct wcm_symbol *symbol)
{
	return symbol->build_id_size >= WCM_LEAST_BUILD_ID &&
	       symbol->build_id_size <= WCM_MOST_BUILD_ID;
}

/* Whether the kernel has to be asked for the module's file: no build-id tells it, or its path is
 * not known.  The link /proc/self/exe is the dynamic linker's where that was told to run the
 * program. */
static bool is_to_find(const struct wcm_symbol *symbol)
{
	return !has_build_id(symbol) ||
	       (is_executable(symbol->module) ? wcm__auxv(AT_BASE) == 0
					      : symbol->module[0] != '/');
}

/* Put what tells the module of SYMBOL at SITE: its build-id, or its file's tag, and its path. */
static bool put_module(struct wcm_words *request, const struct wcm_symbol *symbol, uintptr_t site)
{
	char *found = request->begin + WCM_REQUEST_ROOM - WCM_MODULE_PATH, *before_path;
	struct wcm_module module;
	uint64_t tag = 0;

	found[0] = '\0';
	if (is_to_find(symbol) && find_module(&module, site))
		tag = wcm__module_file(&module, found);
	if (has_build_id(symbol))
		wcm__words_hex_bytes(request, symbol->build_id, symbol->build_id_size);
	else
		put_tag(request, tag);
	before_path = request->at;
	wcm__words_byte(request, ':');
	if (put_path(request, symbol->module, found))
		return true;
	request->at = before_path;
	return has_build_id(symbol);
}

size_t wcm__request_make(char *text, uintptr_t site)
{
	struct wcm_words request;
	struct wcm_symbol symbol;

	wcm__words_init(&request, text, WCM_REQUEST_ROOM);
	wcm_symbol_peek(site, &symbol);
	if (!is_of_file(&symbol) || !put_module(&request, &symbol, site))
		return 0;
	wcm__words_text(&request, WCM_PROTOCOL_PLUS);
	wcm__words_digits(&request, symbol.module_offset, 16, 1);
	wcm__words_byte(&request, '\n');
	return wcm__words_length(&request);
}
