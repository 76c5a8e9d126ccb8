/* SPDX-License-Identifier: MIT */
/* debug_file.c - all of a file's functions, from wherever its symbols are.
 *
 * Distributions strip .symtab into a separate debug file.  It is used only if
 * it is the file's own: its build-id decides, and the CRC of .gnu_debuglink
 * where there is none.
 */
#include "load/debug_file.h"

#include <stdlib.h>
#include <string.h>

#include "load/build_table.h"

static bool has_same_build_id(const struct wcm_objfile *a,
			      const struct wcm_objfile *b)
{
	size_t size_a, size_b;
	const uint8_t *id_a = wcm__objfile_build_id(a, &size_a);
	const uint8_t *id_b = wcm__objfile_build_id(b, &size_b);

	return size_a == size_b && (size_a == 0 || memcmp(id_a, id_b, size_a) == 0);
}

static enum wcm_status read_debug_file(struct wcm_file_symbols *symbols)
{
	char *path = wcm__objfile_debug_path(symbols->objfile);
	enum wcm_status status;

	if (!path)
		return WCM_OK;
	status = wcm__objfile_open(&symbols->debug, path, -1);
	if (status == WCM_OK &&
	    !has_same_build_id(symbols->debug, symbols->objfile))
		status = WCM_ESTALE;
	if (status == WCM_OK)
		status = wcm__objfile_read_symtab(symbols->debug, &symbols->raw);
	if (status == WCM_OK && symbols->raw.count > 0) {
		free(symbols->source);
		symbols->source = path;
		return WCM_OK;
	}
	free(path);
	symbols->debug_status = status;
	return status == WCM_ENOMEM ? status : WCM_OK;
}

static enum wcm_status read_all(struct wcm_file_symbols *symbols)
{
	struct wcm_objfile *objfile = symbols->objfile;
	enum wcm_status status = wcm__objfile_read_symtab(objfile, &symbols->raw);

	if (status == WCM_OK && symbols->raw.count == 0)
		status = read_debug_file(symbols);
	if (status == WCM_OK && symbols->raw.count == 0)
		status = wcm__objfile_read_dynsym(objfile, &symbols->raw);
	if (status == WCM_OK)
		status = wcm__objfile_read_plt(objfile, &symbols->raw);
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
