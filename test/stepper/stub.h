/* SPDX-License-Identifier: MIT */
/* stub.h - a program in an emulator, by gdb's Remote Serial Protocol. */
#ifndef TEST_STEPPER_STUB_H
#define TEST_STEPPER_STUB_H

#include "machine.h"

#include <stddef.h>
#include <sys/types.h>

enum { STUB_STEPPED = 5, STUB_ENDED = -1 }; /* or the signal, in the protocol's numbers */

/* Start the emulator and program of ARGV, stopped at the first instruction. */
pid_t stub_start(char *argv[]);

struct registers stub_registers(void);

/* Run one instruction, or until something stops the program, which gets SIGNAL, in the
 * protocol's numbers, unless that is 0.  Returns why it has stopped. */
int stub_step(void);
int stub_continue(int signal);

/* As stub_continue(), but stops at PC at the latest. */
int stub_run_to(uintptr_t pc, int signal);

/* For struct tracee_access. */
bool stub_fetch(pid_t id, uintptr_t address, void *page, size_t size);
size_t stub_auxv(pid_t id, void *auxv, size_t size);

#endif
