/* SPDX-License-Identifier: MIT */
/* near_jump.h - finds or makes a jump that all code of a range reaches. */
#ifndef WCM_CODE_NEAR_JUMP_H
#define WCM_CODE_NEAR_JUMP_H

#include <stdint.h>

/* An address that a call or a jump anywhere from LO to HI reaches and that leads to TO: TO
 * itself, a jump that was made before, or a new one, which stays.  0: there is no room, and
 * *ERROR is an errno.  One thread at a time; signal-safe. */
uintptr_t wcm__near_jump(uintptr_t lo, uintptr_t hi, uintptr_t to, int *error);

#endif
