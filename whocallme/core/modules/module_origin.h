/* SPDX-License-Identifier: MIT */
/* module_origin.h (SAFE) - the file that a module is mapped from.
 *
 * The dynamic linker has the name that a file had for whoever opened it: a relative one leads
 * elsewhere after chdir(), and an upgrade puts another file in its place.  The kernel has the
 * mapping's own path, and says where that file has been deleted or replaced.  A build-id tells
 * whether a file is the module's; without one the file's tag does (format/file_tag.h).
 */
#ifndef WCM_MODULES_MODULE_ORIGIN_H
#define WCM_MODULES_MODULE_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/modules/module.h"
#include "core/os/maps.h"

enum { WCM_MODULE_PATH = WCM_MAPS_PATH };

/* No tag: the kernel does not say which file it is, so that its headers have to do. */
#define WCM_FILE_TAG_UNKNOWN UINT64_C(1)

/* Whether NAME leads elsewhere once the working directory is another. */
static inline bool wcm__is_relative(const char *name)
{
	return name && name[0] != '/' && name[0] != '[';
}

/* Find the path that the kernel has for the file of MODULE, which is loaded, and its tag;
 * PATH is of WCM_MODULE_PATH bytes.  Returns 0 where the file cannot be shown to be there
 * still: PATH is where it was. */
uint64_t wcm__module_file_find(const struct wcm_module *module, char *path);

/* The same by MAPS, which are open, for one module after the other by address. */
uint64_t wcm__module_file_next(struct wcm_maps *maps, const struct wcm_module *module,
			       char *path);

/* The same, of what its list has noted where it has: MODULE need not be loaded then. */
uint64_t wcm__module_file(const struct wcm_module *module, char *path);

/* Whether the open file FD, which has MODULE's program headers, is MODULE's by its tag. */
bool wcm__module_file_is(const struct wcm_module *module, int fd);

/* Whether the open file FD has the program headers that MODULE has mapped. */
bool wcm__module_has_headers_of(const struct wcm_module *module, int fd);

/* MODULE's path as it may be kept: the whole one, where the dynamic linker has a relative one.
 * What is made for that is never freed. */
const char *wcm__module_whole_path(const struct wcm_module *module);

#endif
