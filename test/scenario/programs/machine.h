/* SPDX-License-Identifier: MIT */
/* machine.h - what the programs do by instructions, on each CPU that they run on. */
#ifndef MACHINE_H
#define MACHINE_H

#if defined(__x86_64__) || defined(__i386__)
#define BREAKPOINT() __asm__ volatile("int3")
#define ILLEGAL() __asm__ volatile("ud2")
#define PAUSE() __asm__ volatile("pause")
#elif defined(__aarch64__)
#define BREAKPOINT() __asm__ volatile("brk #0")
#define ILLEGAL() __asm__ volatile("udf #0")
#define PAUSE() __asm__ volatile("yield")
#elif defined(__riscv)
#define BREAKPOINT() __asm__ volatile("ebreak")
#define ILLEGAL() __asm__ volatile("unimp")
#define PAUSE() __asm__ volatile("nop")
#endif

/* RESULT becomes a system call's, which the function makes itself: an inlined function is
 * a frame to gdb. */
#if defined(__i386__)
#define RAW_CALL(result, number, a, b, c)                                                 \
	__asm__ volatile("int $0x80"                                                      \
			 : "=a"(result)                                                   \
			 : "0"((long)(number)), "b"((long)(a)), "c"((long)(b)), "d"((long)(c)) \
			 : "memory")
#elif defined(__x86_64__)
#define RAW_CALL(result, number, a, b, c)                                                 \
	__asm__ volatile("syscall"                                                        \
			 : "=a"(result)                                                   \
			 : "0"((long)(number)), "D"((long)(a)), "S"((long)(b)), "d"((long)(c)) \
			 : "rcx", "r11", "memory")
#else
#if defined(__aarch64__)
#define IN_CALL "svc #0"
#define NUMBER_IN "x8"
#define FIRST_IN "x0"
#define SECOND_IN "x1"
#define THIRD_IN "x2"
#elif defined(__riscv)
#define IN_CALL "ecall"
#define NUMBER_IN "a7"
#define FIRST_IN "a0"
#define SECOND_IN "a1"
#define THIRD_IN "a2"
#endif
#define RAW_CALL(result, number, a, b, c)                                                 \
	do {                                                                              \
		register long raw_number __asm__(NUMBER_IN) = (number);                   \
		register long raw_a __asm__(FIRST_IN) = (a);                              \
		register long raw_b __asm__(SECOND_IN) = (b);                             \
		register long raw_c __asm__(THIRD_IN) = (c);                              \
                                                                                          \
		__asm__ volatile(IN_CALL                                                  \
				 : "+r"(raw_a)                                            \
				 : "r"(raw_number), "r"(raw_b), "r"(raw_c)                \
				 : "memory");                                             \
		(result) = raw_a;                                                         \
	} while (0)
#endif

#endif
