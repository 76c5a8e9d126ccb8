/* SPDX-License-Identifier: MIT */
/* symbol_file.h - writes the names of a module's functions as uftrace reads them. */
#ifndef WCM_MODES_SYMBOL_FILE_H
#define WCM_MODES_SYMBOL_FILE_H

/* Write one for each module that functions were, or may be, recorded of, unless it
 * is there. */
void wcm__symbol_files_write(void);

#endif
