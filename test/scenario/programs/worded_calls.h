/* SPDX-License-Identifier: MIT */
/* worded_calls.h - system calls, each by its instruction, whose words are kept. */
#ifndef WORDED_CALLS_H
#define WORDED_CALLS_H

#include <fcntl.h>
#include <sys/syscall.h>

/* Make the call NUMBER and keep its words.  Returns what the kernel returns. */
long call_of(long number, const long *argument);

#define AS_LONGS(a, b, c, d, e, f, ...) \
	{ (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f) }
#define CALL(name, ...) \
	call_of(SYS_##name, (const long[])AS_LONGS(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0))
#define AT(name, ...) CALL(name, AT_FDCWD, __VA_ARGS__)

/* Where the kernel may put anything. */
extern char buffer[4096];
extern unsigned length;

void calls_of_files(void);
void calls_of_sockets(void);

#endif
