/* SPDX-License-Identifier: MIT */
/* resolver_request.h (SAFE) - makes the request about an address: build-id or tag, path and
 * offset of its module.
 */
#ifndef WCM_LINES_RESOLVER_REQUEST_H
#define WCM_LINES_RESOLVER_REQUEST_H

#include <stddef.h>
#include <stdint.h>

enum { WCM_REQUEST_ROOM = 32768 };

/* Put the request where SITE is, an address of this process, into TEXT, of
 * WCM_REQUEST_ROOM.  Returns its size; 0 where there is nothing to ask. */
size_t wcm__request_make(char *text, uintptr_t site);

#endif
