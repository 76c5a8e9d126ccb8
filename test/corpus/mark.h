/* SPDX-License-Identifier: MIT */
/* mark.h - the points at which a corpus program's stack is judged. */
#ifndef CORPUS_MARK_H
#define CORPUS_MARK_H

#include <setjmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A point of the program: write the stack of the caller; gdb, whose breakpoint
 * is at the first instruction, writes the same. */
void mark(const char *name);

/* Have SIGSEGV, SIGFPE and SIGILL write the stack of the faulting instruction,
 * then mark() in the handler and jump to crash_return. */
void catch_crashes(void);
extern sigjmp_buf crash_return;
extern const char *volatile crash_name;

/* Whether the function tables are there, for gdb. */
extern volatile int tables_loaded;

/* Run SCENES as it is, with function tables loaded and once more. */
void run_rounds(void (*scenes)(void));

#ifdef __cplusplus
}
#endif

/* Keeps what stands before it from being the last thing a function does. */
#define KEEP() __asm__ volatile("" ::: "memory")

#define NOINLINE __attribute__((noinline))

#endif
