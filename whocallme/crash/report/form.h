/* SPDX-License-Identifier: MIT */
/* form.h (SAFE) - the parts of a report, and the table of functions that each form of it is.
 *
 * report.c says what there is, part by part, without knowing the form; a form
 * writes each part as it comes, in bounded memory.
 */
#ifndef WCM_REPORT_FORM_H
#define WCM_REPORT_FORM_H

#include "core/modules/modules.h"
#include "core/report/demangle.h"
#include "crash/report/crash_info.h"
#include "crash/report/fold.h"
#include "crash/threads/last_calls.h"
#include "format/json.h"

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

#endif
