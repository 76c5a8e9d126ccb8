/* SPDX-License-Identifier: MIT */
/* whocallme/classic.h - the original library's five calls.  Include
 * <whocallme.h> instead. */
#ifndef WHOCALLME_CLASSIC_H
#define WHOCALLME_CLASSIC_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* Load the names of every function in the running program: of the executable
 * and of every module loaded at this moment.  PATH is argv[0] or NULL; it is
 * consulted only where /proc/self/exe cannot be read.  Returns 0, or -1 when
 * the executable's own functions could not be loaded - wcm_status_get() says
 * why, and what could be loaded is in use all the same.  May be called again,
 * from any thread, to take in modules loaded since.  Prints nothing and
 * installs nothing.  Not async-signal-safe. */
WCM_API int init_function_table(const char *path);

/* The name of the function that holds ADDR, as its symbol table spells it
 * (mangled for C++), or NULL where none does: an address in a gap between
 * functions is nobody's.  A return address belongs to the call before it: pass
 * it less one.  The string stays valid for the life of the process if it comes
 * from a table that init_function_table() loaded, else until its module is
 * unloaded. */
WCM_API WCM_SIGSAFE const char *find_function_by_addr(unsigned long addr);

/* The name of the calling function, or NULL where it is unknown.  It stays valid for as long as a
 * name from find_function_by_addr().
 *
 * This call and those below need no init_function_table(): a function that a module without a
 * table does not export is looked up in its file's .symtab, once for each address, without
 * allocation or lock. */
WCM_API WCM_SIGSAFE const char *who_am_i(void);

/* Write the calling thread's stack to stderr, innermost frame first, one line
 * a frame (see wcm_stack_write()), starting at the caller.  Returns the number
 * of frames written. */
WCM_API WCM_SIGSAFE int full_backtrace(void);

/* who_call_me() expands to this.  AT is an address in the asking function,
 * RETURN_ADDRESS where that function returns to, and FUNC its name in the
 * source, used where no table names AT. */
WCM_API WCM_SIGSAFE void wcm_call_write(const void *at,
					const void *return_address,
					const char *func);

WCM_END_DECLS

/* Write one line to stderr, in one write: who called the function this stands
 * in.
 *
 *	<whocallme>: function <main> call me <test>!
 *
 * The caller is the return address of the function, so it needs no frame
 * pointer and is exact at every optimisation level.  The address of a label
 * kept in a static object forbids the compilers to inline or clone the
 * function, so that there is a return address to speak of.  C++, Rust and D names
 * are written demangled, with their types.  In the first function of a signal handler the caller
 * is <signal handler called>.  Async-signal-safe. */
#define who_call_me()                                                       \
	__extension__({                                                     \
		__label__ wcm_here;                                         \
		WCM__LABELS_ALLOWED                                         \
		static const void *const wcm_at = &&wcm_here;               \
		_Pragma("GCC diagnostic pop")                               \
	wcm_here:                                                           \
		wcm_call_write(wcm_at, __builtin_return_address(0),         \
			       __func__);                                   \
	})

#define WCM__LABELS_ALLOWED                                                 \
	_Pragma("GCC diagnostic push")                                      \
	_Pragma("GCC diagnostic ignored \"-Wpedantic\"")

/* The same name as a macro keeps the call from becoming a jump: a tail call
 * would ask on behalf of the caller's caller. */
#define who_am_i()                                                          \
	__extension__({                                                     \
		const char *wcm_name = who_am_i();                          \
		__asm__ volatile("" : "+r"(wcm_name));                      \
		wcm_name;                                                   \
	})

#define full_backtrace()                                                    \
	__extension__({                                                     \
		int wcm_frames = full_backtrace();                          \
		__asm__ volatile("" : "+r"(wcm_frames));                    \
		wcm_frames;                                                 \
	})

#endif
