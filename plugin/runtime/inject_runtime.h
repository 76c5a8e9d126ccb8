/* SPDX-License-Identifier: MIT */
/* inject_runtime.h - what the files of the runtime share.
 *
 * The runtime is what functions call that the plugin for gcc instruments with mode=serial.  It
 * runs before ld.so has relocated itself, in signal handlers, and in children of vfork(2):
 *
 * - it calls nothing outside it, makes raw system calls, and uses no thread-local variable;
 * - what it refers to is hidden, and reached relative to the program counter; no constant of it
 *   is an address, which a relocation would have to complete;
 * - it takes no lock, and waits for no other thread.
 *
 * Where it is compiled with the plugin or with -finstrument-functions by mistake, it does not
 * call itself: nothing of it is instrumented, at any level of optimisation.
 */
#ifndef WCM_INJECT_RUNTIME_H
#define WCM_INJECT_RUNTIME_H

#define INJECT_PLAIN __attribute__((no_instrument_function))
#define INJECT_SHARED __attribute__((no_instrument_function, visibility("hidden")))

/* The functions of core/os/, too. */
#define inline inline __attribute__((always_inline, no_instrument_function))

#include <stdbool.h>
#include <sys/uio.h>

#include "core/os/file.h"

/* Where lines go: a descriptor of the runtime's own, or stderr; 0: nowhere. */
typedef long inject_place;

/* The place, opened if it has to be, and still what was opened. */
INJECT_SHARED inject_place wcm__inject_place(void);

/* How much of a line has been written: one that is cut has no end, and cannot be gone on with. */
enum inject_done { INJECT_WHOLE, INJECT_CUT, INJECT_NOTHING };

/* Write PARTS, used up, there. */
INJECT_SHARED enum inject_done wcm__inject_put(inject_place place, struct iovec *parts, int count);

/* Of a place: its descriptor; whether it is stderr; whether it is no regular file. */
static inline int inject_descriptor(inject_place place)
{
	return place & 1 ? 2 : (int)(place >> 2);
}

static inline bool inject_is_regular(inject_place place)
{
	return (place & 3) == 0;
}

#endif
