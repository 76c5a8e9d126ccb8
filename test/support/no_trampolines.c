/* SPDX-License-Identifier: MIT */
/* no_trampolines.c - stands where a port has its trampolines, for tests that change no return
 * address: no code is here. */
#include <stdint.h>

#include "core/arch/arch.h"

extern const uint8_t wcm__arch_trampolines[] __attribute__((visibility("hidden")));

const uint8_t wcm__arch_trampolines[1] = { 0 };
