/* SPDX-License-Identifier: MIT */
/* near_jump.h (SAFE) - finds or makes a jump that all code of a range reaches, and stubs. */
#ifndef WCM_CODE_NEAR_JUMP_H
#define WCM_CODE_NEAR_JUMP_H

#include <stddef.h>
#include <stdint.h>

/* An address that a call or a jump anywhere from LO to HI reaches and that leads to TO: TO
 * itself, a jump that was made before, or a new one, which stays.  0: there is no room, and
 * *ERROR is an errno.  One thread at a time; signal-safe. */
uintptr_t wcm__near_jump(uintptr_t lo, uintptr_t hi, uintptr_t to, int *error);

/* Room for COUNT stubs, of WCM_SLED_STUB bytes each, that all code from LO to HI reaches, which
 * stays.  PC_OF says where the call of the sled is to return that has the stub of this number,
 * and TO is where all lead.  0 as above. */
typedef uintptr_t wcm_stub_returns(const void *of, size_t number);
uintptr_t wcm__near_stubs(uintptr_t lo, uintptr_t hi, uintptr_t to, size_t count,
			  wcm_stub_returns *pc_of, const void *of, int *error);

#endif
