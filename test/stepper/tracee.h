/* SPDX-License-Identifier: MIT */
/* tracee.h - memory and modules of the program that is stepped.
 *
 * Stands in for core/os/read.c, core/unwind/stack_span.c and core/modules/modules.c: what
 * the unwinder takes for its own process is another one, stopped.
 */
#ifndef TEST_STEPPER_TRACEE_H
#define TEST_STEPPER_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the unwinder finds the registers: no address of a program. */
#define TRACEE_CONTEXT ((uintptr_t)(UINTPTR_MAX > UINT32_MAX ? 0xffff800000000000 : 0xffffe000))

/* How the process is read: FETCH copies all of a page or nothing; AUXV, as much as fits,
 * of what the kernel told the program, and returns the size.  Mappings from END on are not
 * the program's. */
struct tracee_access {
	bool (*fetch)(pid_t id, uintptr_t address, void *page, size_t size);
	size_t (*auxv)(pid_t id, void *auxv, size_t size);
	uintptr_t end;
};

/* Speak of the process PID from now on. */
void tracee_attach(pid_t pid, const struct tracee_access *access);

pid_t tracee_id(void);

/* The program ran: what is written may have changed. */
void tracee_moved(void);

/* The program has changed its mappings. */
void tracee_remapped(void);

/* What is mapped now stays for the program's life. */
void tracee_settled(void);

/* What TRACEE_CONTEXT reads as. */
void tracee_set_context(const void *context, size_t size);

/* Copy as many of SIZE bytes at ADDR as can be read.  Returns how many. */
size_t tracee_read(uintptr_t addr, void *buf, size_t size);

/* The word at ADDR; 0 if it cannot be read. */
uintptr_t tracee_word(uintptr_t addr);

size_t tracee_auxv(void *auxv, size_t size);

/* Where the program begins, after the dynamic linker. */
uintptr_t tracee_entry(void);

/* Whether A and B lie on one stack. */
bool tracee_same_stack(uintptr_t a, uintptr_t b);

/* Whether what is mapped at ADDR is not the program's. */
bool tracee_is_outside(uintptr_t addr);

/* Whether code can be at ADDR: an emulator maps its program's as it does other constants. */
bool tracee_is_code(uintptr_t addr);

/* The module that holds PC and the offset in it; NULL if there is none. */
const char *tracee_module(uintptr_t pc, uintptr_t *offset);

#endif
