/* SPDX-License-Identifier: MIT */
/* fake_read.h - memory made by hand, in place of core/os/read.c. */
#ifndef TEST_SUPPORT_FAKE_READ_H
#define TEST_SUPPORT_FAKE_READ_H

#include <stddef.h>
#include <stdint.h>

/* From now on the only readable memory is COUNT WORDS at ADDRESS.  WORDS must
 * outlive the reads. */
void fake_stack(uintptr_t address, const uintptr_t *words, size_t count);

#endif
