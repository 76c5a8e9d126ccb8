/* SPDX-License-Identifier: MIT */
/* deaths.h - every way to die that the matrix knows.
 *
 * Each is a function of the name that the report must show, and calls ready()
 * when nothing is left to prepare.
 */
#ifndef DEATHS_H
#define DEATHS_H

#ifdef __cplusplus
extern "C" {
#endif

#define DEATH_MAP(X)     \
	X(null_read)     \
	X(inlined_read)  \
	X(wild_read)     \
	X(write_to_text) \
	X(null_call)     \
	X(wild_call)     \
	X(call_of_data)  \
	X(recursion)     \
	X(by_alloca)     \
	X(huge_frame)    \
	X(by_abort)      \
	X(by_assert)     \
	X(division)      \
	X(undefined)     \
	X(breakpoint)    \
	X(misaligned)    \
	X(beyond_file)   \
	X(by_kill)       \
	X(double_free)   \
	X(corrupt_arena) \
	X(malloc_locked) \
	X(in_dlopen)     \
	X(in_printf)     \
	X(in_atexit)     \
	X(in_static)     \
	X(in_tls)        \
	X(in_key)        \
	X(in_handler)    \
	X(on_our_stack)  \
	X(small_stack)   \
	X(in_fork)       \
	X(in_vfork)      \
	X(vfork_killed)  \
	X(in_callback)   \
	X(two_at_once)   \
	X(many_at_once)  \
	X(stderr_closed) \
	X(stderr_stuck)  \
	X(few_files)     \
	X(no_files)      \
	X(no_memory)     \
	X(no_proc)       \
	X(forbidden)     \
	X(trapped)

#define X(name) void name(void);
DEATH_MAP(X)
#undef X

/* A fault without ready(). */
void bare_read(void);

/* How many threads die together of this one; 1 for most. */
int dying_together(const char *death);

/* Say when, and where the crash can be reported from; painted, so that the core
 * shows how much of it was used.  From here on nothing may be allocated. */
void ready(void);

/* What a thread that is to die does first. */
void begin_victim(void);

/* The threads that a library made before anything was installed: run DEATH. */
void early_threads_run(void (*death)(void));

#ifdef __cplusplus
}
#endif

#endif
