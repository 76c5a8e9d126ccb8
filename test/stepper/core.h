/* SPDX-License-Identifier: MIT */
/* core.h - the program as it is now, for a debugger. */
#ifndef TEST_STEPPER_CORE_H
#define TEST_STEPPER_CORE_H

#include <sys/types.h>
#include <sys/user.h>

/* Write a core file of the process ID, with one thread, that has REGS. */
void core_write(const char *path, pid_t id, const struct user_regs_struct *regs);

#endif
