/* SPDX-License-Identifier: MIT */
/* crash_info.h (SAFE) - finds out what is known of a crash: signal, registers, address, cause. */
#ifndef WCM_REPORT_CRASH_INFO_H
#define WCM_REPORT_CRASH_INFO_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "format/text.h"
#include "crash/files/withheld.h"
#include "crash/report/address.h"
#include "crash/report/reason.h"
#include "crash/threads/threads.h"

enum wcm_cause {
	WCM_CAUSE_SIGNAL, /* no more than the signal's code says */
	WCM_CAUSE_INSTRUCTION, /* the instruction that failed tells more */
	WCM_CAUSE_NULL_CALL,
	WCM_CAUSE_CALL_UNMAPPED,
	WCM_CAUSE_CALL_NOT_EXECUTABLE,
	WCM_CAUSE_STACK_OVERFLOW,
	WCM_CAUSE_ABORT,
};

struct wcm_crash_info {
	const siginfo_t *info; /* what the handler was given */
	const void *ucontext;
	enum wcm_withheld withheld;
	int not_to; /* as in report.h */
	const char *program; /* the last part of its path */
	int pid, tid;
	char thread[WCM_THREAD_NAME];
	bool has_registers;
	uintptr_t pc, sp;    /* where it has */
	struct wcm_fault_found fault; /* what the instruction tells */
	bool has_address;    /* it is memory that was at fault, and the kernel or the
			      * instruction says where */
	bool has_si_addr;    /* what the signal's address is may be told */
	enum wcm_access access;
	const struct wcm_location *location; /* of that: its address alone until it is located */
	enum wcm_cause cause;
	const char *told;    /* the cause in other words than the signal's code has; or NULL */
	bool has_sender;
	struct wcm_reason reason; /* of WCM_CAUSE_ABORT */
	bool is_pointer_broken;
	uintptr_t broken_pointer; /* the thread's, where it is */
	uint64_t stack_size; /* of the one that overflowed; 0: unknown */
};

/* Find out, by DEADLINE (of wcm__clock_ns()).  WITHHELD: what memory and registers hold
 * is not part of it.  For one thread at a time. */
void wcm__crash_info_find(struct wcm_crash_info *crash, const siginfo_t *info,
			  const void *ucontext, enum wcm_withheld withheld,
			  uint64_t deadline);

/* Find where CRASH's address is in memory, which it has. */
void wcm__crash_info_locate(const struct wcm_crash_info *crash);

void wcm__crash_info_words(const struct wcm_crash_info *crash,
			   struct wcm_cause_words *words);

#endif
