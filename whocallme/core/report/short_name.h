/* SPDX-License-Identifier: MIT */
/* short_name.h (SAFE) - cuts a demangled C++ or Rust name down to the function's own, without
 * its types.
 */
#ifndef WCM_REPORT_SHORT_NAME_H
#define WCM_REPORT_SHORT_NAME_H

#include <stddef.h>

/* Where the function's name begins in NAME, a demangled one of *SIZE bytes, which
 * becomes the size of it: without the parameters and what it returns, with template
 * arguments.  All of NAME where there is neither. */
const char *wcm__name_own(const char *name, size_t *size);

#endif
