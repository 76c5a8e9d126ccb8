/* SPDX-License-Identifier: MIT */
/* secrets.h (SAFE) - finds what looks like a secret in a program's arguments. */
#ifndef WCM_REPORT_SECRETS_H
#define WCM_REPORT_SECRETS_H

#include <stddef.h>

/* Put stars in the place of what looks like a secret in ARGUMENTS, SIZE bytes, a zero
 * byte behind each and at the end.  Returns how many bytes are left: a secret of more
 * than three bytes has three stars. */
size_t wcm__secrets_star(char *arguments, size_t size);

#endif
