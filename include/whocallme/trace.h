/* SPDX-License-Identifier: MIT */
/* whocallme/trace.h - every call of a program.  Include <whocallme.h> instead.
 *
 * Built with -finstrument-functions a program calls hooks where a function begins and ends.
 * Built with -fpatchable-function-entry=5, or gcc's -pg -mnop-mcount, its functions begin
 * with NOPs, sleds, which are calls while a trace is on: beginnings alone are traced then.
 * The calls of mcount() or __fentry__() that -pg makes are sleds as well.
 * Such a function, too, is an instrumented one below. */
#ifndef WHOCALLME_TRACE_H
#define WHOCALLME_TRACE_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* The kind of trace. */
enum wcm_trace_mode {
	/* a line a call:
	 * __cyg_profile_func_enter: func = test_a, called by = main */
	WCM_TRACE_PAIRS = 0,
	/* a line a call: thread, nanoseconds since the trace began, bytes of stack in use,
	 * name, indented by depth; alike lines that follow each other are one, with
	 * their number and time */
	WCM_TRACE_LOG = 1,
	/* E0x401136 on entry, X0x401136 on exit */
	WCM_TRACE_ADDRESSES = 2,
	/* a uftrace data directory */
	WCM_TRACE_RECORD = 3,
	/* who called whom how often and for how long, written as Graphviz dot when
	 * the trace stops, the process ends or a crash is reported */
	WCM_TRACE_GRAPH = 4
};

/* The log and the pairs show exits, too, with how long the call took. */
#define WCM_TRACE_EXITS 0x1u

/* Calls of a function that a filter drops are left out, too. */
#define WCM_TRACE_HIDE_CALLEES 0x2u

/* The graph counts calls and leaves out how long they take, which is a quarter of what
 * counting costs. */
#define WCM_TRACE_NO_TIMES 0x4u

/* Calls of a function that a filter keeps are kept, too, whatever their names, unless a list
 * drops them. */
#define WCM_TRACE_KEEP_CALLEES 0x8u

/* A recording that exists, and is proven to be this user's, is renamed to end in ".old"; an
 * older one of that name is removed.  Without this flag, only one called uftrace.data is. */
#define WCM_TRACE_REPLACE 0x10u

/* The log shows strings and buffers of system calls as addresses. */
#define WCM_TRACE_NO_DATA 0x20u

/* No function is traced; library calls, system calls and probes are, as asked. */
#define WCM_TRACE_NO_FUNCTIONS 0x40u

/* By default the log shows nanoseconds since the trace began.  With the first flag it shows the
 * time of day in UTC (RFC 3339), with the second the nanoseconds since the line before of the
 * process or its parent.  They cannot be combined. */
#define WCM_TRACE_ABSOLUTE_TIMES 0x80u
#define WCM_TRACE_DELTA_TIMES 0x100u

/* The log and a recording have the paths of descriptors that system calls are given: 3</tmp/a>. */
#define WCM_TRACE_PATHS 0x200u

/* Numbers in the log have ' between thousands, 52'289, also where it does not go to a terminal. */
#define WCM_TRACE_ARTICLE 0x400u

/* The log has names of C++, Rust and D with their types, or as the linker knows them.  The flags
 * cannot be combined.  By default it has short names, as wcm_name_shorten() does. */
#define WCM_TRACE_FULL_NAMES 0x800u
#define WCM_TRACE_MANGLED_NAMES 0x1000u

/* Which calls of functions are traced: library calls, system calls and probes have lists of their
 * own, below; the list of threads, and what is hidden with its caller, are of these, too.  A list
 * is of globs (fnmatch(3), by bytes) between commas; a backslash takes a comma's meaning away.
 * NULL or empty: no such filter.  Every list of functions,
 * modules and sources must keep a function.  A list that drops it wins over all. */
struct wcm_trace_filter {
	/* by linker name, or demangled: as a whole, without arguments, with or without
	 * what a template returns, or short, as wcm_name_shorten() has it */
	const char *functions, *not_functions;
	/* by path, or the part of it after a slash */
	const char *modules, *not_modules;
	const char *sources, *not_sources; /* with debug data, by whocallme(1) */
	const char *threads; /* by name or number, as they are meanwhile */
	uint32_t depth;      /* of the deepest call traced, from 1; 0: all */
	uint64_t min_ns; /* of the shortest call; it is reported when it has lasted */
	uint64_t reserved[4]; /* zero */
};

/* How to trace.  Zero is the default of every field. */
struct wcm_trace_options {
	uint32_t mode;        /* enum wcm_trace_mode */
	int fd;               /* where lines go; 0 and less: stderr */
	uint32_t flags;       /* WCM_TRACE_* */
	uint32_t ring_size;   /* of a thread's ring when recording, in bytes; 0: 1 MiB */
	/* The file or, when recording, the directory, in place of FD: %p is the
	 * pid.  NULL: uftrace.data, whocallme.dot.  Copied. */
	const char *output;
	const struct wcm_trace_filter *filter; /* or NULL.  Copied. */
	/* Also trace calls of library functions with these names: globs between commas, "*" for
	 * all; a ! before a glob leaves out, and before the first makes all leave out.  The
	 * calling module is one of LIBRARY_CALLERS, globs of paths as a filter's modules; NULL or
	 * empty: the executable.  NULL or empty: none.  Copied. */
	const char *library_calls, *library_callers;
	/* Show arguments of functions with these names, globs as well, and results with the ends
	 * of calls, in the log and the recording.  Well-known library functions have them, and
	 * those of the list that WHOCALLME_PROTOTYPES names, which the command makes from debug
	 * data.  NULL or empty: none.  Copied. */
	const char *arguments;
	/* The system calls of these names, such globs as well, or of these classes ("%file"), are
	 * traced in every thread, but with WCM_TRACE_PAIRS and WCM_TRACE_ADDRESSES.  NULL or empty:
	 * none.  Copied. */
	const char *system_calls;
	/* The static probes (whocallme/probe.h) whose "PROVIDER:NAME" is of such globs are traced
	 * in every module, but in the two modes as well.  NULL or empty: none.  Copied. */
	const char *probes;
	/* How many bytes of a string or of data are shown by the log, and of system calls by a
	 * recording; 512 at most, 0: 32. */
	uint32_t string_size;
	uint32_t reserved[1]; /* zero */
};

/* Start tracing every instrumented function, in all threads; the functions'
 * names are loaded first.  OPTIONS may be NULL.  Returns WCM_OK, WCM_EINVAL,
 * WCM_EOPEN where the output cannot be made, errno saying why (of a recording, a line on
 * stderr), or WCM_ENOMEM.  A program started with
 * WHOCALLME_TRACE=pairs|log|addresses|record|graph in its environment, WHOCALLME_OUTPUT
 * naming the output, traces from its first instrumented function on and need not
 * call this.  Thread-safe; not async-signal-safe. */
WCM_API enum wcm_status
wcm_trace_start(const struct wcm_trace_options *options);

/* Stop tracing.  A call that another thread is writing is still finished: it is waited
 * for, at most a second. */
WCM_API WCM_SIGSAFE void wcm_trace_stop(void);

/* Write what is there so far: the graph as it is now, all rings to the recording.
 * Returns WCM_OK, WCM_EINVAL where nothing is traced, or WCM_ESYSTEM.  Thread-safe;
 * not async-signal-safe. */
WCM_API enum wcm_status wcm_trace_flush(void);

/* The events of a trace. */
struct wcm_trace_counts {
	uint64_t calls;       /* entries of functions that are traced */
	uint64_t lost;        /* events that found no room, or came in a hook */
	uint64_t unwound;     /* calls whose exit was never heard of: an exception, a
	                       * longjmp, the end of a thread */
	uint64_t reserved[5]; /* zero */
};

/* Since the last start.  Thread-safe. */
WCM_API WCM_SIGSAFE void wcm_trace_count(struct wcm_trace_counts *counts);

/* Have every thread keep its last CALLS of instrumented functions, in memory of its own that
 * is written over and over: nothing is written to a file until it is asked for.  0 is 64; a
 * power of two at least as large is kept, at most 65536, in 32 bytes each.  It works beside a
 * trace and without one, and costs about what reading the CPU's counter does.  A crash report
 * and wcm_threads_write() show what each thread called before, and so does the watchdog.
 * A second start begins anew.  Returns WCM_OK.  A program started with WHOCALLME_FLIGHT=CALLS,
 * or yes, in its environment need not call this, nor wcm_crash_install().  Thread-safe; not
 * async-signal-safe. */
WCM_API enum wcm_status wcm_flight_start(uint32_t calls);

/* End that; what was kept is shown no more. */
WCM_API WCM_SIGSAFE void wcm_flight_stop(void);

/* Write what is kept now to FD as text: of each thread below a line that tells its id,
 *
 *	<whocallme>: thread 4711 "worker"
 *	last calls of this thread (nanoseconds, newest last):
 *	          -2'046'118  main
 *	              -1'204    test_a
 *
 * and of each call how long ago it began, and how deep in the others.  The threads go on
 * meanwhile.  Returns WCM_OK, WCM_EINVAL where nothing is kept, or WCM_ESYSTEM where FD does
 * not take everything.  Thread-safe. */
WCM_API WCM_SIGSAFE enum wcm_status wcm_flight_write(int fd);

/* Take "--ftrace" out of the arguments that main was given, and start WCM_TRACE_LOG on
 * stderr if it was there.  For a program that hands its arguments on, "----ftrace" becomes
 * "--ftrace", and so on by two dashes.  "--strace" is taken out in the same way: the log has all
 * system calls, and functions only if "--ftrace" was there.  WHOCALLME_TRACE_TIME in the
 * environment says which times the log has.  A line on stderr says what cannot be started.
 * Arguments after "--" stay as they are.  In a program that has more privileges than whoever
 * started it nothing is started.  ARGV ends with NULL as before.  To be called first in main; not
 * async-signal-safe. */
WCM_API void wcm_flags(int *argc, char *argv[]);

/* A function that has a sled is entered. */
struct wcm_entry {
	uintptr_t func; /* its address */
	uintptr_t site; /* where it returns to */
	uintptr_t sp;   /* the stack pointer, where that address is on the stack; if the
			 * sled follows the instructions that make the frame, its end */
	void *data;     /* as it was set */
	uint64_t reserved[4]; /* zero */
};

/* Have HOOK be called whenever a function that has a sled is entered, before anything of
 * that is executed, in the thread that does; DATA is handed on to it.  NULL: no longer, in
 * place of the one before, which other threads may be in still.  All registers and errno are
 * kept for the function; functions that HOOK calls are not told to it, nor traced.  It is called
 * wherever the program is, in signal handlers and with any lock held, beside a trace or
 * without one.  It may leave by longjmp(3).  Returns WCM_OK, WCM_ENOMEM, WCM_ESYSTEM where
 * the code cannot be changed, and nothing is called, or WCM_EINVAL in a handler that has
 * interrupted this.  Thread-safe; not async-signal-safe. */
WCM_API enum wcm_status wcm_hook_set(void (*hook)(const struct wcm_entry *entry), void *data);

/* The same of a function that finds out by itself where it was called from: its caller's
 * caller by the frame pointer, if it has one, is the function that was entered. */
WCM_API enum wcm_status wcm_hook(void (*hook)(void));

/* The compiler calls these on entry and exit of a function under
 * -finstrument-functions (GCC manual, "Program Instrumentation Options"). */
WCM_API WCM_SIGSAFE void __cyg_profile_func_enter(void *func, void *call_site)
	__attribute__((no_instrument_function));
WCM_API WCM_SIGSAFE void __cyg_profile_func_exit(void *func, void *call_site)
	__attribute__((no_instrument_function));

WCM_END_DECLS

#endif
