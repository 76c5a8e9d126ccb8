/* SPDX-License-Identifier: MIT */
/* core.h - the program as it is now, for a debugger. */
#ifndef TEST_STEPPER_CORE_H
#define TEST_STEPPER_CORE_H

#include <sys/types.h>

#include "machine.h"

/* Write a core file of the process ID, with one thread, that has REGISTERS. */
void core_write(const char *path, pid_t id, const struct registers *registers);

#endif
