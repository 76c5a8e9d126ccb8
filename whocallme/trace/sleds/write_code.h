/* SPDX-License-Identifier: MIT */
/* write_code.h (SAFE) - changes code that is mapped. */
#ifndef WCM_CODE_WRITE_CODE_H
#define WCM_CODE_WRITE_CODE_H

#include <stddef.h>
#include <stdint.h>

/* What wcm__code_write() is given; to be closed, where it is not negative. */
int wcm__code_open(void);

/* Write the SIZE BYTES to AT, which is code.  0, or a negated errno. */
long wcm__code_write(int fd, uintptr_t at, const uint8_t *bytes, size_t size);

/* After it, no CPU executes what was there before. */
void wcm__code_synchronise(void);

#endif
