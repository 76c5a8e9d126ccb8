/* SPDX-License-Identifier: MIT */
/* dispatch_thread.h (SAFE) - what a thread has of its own while its system calls are traced. */
#ifndef WCM_SYSTEM_DISPATCH_THREAD_H
#define WCM_SYSTEM_DISPATCH_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "core/os/kernel_action.h"
#include "trace/system/system_words.h"

/* Signals that may be kept, and the mask of those that are. */
enum { WCM_SYSTEM_SIGNALS = 2 };
extern uint64_t wcm__system_kept __attribute__((visibility("hidden")));

/* A call that the thread makes in a page of code: see dispatch_pass.c. */
struct wcm_passing {
	struct wcm_system_call call;
	uint64_t begin;
	bool borrows; /* its child has this thread's memory until it is another program */
	bool stays;   /* it begins nothing: its result may be 0 */
	bool clears;  /* the child has no handlers */
	int child;    /* what the thread was, if it was in such a child already */
	bool is_child_known; /* of that */
	uint64_t blocked; /* what the thread believes, whatever the child does */
	struct wcm_kernel_action action[WCM_SYSTEM_SIGNALS]; /* of such a child */
};

enum { WCM_MOST_PASSING = 2 };

/* Made when a thread first needs it: thread-local variables of a library that dlopen(3) loads are
 * few. */
struct wcm_system_rest {
	struct wcm_system_rest *next; /* of those that no thread has */
	uint64_t waited; /* when it was last in vain that a signal was left to the first thread */
	uint64_t looked; /* when it was last seen whether it is traced by ptrace(2) */
	siginfo_t came[WCM_SYSTEM_SIGNALS]; /* with what is pending */
	struct wcm_passing pass[WCM_MOST_PASSING];
};

struct wcm_system_thread {
	uint8_t selector; /* the kernel reads it at each call */
	bool is_armed;
	bool is_handed_over; /* the program dispatches this thread's calls by itself */
	bool hides_return;   /* of a handler that is this library's */
	bool is_later;       /* than the process's first thread */
	uint8_t pauses;      /* begun and not ended */
	uint8_t passing;     /* calls that are passed, one in the child of the other */
	bool is_child_known; /* to the trace */
	int child;           /* the number of a child that has this thread's memory; or 0 */
	uint32_t blocked;    /* of what is kept, what the program believes to be blocked */
	uint32_t pending;    /* of that, what has come */
	struct wcm_system_rest *rest; /* or NULL */
};

_Static_assert(SIGSYS <= 32 && SIGTRAP <= 32, "what is kept is in 32 bits");

extern __thread struct wcm_system_thread wcm__system_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What is traced; all is made before it is on. */
struct wcm_system_wanted {
	bool is_on;
	bool is_filtered; /* and off: a filter of the program's may kill for what a trace does */
	uint32_t turner; /* the number of the thread that turns it off just now; or 0 */
	bool leaves_tracers; /* calls are wanted, and not only signals kept for probes */
	bool is_wanted[WCM_SYSTEM_CALLS];
	bool was_traced[WCM_SYSTEM_CALLS];
	void (*off)(void *ucontext); /* of a handler */
	void (*at_end)(void), (*at_exec)(void), (*at_loss)(void); /* or NULL: see system_calls.h */
	bool (*before_rights)(long number, const long *argument);
	void (*after_rights)(void);
};

extern struct wcm_system_wanted wcm__system_wanted __attribute__((visibility("hidden")));

static inline bool wcm__system_is_filtered(void)
{
	return __atomic_load_n(&wcm__system_wanted.is_filtered, __ATOMIC_RELAXED);
}

/* How threads are armed. */
extern struct wcm_arming wcm__system_arming __attribute__((visibility("hidden")));

/* The calling thread's; one that all share where there is no memory, which is of no use for calls
 * that are passed. */
struct wcm_system_rest *wcm__system_rest(void);

/* Have the kernel dispatch the calling thread's calls, or no more. */
long wcm__system_arm(void);
void wcm__system_disarm(void);

#endif
