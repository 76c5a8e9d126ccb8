/* SPDX-License-Identifier: MIT */
/* compare.h - what the unwinder makes of registers, against the record of calls. */
#ifndef TEST_STEPPER_COMPARE_H
#define TEST_STEPPER_COMPARE_H

#include "machine.h"
#include "shadow.h"

/* Keep a core file in DIRECTORY of the first stack of each kind that differs, named
 * by the number of the line of the report. */
void compare_keep_cores(const char *directory);

/* Unwind from REGISTERS and count whether the stack is what SHADOW has. */
void compare(const struct registers *registers, const struct shadow *shadow);

/* Write what differed, and a line of totals. */
void compare_report(unsigned long instructions, unsigned threads);

#endif
