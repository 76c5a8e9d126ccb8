/* SPDX-License-Identifier: MIT */
/* form.h (SAFE) - the parts of a report, and the table of functions that each form of it is.
 *
 * report.c says what there is, part by part, without knowing the form; a form
 * writes each part as it comes, in bounded memory.
 */
#ifndef WCM_REPORT_FORM_H
#define WCM_REPORT_FORM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "core/modules/modules.h"
#include "core/report/demangle.h"
#include "crash/files/withheld.h"
#include "crash/report/address.h"
#include "crash/report/fold.h"
#include "crash/report/reason.h"
#include "crash/threads/last_calls.h"
#include "crash/threads/threads.h"
#include "format/json.h"
#include "format/text.h"

/* crash_info.c: finds out what is known of a crash: signal, registers, address, cause. */

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

struct wcm_form;

/* A thread of those that have one stack. */
struct wcm_alike {
	int tid;
	char name[WCM_THREAD_NAME];
};

/* A report that is being written. */
struct wcm_writing {
	const struct wcm_form *form;
	int fd;
	bool failed; /* FD has not taken everything */
	bool colours;
	enum wcm_names names;
	bool no_arguments;
	bool withheld; /* addresses are not for it */
	bool damaged;  /* a section ends where it could not be read */
	bool lined; /* its frames have source lines */
	bool calls_of_all; /* the last calls of the other threads, too */
	bool has_calls;    /* of the thread that is written */
	uint64_t time;     /* of the crash, as last calls count it */
	uint64_t deadline;
	struct wcm_json json;
};

/* The program as it was started: ARGUMENTS are SIZE bytes, a zero byte after each,
 * NULL where they are not to be had; there were more where they are CUT. */
struct wcm_program {
	const char *path;
	const char *arguments;
	size_t size;
	bool cut;
};

/* COUNT bytes of code from START on, those in front of the pc first. */
struct wcm_code {
	uintptr_t start, pc;
	const uint8_t *bytes;
	size_t count;
};

/* A part of which a form says nothing is NULL: gaps, runs, and what begins or ends a list. */
struct wcm_form {
	/* What is looked for comes first, and what repeats is written once. */
	bool is_for_people;
	void (*head)(struct wcm_writing *writing, const struct wcm_crash_info *crash);
	/* What is known of the address at fault. */
	void (*why)(struct wcm_writing *writing, const struct wcm_crash_info *crash);
	void (*program)(struct wcm_writing *writing,
			const struct wcm_program *program);
	/* A stack: frames, perhaps with COUNT of them left out in between. */
	void (*stack_begin)(struct wcm_writing *writing);
	void (*frame)(struct wcm_writing *writing, const struct wcm_frame_fact *frame);
	void (*gap)(struct wcm_writing *writing, size_t count);
	/* For people, frames that repeat those before them; else each frame is written, and RUNS
	 * has the COUNT of them that there are. */
	void (*run)(struct wcm_writing *writing, const struct wcm_fold_run *run);
	void (*runs)(struct wcm_writing *writing, const struct wcm_fold_run *runs,
		     size_t count);
	void (*stack_end)(struct wcm_writing *writing, size_t left_out,
			  enum wcm_stop stop, const char *why);
	/* The last calls of a thread, of which there are some. */
	void (*calls_begin)(struct wcm_writing *writing);
	void (*call)(struct wcm_writing *writing, const struct wcm_last_call *call);
	void (*calls_end)(struct wcm_writing *writing);
	void (*registers)(struct wcm_writing *writing,
			  const struct wcm_named_register *registers,
			  size_t count);
	void (*code)(struct wcm_writing *writing, const struct wcm_code *code);
	/* Threads, each with its stack unless it has not answered; COUNT of them have the one
	 * of THREAD, which is the first of ALIKE.  More than one only in a form for people. */
	void (*threads_begin)(struct wcm_writing *writing);
	void (*thread_begin)(struct wcm_writing *writing, const struct wcm_thread *thread,
			     const struct wcm_alike *alike, size_t count);
	void (*thread_end)(struct wcm_writing *writing);
	void (*threads_end)(struct wcm_writing *writing, bool listed);
	void (*modules_begin)(struct wcm_writing *writing);
	void (*module)(struct wcm_writing *writing,
		       const struct wcm_module *module);
	void (*modules_end)(struct wcm_writing *writing);
	/* The end; the COUNT sections NAMES are missing, or are not whole, for
	 * want of time. */
	void (*end)(struct wcm_writing *writing, const char *const *names,
		    size_t count);
};

extern const struct wcm_form wcm__form_text, wcm__form_json;

/* overflow.c: tells whether a fault was a stack overflow. */

/* Whether the access that the kernel refused was one below the stack that is in use: OWN is
 * wcm__stack_top(), UCONTEXT what the signal's handler was given.  Then *SIZE is how large that
 * stack can be, 0 if unknown.  PLACES are found where pages do not tell, as they do of the
 * thread's own stack. */
bool wcm__overflow_find(struct wcm_places *places, uintptr_t own, const void *ucontext,
			uint64_t *size);

#endif
