/* SPDX-License-Identifier: MIT */
/* whocallme/crash.h - what killed us?  Include <whocallme.h> instead. */
#ifndef WHOCALLME_CRASH_H
#define WHOCALLME_CRASH_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* The report is one line of JSON (doc/crash-report.schema.json), not text. */
#define WCM_CRASH_JSON 0x1u

/* The action that was installed before gets the signal first; if it repairs the
 * fault and returns, nothing is reported and the program goes on. */
#define WCM_CRASH_CHAIN_FIRST 0x2u

/* The report is for the file alone; the descriptor gets no more than a line that
 * says why the file has none. */
#define WCM_CRASH_FILE_ONLY 0x4u

/* SIGQUIT writes the stacks of all threads, and the program goes on.  Without this flag it is
 * reported and ends the process, where the program has no action of its own. */
#define WCM_CRASH_THREADS_ON_QUIT 0x8u

/* No source lines: no helper process is started after the report. */
#define WCM_CRASH_NO_LINES 0x10u

/* The file may be there already, a regular one of this user's own that has no other
 * name: the report is appended to it, as a whole, also where other processes do the
 * same at this moment. */
#define WCM_CRASH_APPEND 0x20u

/* Names of functions of C++, Rust and D with their types, or as the linker knows them;
 * not both.  By default they are short: without parameters, template arguments and what
 * is returned. */
#define WCM_CRASH_FULL_NAMES 0x40u
#define WCM_CRASH_MANGLED_NAMES 0x80u

/* The program's path alone, without its arguments.  With them, what looks like a secret
 * there is three stars: a value whose name says so ("--password=VALUE"), the password in a
 * URL. */
#define WCM_CRASH_NO_ARGUMENTS 0x100u

/* The report goes to the descriptor, whatever file that is at the crash.  By default it goes to
 * the file that the descriptor was at install; where that is another one, to FILE, or else
 * to the terminal of the process, or nowhere.  A program that has pointed it elsewhere on
 * purpose can install again. */
#define WCM_CRASH_ANY_DESCRIPTOR 0x200u

/* The parts of a report.  A report always begins with what happened, and in which thread. */
#define WCM_SECTION_STACK 0x1u     /* the backtrace of the thread that crashed */
#define WCM_SECTION_REGISTERS 0x2u
#define WCM_SECTION_CODE 0x4u      /* the bytes at the pc */
#define WCM_SECTION_THREADS 0x8u   /* the backtraces of all others */
#define WCM_SECTION_MODULES 0x10u  /* path, load address and build-id of each */
#define WCM_SECTION_PROGRAM 0x20u  /* its path and arguments */
#define WCM_SECTION_CALLS 0x40u    /* its last calls, where wcm_flight_start() keeps them */
/* The section of threads, with the last calls of each; only where it is asked for. */
#define WCM_SECTION_THREAD_CALLS 0x80u

/* Called when the report is out, on the crashed thread's alternate stack, every
 * signal blocked but those that are reported: a crash in here ends the process as
 * the first would have.  INFO, a siginfo_t, and UCONTEXT, a ucontext_t, are what
 * the handler was given. */
typedef void wcm_crash_callback(const void *info, void *ucontext, void *data);

/* How a crash is reported.  Zero is the default of every field. */
struct wcm_crash_options {
	int fd;               /* where the report goes; 0 and less: stderr */
	uint32_t flags;       /* WCM_CRASH_* */
	uint32_t sections;    /* WCM_SECTION_*; 0: all but THREAD_CALLS */
	uint32_t deadline_ms; /* of the report, in milliseconds; 0: 5000 */
	/* A file that the report goes to as well, or NULL: %p in it is the pid, %e
	 * the program's name, %t the time in seconds since 1970, %% a percent
	 * sign.  It is created anew (O_EXCL, mode 0600), in a directory that
	 * exists, and symbolic links are not followed; see WCM_CRASH_APPEND.
	 * Copied. */
	const char *file;
	wcm_crash_callback *callback; /* or NULL */
	void *callback_data;
	/* The path of whocallme, which is run after a text report, within its
	 * deadline, to add source lines from debug data of this machine
	 * (DEBUGINFOD_URLS is not asked: "whocallme resolve" of the report does that
	 * later); NULL: that of WHOCALLME_HELPER ("no" there: none), else where it
	 * was installed.  Copied. */
	const char *helper;
	uint64_t reserved[2]; /* zero */
};

/* Report SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP and SIGSYS, and, wherever the
 * program has the default action for them, SIGQUIT, SIGXCPU and SIGXFSZ: all that end a
 * process with a core by default.  The report is written with raw system calls only,
 * within the deadline.  The action that was installed
 * before then takes the signal with its original siginfo: by default the process
 * dies of it and leaves its core.  OPTIONS may be NULL.  Every thread of the
 * process gets an alternate stack unless it has one that is large enough (those
 * that are there by a real-time signal, which may interrupt a system call of
 * theirs once).  Names come from the tables that init_function_table() loaded and
 * from mapped .dynsym.  A process of which the kernel makes no core that its user may
 * read (set-user-ID, not dumpable) has a report of names and offsets on the descriptor,
 * and no file.  Returns WCM_OK, WCM_EINVAL for options that make no sense
 * or that this version does not know, or WCM_ESYSTEM.  A second install changes
 * the options only.  Thread-safe. */
WCM_API enum wcm_status
wcm_crash_install(const struct wcm_crash_options *options);

/* Put back the actions found at install, for each signal that is still ours. */
WCM_API void wcm_crash_remove(void);

WCM_END_DECLS

#endif
