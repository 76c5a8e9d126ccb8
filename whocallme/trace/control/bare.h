/* SPDX-License-Identifier: MIT */
/* bare.h - makes an environment that does not bring this library. */
#ifndef WCM_CONTROL_BARE_H
#define WCM_CONTROL_BARE_H

#include <stddef.h>

/* As wcm__carry_size() and wcm__carry_make(), with an environment that is ENVP without this
 * library and without a trace; 0: it has neither. */
size_t wcm__bare_size(char *const envp[]);
char **wcm__bare_make(void *room, char *const envp[]);

#endif
