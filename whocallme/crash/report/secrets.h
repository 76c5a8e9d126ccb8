/* SPDX-License-Identifier: MIT */
/* secrets.h (SAFE) - finds what looks like a secret in a program's arguments. */
#ifndef WCM_REPORT_SECRETS_H
#define WCM_REPORT_SECRETS_H

#include <stddef.h>

/* Put stars in the place of what looks like a secret in ARGUMENTS, SIZE bytes in which each
 * argument ends with a zero byte, the last one at the end.  Returns their new size: a secret has
 * three stars at most, so that its length is not shown. */
size_t wcm__secrets_star(char *arguments, size_t size);

#endif
