/* SPDX-License-Identifier: MIT */
/* read_value.h (SAFE) - reads what a value leads to, without a system call where that can be. */
#ifndef WCM_VALUES_READ_VALUE_H
#define WCM_VALUES_READ_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy the SIZE bytes at ADDR to BUF: from what modules have mapped for good, from the calling
 * thread's own stack, else through the kernel.  False, with BUF unspecified, unless all of them can
 * be read.  Signal-safe. */
bool wcm__read_value(uintptr_t addr, void *buf, size_t size);

#endif
