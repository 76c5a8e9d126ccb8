/* SPDX-License-Identifier: MIT */
/* read_value.h (SAFE) - reads the memory that a value points to. */
#ifndef WCM_VALUES_READ_VALUE_H
#define WCM_VALUES_READ_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy the SIZE bytes at ADDR to BUF: at once from modules that cannot be unloaded and from the
 * calling thread's own stack, else through the kernel.  False, with BUF unspecified, unless all
 * SIZE bytes can be read.  Signal-safe. */
bool wcm__read_value(uintptr_t addr, void *buf, size_t size);

#endif
