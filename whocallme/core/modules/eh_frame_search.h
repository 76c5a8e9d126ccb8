/* SPDX-License-Identifier: MIT */
/* eh_frame_search.h (SAFE) - searches for .eh_frame in an object without .eh_frame_hdr. */
#ifndef WCM_MODULES_EH_FRAME_SEARCH_H
#define WCM_MODULES_EH_FRAME_SEARCH_H

#include "core/modules/headers.h"

/* The first entry of the table that lies in [at, end), a segment of the object of HEADERS; 0
 * where there is none. */
uintptr_t wcm__eh_frame_search(const struct wcm_headers *headers, uintptr_t at, uintptr_t end);

#endif
